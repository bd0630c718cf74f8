#define _GNU_SOURCE
#include "fault_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long successes_left = -1;
static char store_path[PATH_MAX], ledger_path[PATH_MAX];
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);

static ssize_t limited_pwrite(int file, const void *bytes, size_t count, off_t offset) {
    long left = atomic_load(&successes_left);
    while (left > 0 && !atomic_compare_exchange_weak(&successes_left, &left, left - 1)) {
    }
    if (left == 0) {
        errno = ENOSPC;
        return -1;
    }
    return real_pwrite(file, bytes, count, offset);
}

void fault_disk_full(long successes) {
    if (!real_pwrite) {
        sqlite3_vfs *vfs = sqlite3_vfs_find(0);
        // SQLite calls pwrite64 where it was built with large files.
        for (int wide = 0; wide < 2; wide++) {
            const char *name = wide ? "pwrite64" : "pwrite";
            if (vfs->xGetSystemCall(vfs, name)) {
                real_pwrite = (ssize_t(*)(int, const void *, size_t, off_t))vfs->xGetSystemCall(vfs, name);
                vfs->xSetSystemCall(vfs, name, (sqlite3_syscall_ptr)limited_pwrite);
            }
        }
    }
    atomic_store(&successes_left, successes);
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

// These stand before the C library's own. SQLite makes the log and the store durable with fdatasync.
int fdatasync(int file) {
    int result = syscall(SYS_fdatasync, file);
    if (result == 0) note_sync(file);
    return result;
}

int fsync(int file) {
    int result = syscall(SYS_fsync, file);
    if (result == 0) note_sync(file);
    return result;
}
