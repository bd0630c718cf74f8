// Tells ThreadSanitizer of Swift's Synchronization.Mutex on Linux. Its fast path is compiled into the program and instrumented with it;
// where threads meet, it calls these three functions of libswiftSynchronization.so, which is not instrumented and hands the lock over by
// futexes that ThreadSanitizer does not know: what one thread did under the lock then seems to race with what the next does.
// Preloaded, these take their places, call them, and say what they did: a lock is taken after it, given up before it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// Defined in a program that was built with ThreadSanitizer, missing in the others that it starts.
__attribute__((weak)) void __tsan_acquire(void *);
__attribute__((weak)) void __tsan_release(void *);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

static void *original(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

SWIFT void lock_slow(uint32_t thread, SELF) {
    SWIFT void (*lock)(uint32_t, SELF) = original(LOCK);
    lock(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) {
    SWIFT bool (*try_lock)(SELF) = original(TRY_LOCK);
    bool taken = try_lock(self);
    if (taken && __tsan_acquire) __tsan_acquire(self);
    return taken;
}

SWIFT void unlock_slow(SELF) {
    SWIFT void (*unlock)(SELF) = original(UNLOCK);
    if (__tsan_release) __tsan_release(self);
    unlock(self);
}
