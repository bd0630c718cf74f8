/*
 * Owners, readers, the published record and the wake-up, for spin. The labels are the states of docs/states.md.
 *
 * A store is at version 1 and is to come to version 2. The first owners (OLD) are of the old release and leave in the end; the
 * others are of the new one, and the last of them lives on. Any of the new ones may be killed between two steps, and a migration
 * may fail. A step is one system call or one statement of SQLite; a stopped process is one that is not scheduled.
 *
 * What must hold:
 *   I1  who commits is the last that claimed the store, also where somebody deleted the lock file (VANDAL);
 *   I3  no query runs in a snapshot of another version than the one it was written for;
 *   I5  the record never names a version that the store has not durably reached;
 *   I6  whoever waits is woken: without a safety tick nobody is left waiting (spin: invalid end state);
 *   no owner puts its record over that of a later one, or takes the socket of another away;
 *   and who copies the log notes no more as copied than it has looked at: a writer may begin the log anew once it is copied whole.
 *
 * Switches:
 *   OWNERS, OLD   how many owners, and how many of them are of the old release
 *   KILLS, FAILS  how many owners are killed, how many migrations fail
 *   WANTED        what readers want: 1 version 1, 2 version 2, 3 one of each
 *   TICK          the safety tick. A reader that is connected to an owner whose lock file was deleted needs it: that owner does not
 *                 know yet that it is superseded, and only the tick takes the reader to the new one
 *   VANDAL        somebody deletes the lock file, once. Without it the steps of a publication are one: nobody can come between
 *   LOSSY         any event may be lost
 *   FAIR          asks whether the one who waits comes to an end
 * Planted faults: JUDGE_FIRST, PUBLISH_FIRST, CHECK_OUTSIDE, NO_EPOCH, NO_SWEEP (a new owner leaves the temporary files of the one before),
 * LOOK_FIRST (the socket is removed after the look, without SQLite's write lock), COPY_BESIDE (the log is copied beside a writer, as SQLite
 * does where it cannot have the write lock).
 */
#ifndef OWNERS
#define OWNERS 3
#endif
#ifndef WANTED
#define WANTED 2
#endif
#ifndef FAILS
#define FAILS 0
#endif
#ifndef OLD
#define OLD 1
#endif
#ifndef KILLS
#define KILLS (OWNERS - OLD - 1)
#endif
#define NOBODY 15

mtype:record = { opening_, migrating_, ready_, failed_, closed_ };

/* The store. */
byte version = 1;      /* of a snapshot that is taken now */
byte durable = 1;      /* that no power cut takes back */
byte epoch = 0;
byte writing = NOBODY; /* who has SQLite's write lock */
bool inDoubt = false;  /* the commit mark is written and not yet synced */
bit log = 0;           /* the log, which the first commit after a whole copy begins anew */
bool copied = true;    /* whether it is copied whole */

/* The record. */
mtype:record recordState = closed_;
byte recordVersion = 1;
byte recordEpoch = 0;

/* The lock file: `path` is the inode at its path. The kernel frees a lock when its holder dies. */
byte path = 0;
byte holder[2] = NOBODY;

/* Whose temporary file of a record or a socket lies in the folder. */
bool prepared[OWNERS];

/* Whose listener stands at the socket's path, and who has it still open. */
byte socket = NOBODY;
bool listens[OWNERS];

/* What wakes the readers of each version: a connection to an owner, else a watch on the folder. */
byte connection[2] = NOBODY;
bool watches[2];
bool event[2];

#ifdef FAIR
/* The one who waits comes to an end, though any event may be lost: with -f, since the scheduler forgets nobody for ever. */
bool hasEnded = false;
ltl comesToAnEnd { <> hasEnded }
#define ENDED hasEnded = true
#else
#define ENDED true
#endif

byte kills = KILLS;
byte fails = FAILS;
byte ends = OWNERS - OLD - 1; /* new owners that may still leave, dead or alive: the last stays */

#ifdef LOSSY
#define RING(r) if :: event[r] = true :: true fi
#else
#define RING(r) event[r] = true
#endif

/* Something was renamed within the folder. */
#define NOTICED \
    if :: watches[0] -> RING(0) :: else fi; \
    if :: watches[1] -> RING(1) :: else fi

