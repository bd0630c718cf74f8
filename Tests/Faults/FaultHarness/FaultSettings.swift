/// What is the same for all schedules of a run.
package struct FaultSettings: Sendable {
    /// The program of an actor.
    package var actor: String
    /// Where the stores are made: memory, so that thousands fit into minutes.
    package var parent = "/dev/shm"
    /// What the package's own waits are divided by.
    package var pace = 10
    /// Mistakes that the actors are to make.
    package var planted = ""

    package init(actor: String) {
        self.actor = actor
    }
}
