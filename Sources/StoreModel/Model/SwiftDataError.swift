import StoreShared

/// What went wrong in a container or a context.
///
/// Catch one kind by its constant: `catch SwiftDataError.unknownSchema`. Two errors are equal if they are of the same kind.
public struct SwiftDataError: Error, Hashable {
    enum Kind: String, Hashable, Sendable {
        case includePendingChangesWithBatchSize, unsupportedPredicate, unsupportedKeyPath, sortingPendingChangesWithIdentifiers
        case unsupportedSortDescriptor, duplicateConfiguration, configurationFileNameTooLong
        case configurationFileNameContainsInvalidCharacters, configurationSchemaNotFoundInContainerSchema, loadIssueModelContainer
        case modelValidationFailure, missingModelContext, backwardMigration, unknownSchema, historyTokenExpired
        case invalidTransactionFetchRequest, unknownDataStoreSchema
    }

    let _error: Kind
    let _explanation: String?
    /// What can be done about it.
    public let remedy: String?
    /// The error beneath, such as `StoreError` or `SQLiteError`.
    public let cause: (any Error)?

    init(_ kind: Kind, _ explanation: String? = nil, remedy: String? = nil, cause: (any Error)? = nil) {
        _error = kind
        _explanation = explanation
        self.remedy = remedy
        self.cause = cause
    }

    public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left._error == right._error }
    public func hash(into hasher: inout Hasher) { hasher.combine(_error) }

    /// Also takes a `StoreError` for what SwiftData has one constant for.
    public static func ~= (left: SwiftDataError, right: any Error) -> Bool {
        guard let error = right as? StoreError else { return (right as? SwiftDataError) == left }
        switch left._error {
        case .loadIssueModelContainer: return true
        case .unknownDataStoreSchema: return [.storeTooNew, .drifted, .foreign].contains(error.code)
        case .backwardMigration: return error.code == .storeTooNew
        case .unknownSchema: return [.drifted, .foreign].contains(error.code)
        default: return false
        }
    }

    public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
    public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
    public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
    public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
    public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
    public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
    public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
    public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(.configurationFileNameContainsInvalidCharacters)
    public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(.configurationSchemaNotFoundInContainerSchema)
    public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
    public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
    public static let missingModelContext = SwiftDataError(.missingModelContext)
    public static let backwardMigration = SwiftDataError(.backwardMigration)
    public static let unknownSchema = SwiftDataError(.unknownSchema)
    public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)
    public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
    public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)

    /// A model that cannot be stored, or a stored row that cannot be a model.
    static func modelValidation(_ explanation: String, remedy: String, cause: (any Error)? = nil) -> SwiftDataError {
        SwiftDataError(.modelValidationFailure, explanation, remedy: remedy, cause: cause)
    }

    static func load(_ explanation: String, remedy: String, cause: (any Error)? = nil) -> SwiftDataError {
        SwiftDataError(.loadIssueModelContainer, explanation, remedy: remedy, cause: cause)
    }
}

extension SwiftDataError: CustomStringConvertible {
    public var description: String {
        var text = _explanation ?? _error.rawValue
        if let remedy { text += "; \(remedy)" }
        if let cause { text += " (\(cause))" }
        return text
    }
}
