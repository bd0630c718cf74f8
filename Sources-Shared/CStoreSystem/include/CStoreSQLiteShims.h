// What Swift cannot import of sqlite3.h: functions with variable arguments, and the destructor constants.
#ifndef CSTORESQLITESHIMS_H
#define CSTORESQLITESHIMS_H

#include <sqlite3.h>

/// Sets one on/off option of `sqlite3_db_config`; `state` -1 only asks. `result` gets the state that holds afterwards.
int store_sqlite_db_config(sqlite3 *database, int option, int state, int *result);

#endif
