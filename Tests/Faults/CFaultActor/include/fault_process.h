#ifndef FAULT_PROCESS_H
#define FAULT_PROCESS_H

// Has the kernel kill this process when the thread that started it ends: a stopped process would not notice.
int fault_end_with_parent(void);

#endif
