#ifndef FAULT_DISK_H
#define FAULT_DISK_H

// A disk that fails or loses power, as one process sees it: for the actors of the fault harness, which link this.

// Lets SQLite's calls of `name` (open, pread, pwrite, ftruncate, fdatasync) fail with `number`, after some that succeed, for some times;
// a negative number kills the process there instead, before the call is made. Zero times ends that.
// Returns 0, or -1 for a call of another name.
int fault_disk_fail(const char *name, int number, long successes, long times);

// Locks the bytes of the log's index under which SQLite rebuilds it, and keeps them. Returns 0, or -1.
int fault_disk_lock_index(const char *index);

// Keeps, in the folder `ledger`, what each file of SQLite held when it was last made durable, and the record as its folder was last made
// durable: what a power cut leaves. `store` is the path of the store. Called before the store is opened.
int fault_disk_keep(const char *store, const char *ledger);

#endif
