/// A plan whose second step has to rebuild tables that are children, parents, searched, seen through a view and watched by triggers.
enum LibraryPlan {
    private static let rest = """
        CREATE VIEW shelf AS SELECT a.name AS name, count(b.id) AS books FROM author a LEFT JOIN book b ON b.author = a.id GROUP BY a.id;
        CREATE TRIGGER shelf_ii INSTEAD OF INSERT ON shelf BEGIN INSERT INTO author(name) VALUES (new.name); END;
        CREATE TRIGGER book_ad AFTER DELETE ON book BEGIN INSERT INTO log VALUES ('gone ' || old.title); END;
        CREATE TRIGGER page_ai AFTER INSERT ON page BEGIN INSERT INTO page_search(rowid, text) VALUES (new.rowid, new.text); END;
        CREATE UNIQUE INDEX book_title ON book(title) WHERE price > 0;
        CREATE INDEX author_name ON author(name DESC, born);
        CREATE VIRTUAL TABLE page_search USING fts5(text, content='page');
        CREATE TABLE log(what TEXT);

        """

    static let one = [
        "1.0.0/schema.sql": """
        CREATE TABLE author(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT COLLATE NOCASE, born TEXT);
        CREATE TABLE book(id INTEGER PRIMARY KEY, author INTEGER REFERENCES author(id) ON DELETE CASCADE, title TEXT, price INT);
        CREATE TABLE page(text TEXT);
        CREATE TABLE word(word TEXT PRIMARY KEY, uses INT) WITHOUT ROWID;
        CREATE TABLE picture(id INTEGER PRIMARY KEY, bytes BLOB);

        """ + rest
    ]

    static let two = [
        "2.0.0/schema.sql": """
        CREATE TABLE author(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT COLLATE NOCASE NOT NULL UNIQUE, born INTEGER);
        CREATE TABLE book(id INTEGER PRIMARY KEY, author INTEGER REFERENCES author(id) ON DELETE CASCADE, title TEXT NOT NULL,
            price INT CHECK(price >= 0), cents INT AS (price * 100) STORED);
        CREATE TABLE page(text TEXT NOT NULL);
        CREATE TABLE word(word TEXT PRIMARY KEY, uses INT NOT NULL DEFAULT 0) WITHOUT ROWID;
        CREATE TABLE picture(id INTEGER PRIMARY KEY, bytes BLOB);
        CREATE TABLE loan(book INTEGER NOT NULL REFERENCES book(id));

        """ + rest,
        // Two authors of one name: the second goes, and her books with her.
        "2.0.0/will.sql": "DELETE FROM author WHERE id NOT IN (SELECT min(id) FROM author GROUP BY name);",
        "2.0.0/did.sql": "INSERT INTO loan SELECT id FROM book WHERE price > 4;\nUPDATE word SET uses = uses + 1;",
        "2.0.0/reverse.sql": "DELETE FROM loan;\nUPDATE word SET uses = uses - 1;",
    ]

    static let three = [
        "3.0.0/schema.sql": two["2.0.0/schema.sql", default: ""].replacing("CREATE TABLE log(what TEXT);", with: "CREATE TABLE log(what);")
            .replacing("bytes BLOB", with: "content BLOB"),
        "3.0.0/stage.json": #"{"renames": {"picture.bytes": "picture.content"}}"#,
    ]

    /// A change of every row in pieces of two.
    static let batched = [
        "2.0.0/schema.sql": one["1.0.0/schema.sql", default: ""] + "CREATE TABLE seen(id INTEGER);",
        "2.0.0/did.sql": "INSERT INTO seen SELECT id FROM book WHERE id > :after AND id <= :until;",
        "2.0.0/stage.json": #"{"batches": {"size": 2, "key": "book.id"}}"#,
    ]

    /// The last author was deleted, the pages have gaps; with the picture the backup of a build for faults takes several steps.
    static let rows = """
        INSERT INTO author(id, name, born) VALUES (1, 'Ada', '1815'), (2, 'ADA', NULL), (3, 'Bo', '1901'), (9, 'Cy', '1999');
        DELETE FROM author WHERE id = 9;
        INSERT INTO book VALUES (1, 1, 'Notes', 5), (2, 2, 'More notes', 3), (3, 3, 'Songs', 9), (4, 3, 'Draft', 0), (5, NULL, 'Found', 1);
        INSERT INTO page(rowid, text) VALUES (5, 'an apple'), (9, 'a pear'), (12, 'an apple tree');
        INSERT INTO word VALUES ('apple', 2), ('pear', 1);
        INSERT INTO picture VALUES (1, zeroblob(200000));
        """

    /// What a store holds at 2.0.0, in words that need no other run of the same code.
    static let questionsAtTwo: [(question: String, answer: String)] = [
        ("SELECT group_concat(id || ' ' || name || ' ' || typeof(born)) FROM author", "1 Ada integer,3 Bo integer"),
        ("SELECT group_concat(id || ' ' || title || ' ' || cents) FROM book", "1 Notes 500,3 Songs 900,4 Draft 0,5 Found 100"),
        ("SELECT group_concat(rowid) FROM page_search WHERE page_search MATCH 'apple'", "5,12"),
        ("SELECT group_concat(what) FROM log", "gone More notes"),
        ("SELECT group_concat(word || uses) FROM word", "apple3,pear2"),
        ("SELECT group_concat(name || books) FROM shelf", "Ada1,Bo2"),
        ("SELECT group_concat(book) FROM loan", "1,3"),
        ("SELECT seq || '' FROM sqlite_sequence WHERE name = 'author'", "9"),
        (
            "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name)",
            "book_ad,page_ai,shelf_ii"
        ),
        ("SELECT length(bytes) || '' FROM picture", "200000"),
    ]
}
