#define _GNU_SOURCE
#include "include/CStoreSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

int store_lock_set(int descriptor, short type, off_t start, off_t length) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int store_lock_get(int descriptor, short *type, off_t start, off_t length) {
    struct flock lock = {.l_type = *type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    int result = fcntl(descriptor, F_OFD_GETLK, &lock);
    *type = lock.l_type;
    return result;
}

int store_peer(int descriptor, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred peer = {0};
    socklen_t length = sizeof peer;
    int result = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length);
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return result;
}

int store_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

ssize_t store_send(int descriptor, const void *bytes, size_t count) {
    return send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int64_t store_file_system_type(const char *path) {
    struct statfs facts;
    return statfs(path, &facts) < 0 ? -1 : (int64_t)facts.f_type & 0xFFFFFFFF;
}

ssize_t store_random(void *bytes, size_t count) { return getrandom(bytes, count, 0); }

int store_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int store_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int store_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

int store_epoll_wait(int epoll, uint64_t *tokens, uint32_t *events, int count, int timeout) {
    struct epoll_event found[512];
    int result = epoll_wait(epoll, found, count < 512 ? count : 512, timeout);
    for (int i = 0; i < result; i++) {
        tokens[i] = found[i].data.u64;
        events[i] = found[i].events;
    }
    return result;
}

void store_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int store_allocate(int descriptor, off_t length) {
    int error = posix_fallocate(descriptor, 0, length);
    if (error == 0) return 0;
    errno = error;
    return -1;
}