/* A line, or the end, for everyone who is connected to this owner. */
#define BROADCAST \
    if :: connection[0] == me -> RING(0) :: else fi; \
    if :: connection[1] == me -> RING(1) :: else fi

#ifdef VANDAL
#define STEPS
#else
#define STEPS atomic
#endif

/* What is under a temporary name now is renamed, where the lock file still stands at the path when it is looked at, and where the
 * temporary file still is there: who takes the lock removes those of the owners before. */
#define RENAME(over) \
    STEPS { \
        prepared[me] = true; \
        if \
        :: inode == path -> \
            if \
            :: atomic { prepared[me] -> prepared[me] = false; over; NOTICED } \
            :: !prepared[me] \
            fi \
        :: else -> prepared[me] = false \
        fi \
    }

#define PUBLISH(what, number) \
    RENAME( \
        assert(number <= durable); /* I5 */ \
        assert(recordEpoch <= mine); \
        recordState = what; recordVersion = number; recordEpoch = mine)

/* A commit writes to the log, or begins it anew. */
#define LOGGED log = log ^ copied; copied = false

/* The socket goes where nobody can take over: who does commits an epoch first. */
#ifdef NO_SWEEP
#define MINE true /* what is planted shows at the record */
#else
#define MINE assert(socket == me || socket == NOBODY)
#endif
#ifdef LOOK_FIRST
#define REMOVE_SOCKET \
    if \
    :: atomic { epoch == mine && inode == path -> true }; \
        atomic { MINE; socket = NOBODY; NOTICED } \
    :: else \
    fi
#else
#define REMOVE_SOCKET \
    atomic { writing == NOBODY -> writing = me }; \
    if \
    :: atomic { epoch == mine && inode == path -> true }; \
        atomic { MINE; socket = NOBODY; NOTICED } \
    :: else \
    fi; \
    writing = NOBODY
#endif

/* Under SQLite's write lock from before the look until the note, or not at all. */
#define COPY_LOG \
    if \
    :: atomic { writing == NOBODY -> writing = me; seenLog = log }; \
        atomic { assert(seenLog == log); copied = true; writing = NOBODY } \
    :: atomic { writing != NOBODY -> seenLog = log }; \
        BESIDE \
    fi
#ifdef COPY_BESIDE
#define BESIDE atomic { assert(seenLog == log); copied = true }
#else
#define BESIDE true
#endif

/* Killed here, or not. */
#define DIES if :: atomic { kills > 0 && ends > 0 && me >= OLD -> kills--; ends--; goto killed } :: true fi

