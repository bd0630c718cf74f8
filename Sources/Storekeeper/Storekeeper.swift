// One import for a program: models, and the roles without models.
@_exported import StoreMigration
@_exported import StoreModel
@_exported import StoreOwner
@_exported import StoreReader
@_exported import StoreShared
