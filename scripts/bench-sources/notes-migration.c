// The migration of the notes from 1.0.0 to 2.0.0, written by hand against the C library: what the engine is measured against.
//
// Usage: notes-migration STORE. Prints the seconds from BEGIN to COMMIT. The same statements, pragmas and copies of text as
// the engine; no backup, no publication, no progress, no checks of what could go wrong.

#include <time.h>

#include "database.h"

static char *copy(sqlite3_stmt *row, int column, int *length) {
    *length = sqlite3_column_bytes(row, column);
    char *text = malloc((size_t)*length + 1);
    memcpy(text, sqlite3_column_blob(row, column), (size_t)*length);
    text[*length] = 0;
    return text;
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

// A note with all its columns, as a fetch of the model reads it; what a column holds is copied.
struct note {
    sqlite3_int64 id;
    char *key, *title, *body;
    int key_length, title_length, body_length;
};

enum { batch = 5000 };

static struct note notes[batch];

// The next notes, at most a batch; 0 at the end, where stepping on would begin again.
static int fetch(sqlite3_stmt *rows, int *at_end) {
    int count = 0;
    while (!*at_end && count < batch) {
        int result = sqlite3_step(rows);
        if (result == SQLITE_DONE) *at_end = 1;
        else if (result != SQLITE_ROW) fail(sqlite3_sql(rows));
        if (result != SQLITE_ROW) break;
        struct note *note = &notes[count++];
        note->id = sqlite3_column_int64(rows, 0);
        note->key = copy(rows, 1, &note->key_length);
        note->title = copy(rows, 2, &note->title_length);
        note->body = copy(rows, 3, &note->body_length);
    }
    return count;
}

static void let_go(int count) {
    for (int i = 0; i < count; i++) {
        free(notes[i].key);
        free(notes[i].title);
        free(notes[i].body);
    }
}

// Notes that are stored twice: the first of them stays.
static void remove_duplicates(void) {
    sqlite3_stmt *rows = prepare("SELECT storekeeper_id, key, title, body, createdAt, wordCount, folder FROM Note ORDER BY key");
    sqlite3_stmt *unlink = prepare("DELETE FROM Note_tags WHERE source = ?1");
    sqlite3_stmt *delete = prepare("DELETE FROM Note WHERE storekeeper_id = ?1");
    sqlite3_int64 *doomed = NULL;
    size_t doomed_count = 0, room = 0;
    char *last = strdup("");
    for (int count, at_end = 0; (count = fetch(rows, &at_end)) > 0; let_go(count)) {
        for (int i = 0; i < count; i++) {
            if (strcmp(notes[i].key, last) == 0) {
                if (doomed_count == room) doomed = realloc(doomed, (room = room * 2 + 64) * sizeof *doomed);
                doomed[doomed_count++] = notes[i].id;
            }
            free(last);
            last = strdup(notes[i].key);
        }
    }
    sqlite3_finalize(rows);
    for (size_t i = 0; i < doomed_count; i++) {
        sqlite3_bind_int64(unlink, 1, doomed[i]);
        run(unlink);
        sqlite3_bind_int64(delete, 1, doomed[i]);
        run(delete);
    }
    free(doomed);
    free(last);
    sqlite3_finalize(unlink);
    sqlite3_finalize(delete);
}

static void count_words(void) {
    sqlite3_stmt *rows = prepare("SELECT storekeeper_id, key, title, body, createdAt, wordCount, folder FROM Note");
    sqlite3_stmt *update = prepare("UPDATE Note SET wordCount = ?1 WHERE storekeeper_id = ?2");
    for (int count, at_end = 0; (count = fetch(rows, &at_end)) > 0; let_go(count)) {
        for (int i = 0; i < count; i++) {
            sqlite3_bind_int(update, 1, word_count(notes[i].body, notes[i].body_length));
            sqlite3_bind_int64(update, 2, notes[i].id);
            run(update);
        }
    }
    sqlite3_finalize(rows);
    sqlite3_finalize(update);
}

static void make_bodies_text(void) {
    execute("CREATE TABLE Note_new (storekeeper_id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, title TEXT NOT NULL,"
            " body TEXT NOT NULL DEFAULT '', createdAt REAL NOT NULL, wordCount INTEGER NOT NULL DEFAULT 0, folder INTEGER)");
    execute("INSERT INTO Note_new (storekeeper_id, key, title, createdAt, wordCount, folder)"
            " SELECT storekeeper_id, key, title, createdAt, wordCount, folder FROM Note");
    sqlite3_stmt *rows = prepare("SELECT storekeeper_id, key, title, body, createdAt, wordCount, folder FROM Note");
    sqlite3_stmt *update = prepare("UPDATE Note_new SET body = ?1 WHERE storekeeper_id = ?2");
    for (int count, at_end = 0; (count = fetch(rows, &at_end)) > 0; let_go(count)) {
        for (int i = 0; i < count; i++) {
            sqlite3_bind_text(update, 1, notes[i].body, notes[i].body_length, SQLITE_TRANSIENT);
            sqlite3_bind_int64(update, 2, notes[i].id);
            run(update);
        }
    }
    sqlite3_finalize(rows);
    sqlite3_finalize(update);
    execute("DROP TABLE Note");
    execute("ALTER TABLE Note_new RENAME TO Note");
    execute("CREATE UNIQUE INDEX Note_key_unique ON Note (key)");
    execute("CREATE INDEX Note_folder_inverse ON Note (folder)");
}

int main(int count, char **arguments) {
    if (count != 2) return fputs("usage: notes-migration STORE\n", stderr), 2;
    if (sqlite3_open_v2(arguments[1], &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) fail(arguments[1]);
    execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -16000;"
            " PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;");
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    execute("BEGIN IMMEDIATE");
    execute("ALTER TABLE Note RENAME COLUMN created TO createdAt");
    execute("ALTER TABLE Note ADD COLUMN wordCount INTEGER NOT NULL DEFAULT 0");
    remove_duplicates();
    execute("CREATE UNIQUE INDEX Note_key_unique ON Note (key)");
    count_words();
    make_bodies_text();
    execute("PRAGMA user_version = 1000");
    execute("COMMIT");
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.3f\n", (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
    sqlite3_close(db);
    return 0;
}
