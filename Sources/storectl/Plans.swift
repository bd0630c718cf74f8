import StoreMigration
import StoreOwner
import StoreReader
import StoreSQLite
import StoreShared

/// `storectl plan` and `rehearse`: what an owner would do, without doing it.
extension Command {
    func printPlan() throws -> Int32 {
        try answering { location in
            let report: PlanReport
            do {
                let plan = try migrationPlan()
                report = try StoreSight.read(location) { connection, _ in
                    try PlanReport(connection, at: location, plan, allowsLoss: allowsLoss)
                }
            } catch let error as StoreError where output == .json && [.planRefused, .drifted, .storeTooNew].contains(error.code) {
                explain(error.description)
                show(PlanAnswer(error, store: location.store))
                return 7
            }
            tell(PlanAnswer(report), PlanText(report).description)
            for warning in report.warnings { explain("warning: \(warning)") }
            for refusal in report.refusals { explain(refusal.description) }
            return report.refusals.isEmpty ? 0 : 7
        }
    }

    func rehearse() throws -> Int32 {
        try answering { location in
            let plan = try migrationPlan()
            let cancellation = Cancellation()
            try TerminationSignals.cancel(cancellation)
            let rehearsal = try StoreSight.read(location) { connection, metadata in
                try Rehearsal.run(
                    connection, metadata, plan, allowsLoss: allowsLoss, in: workFolder(connection, location), cancellation: cancellation)
            }
            tell(RehearsalAnswer(rehearsal), RehearsalText(rehearsal).description)
            for warning in rehearsal.warnings { explain("warning: \(warning)") }
            if let failure = rehearsal.failure { explain(failure.description) }
            return rehearsal.failure == nil ? 0 : 7
        }
    }

    private func migrationPlan() throws -> MigrationPlan {
        let plan = try SQLPlan(folder: self.plan ?? "")
        if let version, !plan.has(version) {
            throw UsageError(reason: "--to \(version): the plan has no such version")
        }
        return try plan.migrationPlan(to: version, allowsReverse: version != nil && allowsLoss)
    }

    /// Beside the store, so that space and speed are those of its disk; for one who may not write there, where temporary files go.
    private func workFolder(_ connection: Connection, _ location: StoreLocation) -> String {
        let probe = StoreCopy.privateName("probe", in: location.backups)
        try? StoreBackup(connection: connection, location: location).prepareFolder()
        guard (try? System.open(probe, [.readWrite, .create, .exclusive], mode: 0o600)) != nil else { return "/tmp" }
        StoreCopy.removeLeftovers(in: location.backups)
        return location.backups
    }
}

/// The plan as JSON.
private struct PlanAnswer: Encodable {
    struct Plan: Encodable {
        let from: String
        let to: String
        let stages: [Stage]
        let backupBytes: Int64
    }

    struct Stage: Encodable {
        let from: String
        let to: String
        let name: String
        let kind: String
        let changes: [String]
        let rebuilds: [Rebuild]
        let losses: [String]
        let rows: Int64
        let bytes: Int64
        let walBytes: Int64
        let readableBy: [String]
        let unchecked: [String]

        init(_ stage: PlanReport.Stage) {
            from = stage.from.description
            to = stage.to.description
            name = stage.name
            kind = stage.kind
            changes = stage.changes
            rebuilds = stage.rebuilds.map { Rebuild(table: $0.table, reason: $0.reason) }
            losses = stage.losses
            rows = stage.rows
            bytes = stage.bytes
            walBytes = stage.walBytes
            readableBy = stage.readableBy.map(\.description)
            unchecked = stage.unchecked
        }
    }

    struct Rebuild: Encodable {
        let table: String
        let reason: String
    }

    struct Objection: Encodable {
        let object: String
        let reason: String
        let examples: [String]
        var rows: Int?
        var remedy: String?
    }

    let plan: Plan?
    let refusals: [Objection]

    init(_ report: PlanReport) {
        plan = Plan(
            from: report.from.description, to: report.to.description, stages: report.stages.map(Stage.init),
            backupBytes: report.backupBytes)
        refusals = report.refusals.map {
            Objection(object: $0.object, reason: $0.reason, examples: $0.examples, rows: $0.rows, remedy: $0.remedy)
        }
    }

    /// A plan that cannot even be judged.
    init(_ error: StoreError, store: String) {
        plan = nil
        refusals = [Objection(object: error.path ?? store, reason: error.message, examples: [], remedy: error.remedy)]
    }

