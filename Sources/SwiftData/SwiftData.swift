// Linux only: what is written for SwiftData compiles with the import that it has.
@_exported import Storekeeper
