import Glibc
import StoreSQLite
import StoreShared
import Testing

/// Which failures are the machine's, so that the same program started again may succeed.
@Suite struct OfTheMomentTests {
    private func wrapped(_ cause: any Error) -> StoreError {
        StoreError(.planRefused, "outer", cause: StoreError(.migrationFailed, "inner", cause: cause))
    }

    @Test(arguments: [ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE, EIO, ENOMEM, EACCES, EPERM, EROFS])
    func theMachinesErrorsAre(number: Int32) {
        let error = SystemError(call: "open", path: "x", number: number)
        #expect(error.isOfTheMoment && wrapped(error).isOfTheMoment)
        #expect(error.remedy != nil)
        let opening = SQLiteError(code: .cannotOpen, message: "", path: "x", systemError: number)
        // A limit of the file's size does not keep a file from being opened.
        #expect(opening.isOfTheMoment == (number != EFBIG))
    }

    @Test(arguments: [ENOENT, EEXIST, ELOOP, ENOTDIR, EINVAL])
    func whatIsAskedOfItIsNot(number: Int32) {
        let error = SystemError(call: "open", path: "x", number: number)
        #expect(!error.isOfTheMoment && !wrapped(error).isOfTheMoment)
        #expect(!SQLiteError(code: .cannotOpen, message: "", path: "x", systemError: number).isOfTheMoment)
    }

    @Test func aDatabasesErrorsAreByTheirPrimaryCode() {
        let passing: [ResultCode] = [.full, ResultCode(rawValue: 4874), .outOfMemory, .busySnapshot, .readOnlyDirectory]
        for code in passing { #expect(wrapped(SQLiteError(code: code, message: "", path: "x")).isOfTheMoment, "\(code)") }
        let staying: [ResultCode] = [.corrupt, .notADatabase, .constraintUnique, .error, .cannotOpen, .interrupted, .mismatch]
        for code in staying { #expect(!wrapped(SQLiteError(code: code, message: "", path: "x")).isOfTheMoment, "\(code)") }
        #expect(!StoreError(.planRefused, "alone").isOfTheMoment)
    }
}
