// What Glibc's Swift module does not import: each function is one system call, returning -1 with errno as it does.

#ifndef STORE_SYSTEM_H
#define STORE_SYSTEM_H

#include <stdint.h>
#include <sys/types.h>

/// F_OFD_SETLK on the bytes [start, start + length): type is F_RDLCK, F_WRLCK or F_UNLCK. Never waits.
int store_lock_set(int descriptor, short type, off_t start, off_t length);

/// F_OFD_GETLK: puts into *type F_UNLCK, or the type of a lock that stands in the way of a lock of the given type.
int store_lock_get(int descriptor, short *type, off_t start, off_t length);

/// SO_PEERCRED of a connected Unix socket: who was at the other end when it connected.
int store_peer(int descriptor, pid_t *pid, uid_t *uid, gid_t *gid);

/// accept4(2), non-blocking and close-on-exec.
int store_accept(int listener);

/// send(2) with MSG_NOSIGNAL and MSG_DONTWAIT: a peer that left is EPIPE, never a signal.
ssize_t store_send(int descriptor, const void *bytes, size_t count);

/// f_type of statfs(2) of the file system that holds the path; -1 on failure.
int64_t store_file_system_type(const char *path);

/// getrandom(2).
ssize_t store_random(void *bytes, size_t count);

/// eventfd(2), non-blocking and close-on-exec.
int store_eventfd(void);

/// epoll_create1(2), close-on-exec.
int store_epoll_create(void);

/// epoll_ctl(2) with a token in place of epoll_data. The operations are 1 add, 2 remove, 3 change.
int store_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token);

/// epoll_wait(2): fills tokens and events, each with room for count; the timeout is in milliseconds, -1 for none.
int store_epoll_wait(int epoll, uint64_t *tokens, uint32_t *events, int count, int timeout);

/// Names the calling thread; 15 bytes count.
void store_name_thread(const char *name);

/// posix_fallocate(3), which returns an error number; here -1 with errno like the others.
int store_allocate(int descriptor, off_t length);

#endif
