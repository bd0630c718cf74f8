// The work of Tests/ModelBench written by hand against the C library: what the models are measured against.
//
// Usage: models-by-hand STORE COUNT. Prints a name, the seconds and the processor's seconds of each piece. The same table, indexes, pragmas and transactions,
// the check of the schema in each read transaction, and texts copied into memory of the program's own.

#include <time.h>

#include "database.h"

static double read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double wall, processor;

static void begin_piece(void) {
    wall = read_clock(CLOCK_MONOTONIC);
    processor = read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static void end_piece(const char *name) {
    printf("%s %.9f %.9f\n", name, read_clock(CLOCK_MONOTONIC) - wall, read_clock(CLOCK_PROCESS_CPUTIME_ID) - processor);
}

struct item {
    sqlite3_int64 id, count, rank;
    char *key, *title, *body;
    int key_length, title_length, body_length, is_open;
    double rating, created;
};

static char *copy(const char *text, int length) {
    char *made = malloc((size_t)length + 1);
    memcpy(made, text, (size_t)length);
    made[length] = 0;
    return made;
}

static char *column(sqlite3_stmt *row, int index, int *length) {
    *length = sqlite3_column_bytes(row, index);
    const void *text = sqlite3_column_text(row, index);
    return text == NULL ? NULL : copy(text, *length);
}

static struct item *load(sqlite3_stmt *row) {
    struct item *item = malloc(sizeof *item);
    item->id = sqlite3_column_int64(row, 0);
    item->key = column(row, 1, &item->key_length);
    item->title = column(row, 2, &item->title_length);
    item->body = column(row, 3, &item->body_length);
    item->count = sqlite3_column_int64(row, 4);
    item->rank = sqlite3_column_int64(row, 5);
    item->rating = sqlite3_column_double(row, 6);
    item->created = sqlite3_column_double(row, 7);
    item->is_open = sqlite3_column_int(row, 8);
    return item;
}

static struct item *make(long number) {
    char text[128];
    struct item *item = malloc(sizeof *item);
    item->key_length = snprintf(text, sizeof text, "item-%ld", number);
    item->key = copy(text, item->key_length);
    item->title_length = snprintf(text, sizeof text, "The title of item %ld", number);
    item->title = copy(text, item->title_length);
    item->body = NULL;
    item->body_length = 0;
    if (number % 3 != 0) {
        item->body_length = snprintf(text, sizeof text, "A body of some words that belongs to item %ld", number);
        item->body = copy(text, item->body_length);
    }
    item->count = number;
    item->rank = number * 7919 % 100003;
    item->rating = (double)number / 8;
    item->created = (double)number;
    item->is_open = number % 2 == 0;
    return item;
}

static double release(struct item *item) {
    double sum = item->key_length + item->title_length + item->body_length + (double)item->count + (double)item->rank + item->rating
                 + item->created + item->is_open;
    free(item->key);
    free(item->title);
    free(item->body);
    free(item);
    return sum;
}

static sqlite3_stmt *begin, *commit, *generation, *cookie;

// One read transaction, whose schema is checked inside it.
static void begin_reading(void) {
    run(begin);
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *check = i == 0 ? generation : cookie;
        if (sqlite3_step(check) != SQLITE_ROW || sqlite3_column_int64(check, 0) < 0) fail("check");
        sqlite3_reset(check);
    }
}

static long fetch(sqlite3_stmt *rows, struct item **items) {
    long count = 0;
    begin_reading();
    int result;
    while ((result = sqlite3_step(rows)) == SQLITE_ROW) items[count++] = load(rows);
    if (result != SQLITE_DONE) fail(sqlite3_sql(rows));
    sqlite3_reset(rows);
    run(commit);
    return count;
}

