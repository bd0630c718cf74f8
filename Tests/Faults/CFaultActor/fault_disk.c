#define _GNU_SOURCE
#include "fault_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char store_path[PATH_MAX], ledger_path[PATH_MAX];

// One of SQLite's calls, and the failures that were ordered for it.
struct fault {
    const char *names[2];
    sqlite3_syscall_ptr real;
    sqlite3_syscall_ptr limited;
    atomic_int number;
    atomic_long successes;
    atomic_long times;
};

static struct fault open_fault, read_fault, write_fault, truncate_fault, sync_fault;

// Whether this call is to fail; errno is set then.
static int fails(struct fault *fault) {
    if (atomic_load(&fault->times) <= 0) return 0;
    if (atomic_fetch_sub(&fault->successes, 1) > 0) return 0;
    if (atomic_fetch_sub(&fault->times, 1) <= 0) return 0;
    int number = atomic_load(&fault->number);
    if (number < 0) {
        kill(getpid(), SIGKILL);
        pause();
    }
    errno = number;
    return 1;
}

static int limited_open(const char *path, int flags, int mode) {
    return fails(&open_fault) ? -1 : ((int (*)(const char *, int, int))open_fault.real)(path, flags, mode);
}

static ssize_t limited_read(int file, void *bytes, size_t count, off_t offset) {
    return fails(&read_fault) ? -1 : ((ssize_t(*)(int, void *, size_t, off_t))read_fault.real)(file, bytes, count, offset);
}

static ssize_t limited_write(int file, const void *bytes, size_t count, off_t offset) {
    return fails(&write_fault) ? -1 : ((ssize_t(*)(int, const void *, size_t, off_t))write_fault.real)(file, bytes, count, offset);
}

static int limited_truncate(int file, off_t length) {
    return fails(&truncate_fault) ? -1 : ((int (*)(int, off_t))truncate_fault.real)(file, length);
}

// The second name is that of a SQLite which was built for large files.
static struct fault open_fault = {{"open", "open"}, 0, (sqlite3_syscall_ptr)limited_open, 0, 0, 0};
static struct fault read_fault = {{"pread", "pread64"}, 0, (sqlite3_syscall_ptr)limited_read, 0, 0, 0};
static struct fault write_fault = {{"pwrite", "pwrite64"}, 0, (sqlite3_syscall_ptr)limited_write, 0, 0, 0};
static struct fault truncate_fault = {{"ftruncate", "ftruncate64"}, 0, (sqlite3_syscall_ptr)limited_truncate, 0, 0, 0};
// SQLite asks for no pointer here: see fdatasync below.
static struct fault sync_fault = {{"fdatasync", "fdatasync"}, 0, 0, 0, 0, 0};

int fault_disk_fail(const char *name, int number, long successes, long times) {
    struct fault *faults[] = {&open_fault, &read_fault, &write_fault, &truncate_fault, &sync_fault};
    for (int index = 0; index < 5; index++) {
        struct fault *fault = faults[index];
        if (strcmp(fault->names[0], name)) continue;
        sqlite3_vfs *vfs = sqlite3_vfs_find(0);
        for (int wide = 0; wide < 2 && !fault->real; wide++) {
            fault->real = vfs->xGetSystemCall(vfs, fault->names[1 - wide]);
            if (fault->real) vfs->xSetSystemCall(vfs, fault->names[1 - wide], fault->limited);
        }
        atomic_store(&fault->times, 0);
        atomic_store(&fault->number, number);
        atomic_store(&fault->successes, successes);
        atomic_store(&fault->times, times);
        return 0;
    }
    return -1;
}

int fault_disk_keep(const char *store, const char *ledger) {
    if (strlen(store) >= sizeof store_path || strlen(ledger) >= sizeof ledger_path) return -1;
    strcpy(ledger_path, ledger);
    strcpy(store_path, store);
    return 0;
}

// Copies `from`, through a descriptor that is already open or by its path, to `name` in the ledger, whole or not at all.
static void keep(int from, const char *name) {
    char temporary[PATH_MAX + 64], final[PATH_MAX + 64], buffer[65536];
    snprintf(temporary, sizeof temporary, "%s/.%s.%d", ledger_path, name, gettid());
    snprintf(final, sizeof final, "%s/%s", ledger_path, name);
    int to = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (to < 0) return;
    off_t offset = 0;
    ssize_t count;
    while ((count = pread(from, buffer, sizeof buffer, offset)) > 0) {
        if (write(to, buffer, count) != count) break;
        offset += count;
    }
    close(to);
    rename(temporary, final);
}

static void note_sync(int file) {
    if (!store_path[0]) return;
    int saved = errno;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0) {
        path[length] = 0;
        size_t prefix = strlen(store_path);
        if (!strncmp(path, store_path, prefix)) {
            const char *rest = path + prefix;
            // Through SQLite's own descriptor: closing another one of the store would drop its locks.
            if (!*rest) keep(file, "store");
            if (!strcmp(rest, "-wal")) keep(file, "wal");
            if (!strcmp(rest, ".keeper")) {
                char record[PATH_MAX + 16];
                snprintf(record, sizeof record, "%s.keeper/record", store_path);
                int from = open(record, O_RDONLY | O_CLOEXEC);
                if (from >= 0) {
                    keep(from, "record");
                    close(from);
                }
            }
        }
    }
    errno = saved;
}

int fault_disk_lock_index(const char *index) {
    int file = open(index, O_RDWR | O_CLOEXEC);
    // The locks for writing, checkpoints and recovery.
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 120, .l_len = 3};
    return file < 0 ? -1 : fcntl(file, F_SETLK, &lock);
}

// These stand before the C library's own. SQLite makes the log and the store durable with fdatasync.
int fdatasync(int file) {
    if (fails(&sync_fault)) return -1;
    int result = syscall(SYS_fdatasync, file);
    if (result == 0) note_sync(file);
    return result;
}

int fsync(int file) {
    int result = syscall(SYS_fsync, file);
    if (result == 0) note_sync(file);
    return result;
}
