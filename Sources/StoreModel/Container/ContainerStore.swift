/// One store of a container: what its contexts read and write, and where the models lie in it.
// Unchecked: a storage looks after itself, but for that of a migration's stage, which does not leave the stage's thread.
struct ContainerStore: @unchecked Sendable {
    let name: String
    let storage: any ModelStorage
    let layout: StoreLayout
}
