#define _GNU_SOURCE
#include "fault_process.h"

#include <signal.h>
#include <sys/prctl.h>

int fault_end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }
