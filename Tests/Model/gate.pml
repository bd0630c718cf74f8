/*
 * The turnstile and the gate before an exclusive stage, for spin. Names are those of Gate, OwnReaders and Draining.
 *
 * A reader passes the turnstile and holds the gate, shared, for one transaction. The owner publishes that it works exclusively,
 * takes the turnstile, which stops newcomers, then the gate, which waits for those inside; afterwards it publishes that it is over
 * and opens. Passing the turnstile takes microseconds and is one step here. A reader that found the gate shut for too long goes on
 * without it, unless the record says that an owner works exclusively.
 *
 * Readers in the owner's own process (OwnReader) are counted instead. Who waits sleeps until it is woken: the owner for the last of them
 * inside, they for newcomers to be let in; looking and falling asleep is one step, as under the mutex of a condition variable. A deadline
 * passes only where it does in truth, so that it mends no lost wake-up.
 *
 * What must hold:
 *   nobody reads in the exclusive stage;
 *   the owner gets the gate however the readers overlap, and nobody sleeps when newcomers are let in (ltl, with weak fairness: -a -f).
 *
 * Planted faults: NO_TURNSTILE (an exclusive lock behind overlapping shared ones starves), GATE_FIRST (shuts before the record says so),
 * LOOK_FIRST (one of the own readers looks whether newcomers are stopped, and is counted afterwards), WAKE_FIRST (it asks whether somebody
 * waits before it has left), LOOK_ONCE (who goes on without the gate looks for an exclusive stage before it has a snapshot), UNCOUNTED (it goes on without the gate and is not counted), OPEN_QUIETLY (nobody is woken by newcomers being
 * let in).
 */
#ifndef READERS
#define READERS 2
#endif
#define OWN 2

byte inside = 0;        /* shared locks on the gate */
bool turnstile = false; /* the owner's lock on it */
bool gate = false;      /* the owner's lock on it */
bool exclusive = false; /* STORE_EXCLUSIVE in the record */
bool works = false;     /* the exclusive stage runs */
byte transactions = 0;  /* transactions that are open */
bool asks = false;

byte ownInside = 0;       /* OwnReaders.inside */
byte shutters = 0;        /* OwnReaders.shutters */
bool ownerSleeps = false;
bool sleeps[OWN];

ltl isServed { [] ((asks -> <> works) && (sleeps[0] -> <> !sleeps[0]) && (sleeps[1] -> <> !sleeps[1])) }

active [READERS] proctype Reader() {
end_reading:
    do
    ::
#ifdef NO_TURNSTILE
        atomic { !gate -> inside++ };
#else
        if
        :: atomic { !turnstile && !gate -> inside++ }
        :: atomic { turnstile || gate -> true }; /* 250 ms went by before it was open */
            if
            :: !exclusive -> goto without
            :: else -> goto end_reading
            fi
        fi;
#endif
        atomic { transactions++; assert(!works) };
        atomic { transactions--; inside-- };
        goto end_reading;
without: /* once more with a snapshot in the hand, which the kernel's table of locks tells */
        transactions++;
#ifndef LOOK_ONCE
        if
        :: exclusive -> transactions--; goto end_reading
        :: else
        fi;
#endif
        assert(!works);
        transactions--
    od
}

#ifdef WAKE_FIRST
#define LEAVE \
    wakes = (shutters > 0); \
    atomic { ownInside--; wakes = (wakes && ownInside == 0) }; \
    if :: wakes -> ownerSleeps = false :: else fi
#else
#define LEAVE \
    atomic { ownInside--; wakes = (ownInside == 0) }; \
    if :: wakes && shutters > 0 -> ownerSleeps = false :: else fi
#endif

proctype OwnReader(byte me) {
    bool wakes = false;

end_ready: /* and may read no more */
    if
    :: goto entering
    :: goto over
    fi;

entering:
#ifdef LOOK_FIRST
    if
    :: shutters > 0 -> goto waiting
    :: else -> ownInside++
    fi;
#else
    ownInside++;
    if
    :: shutters > 0 -> LEAVE; goto waiting
    :: else
    fi;
#endif

reading:
    assert(!works);
    LEAVE;
    goto end_ready;

waiting:
    if
    :: atomic { shutters == 0 -> goto entering }
    :: atomic { shutters > 0 -> sleeps[me] = true }
    fi;
    if
    :: !sleeps[me] -> goto entering
    :: atomic { sleeps[me] && shutters > 0 -> sleeps[me] = false } /* 250 ms went by */
    fi;
    if
    :: exclusive -> goto waiting
    :: else
    fi;
#ifdef UNCOUNTED
    assert(!works);
    goto end_ready;
#else
    ownInside++; /* enterUnasked */
    if
    :: exclusive -> LEAVE; goto waiting
    :: else -> goto reading
    fi;
#endif

over:
    wakes = false
}

init {
    atomic { run OwnReader(0); run OwnReader(1) }
}

#ifdef OPEN_QUIETLY
#define LET_IN shutters--
#else
#define LET_IN shutters--; atomic { sleeps[0] = false; sleeps[1] = false }
#endif

active proctype Owner() {
    /* drainWhenLong, for the log: it does not say so, and gives up after a while. */
    shutters++;
#ifndef NO_TURNSTILE
    turnstile = true;
#endif
    if
    :: atomic { inside == 0 && ownInside == 0 -> true }
    :: true
    fi;
    turnstile = false;
    LET_IN;

    asks = true;
#ifndef GATE_FIRST
    exclusive = true;
#endif
    shutters++; /* stopNewcomers */
#ifndef NO_TURNSTILE
    turnstile = true;
#endif
    atomic { inside == 0 -> gate = true };
    do /* waitUntilOut */
    :: atomic { ownInside == 0 -> break }
    :: atomic { ownInside > 0 -> ownerSleeps = true };
        !ownerSleeps
    od;
#ifdef GATE_FIRST
    exclusive = true;
#endif
    atomic { transactions == 0 -> works = true }; /* the kernel's table of locks: those who do not know the gate */
    atomic { works = false; asks = false };
    exclusive = false;
    gate = false;
    turnstile = false;
    LET_IN
}
