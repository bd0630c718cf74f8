// The stages that store-bench measures, written by hand against the C library: what the engine is measured against.
//
// Usage: stages add-column|rebuild|typed STORE. Prints, from BEGIN to COMMIT, the seconds by the clock and of the processors, then the
// peak of resident memory in kilobytes. The same statements and pragmas as the engine; no backup, no publication, no progress, and no
// check of what could go wrong.

#include <sys/resource.h>
#include <time.h>

#include "database.h"

static void add_column(void) {
    execute("ALTER TABLE item ADD COLUMN total INTEGER NOT NULL DEFAULT 0");
    execute("UPDATE item SET total = amount * 3");
}

static void rebuild(void) {
    execute("CREATE TABLE item_new (id INTEGER PRIMARY KEY, key TEXT NOT NULL, category TEXT NOT NULL,"
            " amount INTEGER NOT NULL CHECK (amount >= 0), price REAL NOT NULL, note TEXT)");
    execute("INSERT INTO item_new (id, key, category, amount, price, note) SELECT id, key, category, amount, price, note FROM item");
    execute("DROP TABLE item");
    execute("ALTER TABLE item_new RENAME TO item");
    execute("CREATE UNIQUE INDEX item_key ON item (key)");
    execute("CREATE INDEX item_category ON item (category, amount)");
    execute("CREATE INDEX item_price ON item (price)");
}

// What a column holds, copied, as whoever keeps it needs it.
static char *copy(sqlite3_stmt *row, int column, int *length) {
    const void *text = sqlite3_column_text(row, column);
    *length = sqlite3_column_bytes(row, column);
    char *made = malloc((size_t)*length + 1);
    memcpy(made, text, (size_t)*length);
    made[*length] = 0;
    return made;
}

static int word_count(const char *text, int length) {
    int count = 0, in_word = 0;
    for (int i = 0; i < length; i++) {
        int space = text[i] == ' ' || (text[i] >= 9 && text[i] <= 13);
        if (in_word == space) {
            in_word = !in_word;
            count += in_word;
        }
    }
    return count;
}

static void count_words(void) {
    execute("ALTER TABLE Document ADD COLUMN words INTEGER NOT NULL DEFAULT 0");
    sqlite3_stmt *rows = prepare("SELECT storekeeper_id, title, body, created, words FROM Document");
    sqlite3_stmt *update = prepare("UPDATE Document SET words = ?1 WHERE storekeeper_id = ?2");
    int result;
    while ((result = sqlite3_step(rows)) == SQLITE_ROW) {
        int title_length, body_length;
        char *title = copy(rows, 1, &title_length), *body = copy(rows, 2, &body_length);
        sqlite3_bind_int(update, 1, word_count(body, body_length));
        sqlite3_bind_int64(update, 2, sqlite3_column_int64(rows, 0));
        if (sqlite3_step(update) != SQLITE_DONE) fail("update");
        sqlite3_reset(update);
        free(title);
        free(body);
    }
    if (result != SQLITE_DONE) fail("rows");
    sqlite3_finalize(rows);
    sqlite3_finalize(update);
}

static double seconds(const struct timespec *time) { return (double)time->tv_sec + (double)time->tv_nsec / 1e9; }

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*run)(void);
    } stages[] = {{"add-column", add_column}, {"rebuild", rebuild}, {"typed", count_words}};
    void (*run)(void) = NULL;
    for (size_t i = 0; count == 3 && i < sizeof stages / sizeof *stages; i++) {
        if (strcmp(stages[i].name, arguments[1]) == 0) run = stages[i].run;
    }
    if (!run) return fputs("usage: stages add-column|rebuild|typed STORE\n", stderr), 2;
    if (sqlite3_open_v2(arguments[2], &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) fail(arguments[2]);
    // Those of an owner in a migration: the log is copied into the store after the commit, which is not timed.
    execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = ON;"
            " PRAGMA cache_size = -8000; PRAGMA temp_store = FILE; PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON;");
    struct timespec start, end, start_work, end_work;
    clock_gettime(CLOCK_MONOTONIC, &start);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start_work);
    execute("BEGIN IMMEDIATE");
    run();
    execute("PRAGMA user_version = 1000");
    execute("COMMIT");
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end_work);
    clock_gettime(CLOCK_MONOTONIC, &end);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.6f %.6f %ld\n", seconds(&end) - seconds(&start), seconds(&end_work) - seconds(&start_work), usage.ru_maxrss);
    sqlite3_close(db);
    return 0;
}
