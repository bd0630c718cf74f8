/*
 * The turnstile and the gate before an exclusive stage, for spin. Names are those of Gate and Draining.
 *
 * A reader passes the turnstile and holds the gate, shared, for one transaction. The owner publishes that it works exclusively,
 * takes the turnstile, which stops newcomers, then the gate, which waits for those inside; afterwards it publishes that it is over
 * and opens. Passing the turnstile takes microseconds and is one step here. A reader that found the gate shut for too long goes on
 * without it, unless the record says that an owner works exclusively.
 *
 * What must hold:
 *   nobody reads in the exclusive stage;
 *   the owner gets the gate however the readers overlap (ltl, with weak fairness: -a -f).
 *
 * Planted faults: NO_TURNSTILE (an exclusive lock behind overlapping shared ones starves), GATE_FIRST (shuts before the record says so).
 */
#define READERS 3

byte inside = 0;        /* shared locks on the gate */
bool turnstile = false; /* the owner's lock on it */
bool gate = false;      /* the owner's lock on it */
bool exclusive = false; /* STORE_EXCLUSIVE in the record */
bool works = false;     /* the exclusive stage runs */
byte reading = 0;       /* transactions that are open */
bool asks = false;

ltl isServed { [] (asks -> <> works) }

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
        atomic { reading++; assert(!works) };
        atomic { reading--; inside-- };
        goto end_reading;
without:
        reading++;
        assert(!works);
        reading--
    od
}

active proctype Owner() {
    asks = true;
#ifndef GATE_FIRST
    exclusive = true;
#endif
#ifndef NO_TURNSTILE
    turnstile = true;
#endif
    atomic { inside == 0 -> gate = true };
#ifdef GATE_FIRST
    exclusive = true;
#endif
    atomic { reading == 0 -> works = true }; /* the kernel's table of locks: those who do not know the gate */
    atomic { works = false; asks = false };
    exclusive = false;
    gate = false;
    turnstile = false
}
