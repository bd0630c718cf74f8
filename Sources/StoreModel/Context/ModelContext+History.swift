import StoreSQLite

extension ModelContext {
    /// The transactions of the stores' histories that a descriptor describes.
    ///
    /// - Throws: `SwiftDataError.historyTokenExpired` where the predicate begins at a place whose following transactions have been deleted;
    ///   `.invalidTransactionFetchRequest` for transactions of a kind that no store of the container has.
    public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T] where T: HistoryTransaction {
        guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { throw invalidRequest(T.self) }
        var found: [DefaultHistoryTransaction] = []
        for core in cores { found += try core.fetchHistory(descriptor) }
        if cores.count > 1 {
            if descriptor.sortBy.isEmpty { found.sort { $0.timestamp < $1.timestamp } } else { found.sort(using: descriptor.sortBy) }
            if descriptor.fetchLimit > 0 { found = Array(found.prefix(Int(clamping: descriptor.fetchLimit))) }
        }
        return found.compactMap { $0 as? T }
    }

    /// Deletes the transactions that a descriptor describes. Tokens of places before them expire.
    public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws where T: HistoryTransaction {
        guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { throw invalidRequest(T.self) }
        for core in cores { try core.deleteHistory(descriptor) }
    }

    private func invalidRequest<T>(_ type: T.Type) -> SwiftDataError {
        SwiftDataError(
            .invalidTransactionFetchRequest, "no store of this container keeps its history as \(T.self)",
            remedy: "ask for DefaultHistoryTransaction")
    }
}

extension ContextCore {
    func fetchHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction] {
        let reader = HistoryReader(layout.mapping, store: storeIdentifier)
        return try openStorage().read { try reader.transactions(descriptor, $0) }
    }

    func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        let storage = try openStorage()
        guard storage.allowsSave else {
            throw SwiftDataError.modelValidation("the store was opened for reading only", remedy: "delete its history in its owner")
        }
        let reader = HistoryReader(layout.mapping, store: storeIdentifier)
        try storage.write(changing: []) { connection in
            for transaction in try reader.transactions(descriptor, connection) {
                try connection.run("DELETE FROM storekeeper_changes WHERE transaction_id = ?", .integer(transaction.transactionIdentifier))
                try connection.run("DELETE FROM storekeeper_transactions WHERE id = ?", .integer(transaction.transactionIdentifier))
            }
        }
    }

    /// Deletes every row of every model in one transaction.
    func eraseAll() throws {
        let storage = try openStorage()
        guard storage.allowsSave else {
            throw SwiftDataError.modelValidation("the store was opened for reading only", remedy: "erase it in its owner")
        }
        try custom?.eraseEngine()
        let entities = layout.mapping.entities.map(\.name)
        try storage.write(changing: Set(entities)) { connection in
            for table in layout.tableNames { try connection.execute("DELETE FROM \(quoted(table))") }
        }
        tellOthers { Dictionary(layout.mapping.entities.map { ($0.tableName, Inbox.Rows(isAll: true)) }) { first, _ in first } }
        storeHub.announce(entities, author: nil, transaction: nil)
    }
}