#define COLUMNS "storekeeper_id, \"key\", title, body, count, rank, rating, created, isOpen"

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    long count = atol(argv[2]);
    if (sqlite3_open(argv[1], &db) != SQLITE_OK) fail("open");
    execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON");
    execute("CREATE TABLE Item (storekeeper_id INTEGER PRIMARY KEY AUTOINCREMENT, \"key\" TEXT NOT NULL, title TEXT NOT NULL, body TEXT, "
            "count INTEGER NOT NULL, rank INTEGER NOT NULL, rating REAL NOT NULL, created REAL NOT NULL, isOpen INTEGER NOT NULL)");
    execute("CREATE UNIQUE INDEX Item_key_unique ON Item (\"key\"); CREATE INDEX Item_rank_index ON Item (rank)");
    begin = prepare("BEGIN");
    commit = prepare("COMMIT");
    generation = prepare("PRAGMA user_version");
    cookie = prepare("PRAGMA schema_version");
    struct item **items = malloc((size_t)count * sizeof *items);
    double sum = 0;

    begin_piece();
    for (long i = 0; i < count; i++) items[i] = make(i);
    execute("BEGIN IMMEDIATE");
    sqlite3_stmt *insert = prepare("INSERT INTO Item (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (long i = 0; i < count; i++) {
        struct item *item = items[i];
        sqlite3_bind_int64(insert, 1, i + 1);
        sqlite3_bind_text(insert, 2, item->key, item->key_length, SQLITE_TRANSIENT);
        sqlite3_bind_text(insert, 3, item->title, item->title_length, SQLITE_TRANSIENT);
        if (item->body == NULL) sqlite3_bind_null(insert, 4);
        else sqlite3_bind_text(insert, 4, item->body, item->body_length, SQLITE_TRANSIENT);
        sqlite3_bind_int64(insert, 5, item->count);
        sqlite3_bind_int64(insert, 6, item->rank);
        sqlite3_bind_double(insert, 7, item->rating);
        sqlite3_bind_double(insert, 8, item->created);
        sqlite3_bind_int64(insert, 9, item->is_open);
        run(insert);
    }
    execute("COMMIT");
    for (long i = 0; i < count; i++) sum += release(items[i]);
    end_piece("insert");

    begin_piece();
    long found = fetch(prepare("SELECT " COLUMNS " FROM Item"), items);
    for (long i = 0; i < found; i++) sum += release(items[i]);
    end_piece("fetch");

    begin_piece();
    found = fetch(prepare("SELECT " COLUMNS " FROM Item WHERE rating >= 0 ORDER BY rank, created DESC, storekeeper_id"), items);
    for (long i = 0; i < found; i++) sum += release(items[i]);
    end_piece("sorted");

    begin_piece();
    sqlite3_stmt *by_id = prepare("SELECT " COLUMNS " FROM Item WHERE storekeeper_id = ?");
    for (long i = 0; i < 10000; i++) {
        sqlite3_bind_int64(by_id, 1, (i * 7919 + 13) % count + 1);
        if (fetch(by_id, items) != 1) fail("by id");
        sum += release(items[0]);
    }
    end_piece("model-for");

    begin_piece();
    sqlite3_stmt *by_key = prepare("SELECT " COLUMNS " FROM Item WHERE \"key\" = ?");
    for (long i = 0; i < 10000; i++) {
        char text[64];
        int length = snprintf(text, sizeof text, "item-%ld", (i * 7919 + 13) % count);
        sqlite3_bind_text(by_key, 1, text, length, SQLITE_TRANSIENT);
        if (fetch(by_key, items) != 1) fail("by key");
        sum += release(items[0]);
    }
    end_piece("predicate");

    begin_piece();
    execute("BEGIN IMMEDIATE");
    sqlite3_stmt *update = prepare("UPDATE Item SET title = ? WHERE storekeeper_id = ?");
    long step = count / 10000 > 0 ? count / 10000 : 1;
    for (long i = 0; i < count; i += step) {
        char text[64];
        int length = snprintf(text, sizeof text, "Another title %ld", i);
        sqlite3_bind_text(update, 1, text, length, SQLITE_TRANSIENT);
        sqlite3_bind_int64(update, 2, i + 1);
        run(update);
    }
    execute("COMMIT");
    end_piece("save-changed");
    return sum < 0;
}
