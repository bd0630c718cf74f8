// What Swift's own code may not name of the Swift runtime.
#ifndef CSTORERUNTIME_H
#define CSTORERUNTIME_H

/// swift_tryRetain: retains a native Swift object and returns it; NULL if its release has begun.
extern void *swift_tryRetain(void *object);

static inline void *store_try_retain(void *object) { return swift_tryRetain(object); }

#endif
