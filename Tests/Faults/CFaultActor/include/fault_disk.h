#ifndef FAULT_DISK_H
#define FAULT_DISK_H

// A disk that is full or loses power, as one process sees it: for the actors of the fault harness, which link this.

// From now on every write of SQLite fails with ENOSPC after `successes` more; a negative number ends that.
void fault_disk_full(long successes);

// Keeps, in the folder `ledger`, what each file of SQLite held when it was last made durable, and the record as its folder was last made
// durable: what a power cut leaves. `store` is the path of the store. Called before the store is opened.
int fault_disk_keep(const char *store, const char *ledger);

#endif