    private enum Keys: String, CodingKey { case plan, refusals }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(plan, forKey: .plan)
        try container.encode(refusals, forKey: .refusals)
    }
}

/// The plan for a person.
private struct PlanText: CustomStringConvertible {
    let report: PlanReport

    init(_ report: PlanReport) {
        self.report = report
    }

    var description: String {
        guard !report.stages.isEmpty else { return "\(report.from): nothing to do for \(report.to)\n" }
        var lines = ["from \(report.from) to \(report.to), with a backup of \(ByteText(report.backupBytes))"]
        for stage in report.stages {
            lines.append("")
            lines.append("\(stage.from) to \(stage.to)  (\(stage.kind))")
            lines += stage.changes.flatMap { Self.indented($0) }
            if stage.changes.isEmpty { lines.append("  no change of the schema") }
            if !stage.losses.isEmpty { lines.append("  loses     \(stage.losses.joined(separator: "; "))") }
            if stage.rows > 0 || stage.bytes > 0 {
                lines.append(
                    "  rewrites  \(stage.rows) rows, \(ByteText(stage.bytes)); the log grows by \(ByteText(stage.walBytes)) or more")
            }
            lines.append("  readable  by programs built for \(stage.readableBy.map(\.description).joined(separator: ", "))")
            for open in stage.unchecked { lines.append("  not yet checked: \(open)") }
        }
        return lines.map(\.onOneLine).joined(separator: "\n") + "\n"
    }

    private static func indented(_ text: String) -> [String] {
        text.split(separator: "\n").map { "  \($0)" }
    }
}

/// A rehearsal as JSON.
private struct RehearsalAnswer: Encodable {
    struct Result: Encodable {
        let from: String
        let to: String
        let seconds: Double
        let bytesBefore: Int64
        let bytesAfter: Int64
        let walBytes: Int64
        let tables: [Table]
        let failure: String?

        private enum Keys: String, CodingKey { case from, to, seconds, bytesBefore, bytesAfter, walBytes, tables, failure }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(from, forKey: .from)
            try container.encode(to, forKey: .to)
            try container.encode(seconds, forKey: .seconds)
            try container.encode(bytesBefore, forKey: .bytesBefore)
            try container.encode(bytesAfter, forKey: .bytesAfter)
            try container.encode(walBytes, forKey: .walBytes)
            try container.encode(tables, forKey: .tables)
            try container.encode(failure, forKey: .failure)
        }
    }

    struct Table: Encodable {
        let name: String
        let rowsBefore: Int64?
        let rowsAfter: Int64?

        private enum Keys: String, CodingKey { case name, rowsBefore, rowsAfter }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(name, forKey: .name)
            try container.encode(rowsBefore, forKey: .rowsBefore)
            try container.encode(rowsAfter, forKey: .rowsAfter)
        }
    }

    let rehearsal: Result

    init(_ rehearsal: Rehearsal) {
        self.rehearsal = Result(
            from: rehearsal.from.description, to: rehearsal.to.description, seconds: rehearsal.seconds,
            bytesBefore: rehearsal.bytesBefore, bytesAfter: rehearsal.bytesAfter, walBytes: rehearsal.walBytes,
            tables: rehearsal.tables.map { Table(name: $0.name, rowsBefore: $0.before, rowsAfter: $0.after) },
            failure: rehearsal.failure?.description)
    }
}

/// A rehearsal for a person.
private struct RehearsalText: CustomStringConvertible {
    let rehearsal: Rehearsal

    init(_ rehearsal: Rehearsal) {
        self.rehearsal = rehearsal
    }

    var description: String {
        var lines = [
            "\(rehearsal.from) to \(rehearsal.to): \(rehearsal.failure == nil ? "done" : "refused or failed") after \(rehearsal.seconds) s",
            "store \(ByteText(rehearsal.bytesBefore)) before, \(ByteText(rehearsal.bytesAfter)) after; log up to \(ByteText(rehearsal.walBytes))",
        ]
        let changed = rehearsal.tables.filter { $0.before != $0.after }
        if changed.isEmpty { lines.append("every table has as many rows as before") }
        for table in changed {
            let before = table.before.map { "\($0) rows" } ?? "not there"
            let after = table.after.map { "\($0) rows" } ?? "not there"
            lines.append("table \(table.name): \(before) before, \(after) after")
        }
        return lines.map(\.onOneLine).joined(separator: "\n") + "\n"
    }
}
