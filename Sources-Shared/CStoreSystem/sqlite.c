#include "CStoreSQLiteShims.h"

int store_sqlite_db_config(sqlite3 *database, int option, int state, int *result) {
    return sqlite3_db_config(database, option, state, result);
}
