import SwiftData

/// Written in applications before SwiftData said it itself: a warning, no error.
extension MigrationStage: @retroactive @unchecked Sendable {}
