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

    /// A fetch in batches was to include pending changes: save first, or leave them out.
    public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
    /// A part of a predicate, which the explanation names, is not what SQL can tell.
    public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
    /// A key path is that of no stored property, or not of the kind that is asked for.
    public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
    /// Identifiers were to be fetched with a sort and pending changes: save first, or leave either out.
    public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
    /// A sort is by what has no order in the store.
    public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
    /// Two configurations of a container name one place, or keep one model.
    public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
    /// No file of that name fits beside the files that belong to a store.
    public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
    /// No file can have the name.
    public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(.configurationFileNameContainsInvalidCharacters)
    /// A configuration has models that the container has not, or no schema where it needs one.
    public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(.configurationSchemaNotFoundInContainerSchema)
    /// A container could not be opened, or its store not be read. Takes every `StoreError` too, which says why.
    public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
    /// A model breaks a rule of its own: a value, a delete rule, a bound, a constraint. Nothing was saved, and everything stays pending.
    public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
    /// The context or the container of a model is gone.
    public static let missingModelContext = SwiftDataError(.missingModelContext)
    /// The store is newer than the program. Takes a `StoreError` of `.storeTooNew`.
    public static let backwardMigration = SwiftDataError(.backwardMigration)
    /// A model is not of the schema, or no version of the plan has the store's schema. Takes a `StoreError` of `.drifted` and `.foreign`.
    public static let unknownSchema = SwiftDataError(.unknownSchema)
    /// No version that the program knows has the store's schema. Takes a `StoreError` of `.storeTooNew`, `.drifted` and `.foreign`.
    public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)
    /// What came after a token has been deleted in part: read the models anew.
    public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
    /// No store of the container keeps transactions of that kind.
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