proctype Owner(byte me; byte target) {
    byte inode, mine, seen;
    bit seenLog;

looking: /* through a connection that cannot write */
    if
    :: version > target -> goto refused
    :: else
    fi;

locking:
    inode = path;
    if
    :: atomic { holder[inode] == NOBODY && inode == path -> holder[inode] = me }
    :: atomic { holder[inode] == NOBODY && inode != path -> goto locking } /* taken, looked at, given up */
    :: holder[inode] != NOBODY ->
end_waiting:
        if
        :: holder[inode] == NOBODY || inode != path -> goto locking
        fi
    fi;

#ifndef NO_SWEEP
    atomic {
        seen = 0;
        do
        :: seen < OWNERS -> prepared[seen] = false; seen++
        :: else -> break
        od
    };
#endif

claiming: /* BEGIN IMMEDIATE, judged again, the epoch raised, COMMIT with synchronous=FULL */
    DIES;
    atomic { writing == NOBODY -> writing = me; seen = version };
    DIES;
    atomic {
        writing = NOBODY;
        if
        :: seen > target -> holder[inode] = NOBODY; goto refused
        :: else
        fi;
        epoch++;
        LOGGED;
        mine = epoch;
        durable = version /* what was recovered of a killed predecessor is durable with it */
    };

opening:
    DIES;
    RENAME(socket = me; listens[me] = true);
    PUBLISH(opening_, seen);
    DIES;
    if
    :: seen == target -> goto publishing
    :: else
    fi;

migrating:
    PUBLISH(migrating_, seen);
    atomic { BROADCAST };
    DIES;
    atomic { writing == NOBODY -> writing = me };
#ifndef NO_EPOCH
    if
    :: atomic { epoch != mine -> writing = NOBODY; goto fenced }
    :: else
    fi;
#endif
    if
    :: atomic { fails > 0 && ends > 0 && me >= OLD -> fails--; ends--; writing = NOBODY; goto failed }
    :: true
    fi;
#ifdef PUBLISH_FIRST
    PUBLISH(ready_, target);
#endif
    inDoubt = true;
    DIES;
    atomic {
        assert(epoch == mine); /* I1 */
        version = target; durable = target; seen = target;
        LOGGED;
        inDoubt = false; writing = NOBODY
    };
    DIES;

publishing:
    PUBLISH(ready_, seen);
    DIES;
    atomic { BROADCAST };
    COPY_LOG;
end_serving: /* the old release is replaced in the end, the new one may leave as long as another follows */
    if
    :: me < OLD
    :: atomic { me >= OLD && ends > 0 -> ends-- }
    :: atomic { me >= OLD && ends > 0 && kills > 0 -> ends--; kills--; goto killed }
    fi;

closed: /* the socket goes, the log is copied */
    REMOVE_SOCKET;
    COPY_LOG;
    PUBLISH(closed_, seen);
    goto leaving;

failed:
    PUBLISH(failed_, seen);
    atomic { BROADCAST };
    REMOVE_SOCKET;

fenced:
leaving: /* whoever is connected reads the end, then the lock goes */
    atomic { BROADCAST; listens[me] = false };
    holder[inode] = NOBODY;
    goto over;

killed: /* the kernel frees the locks and ends the connections; what was being committed is found whole or not at all */
    atomic {
        if
        :: holder[inode] == me -> holder[inode] = NOBODY
        :: else
        fi;
        if
        :: writing == me ->
            writing = NOBODY;
            if
            :: inDoubt -> inDoubt = false; version = target; LOGGED
            :: inDoubt = false
            fi
        :: else
        fi;
        BROADCAST;
        listens[me] = false
    };

refused:
over:
    atomic { inode = 0; mine = 0; seen = 0; seenLog = 0 }
}

#define JUDGE \
    atomic { recordSaysFailed = (recordState == failed_); recordSays = recordVersion }; \
    found = version

/* Reads version `wanted`, as often as it likes, and waits for it. */
proctype Reader(byte me; byte wanted) {
    bool recordSaysFailed;
    byte recordSays, found, snapshot;

subscribing:
#ifdef JUDGE_FIRST
    JUDGE;
#endif
    if
    :: connection[me] != NOBODY && listens[connection[me]]
    :: else ->
        atomic { connection[me] = NOBODY };
        if
        :: atomic { socket != NOBODY && listens[socket] -> connection[me] = socket; watches[me] = false }
        :: watches[me] = true /* nobody listens, or who listens does not answer */
        fi
    fi;

judging:
#ifndef JUDGE_FIRST
    JUDGE;
#endif
    if
    :: found > wanted -> goto refused
    :: found == wanted -> goto ready
    :: found < wanted && recordSaysFailed && recordSays == found -> goto refused
    :: else
    fi;

waiting: /* no transaction is held */
    if
    :: atomic { event[me] -> event[me] = false }
#ifdef TICK
    :: true
#endif
    fi;
    goto subscribing;

ready:
    ENDED;
entering:
#ifdef CHECK_OUTSIDE
    found = version;
    snapshot = version;
#else
    snapshot = version; /* BEGIN; the generation is the first that it reads */
    found = snapshot;
#endif
reading:
    if
    :: found == wanted -> assert(snapshot == wanted) /* I3 */
    :: else -> goto judging
    fi;
    if
    :: goto ready
    :: goto over
    fi;

refused:
    ENDED;
over:
    atomic { watches[me] = false; connection[me] = NOBODY; event[me] = false; recordSaysFailed = false; recordSays = 0; found = 0; snapshot = 0 }
}

#ifdef VANDAL
proctype Vandal() {
    path = 1 /* the file is deleted; whoever opens it next makes another */
}
#endif

init {
    byte number = 0;
    atomic {
        do
        :: number < OWNERS -> run Owner(number, (number < OLD -> 1 : 2)); number++
        :: else -> break
        od;
        number = 0;
#if WANTED & 1
        run Reader(0, 1);
#endif
#if WANTED & 2
        run Reader(1, 2);
#endif
#ifdef VANDAL
        run Vandal()
#endif
    }
}
