#pragma once
#include <stdint.h>

/// How often this process has asked for memory so far.
///
/// A program that links this target has its allocator's functions counted, those called by shared libraries too.
uint64_t allocation_count(void);
