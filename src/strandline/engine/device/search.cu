// The kernels of a search on a device; see layout.py for `plan` and `tally`, and tests/support/fake_device.py for the
// reference in plain Python.
//
// Compiled for one width of states. Given as macros: WORDS of a state, STRIDE of a record, CAPACITY in records, and
// 0 or 1 for MEASURED (records have a column and a layer), DIRECT (the table holds the states themselves), CARRIES
// (every state carries the number of a crossing, or a link to its source), WIDE_KEYS (a mark has 64 bits). The structs of
// the plan and of the tally are written by layout.py.
//
// States lie in a log, in the order of discovery: the place of a state is its number in the log modulo the length of the
// log. A slot of the hash table has 64 bits: a one-word state with its top bit set, or 24 bits of the hash, a bit that is
// set while the state is being written, and its place + 1.

extern "C" {
__constant__ Plan plan;
__device__ Tally tally;
}

extern "C" __device__ i64 successors(const u64 *state, u64 *records, i64 capacity, u64 *labels);

#define NONE (~0ULL)
#define TAKEN (1ULL << 63)
#define BUSY (1ULL << 39)
#define PLACE (BUSY - 1)
#define LANE (threadIdx.x & 31)

#if WIDE_KEYS
typedef u64 Mark;
#else
typedef unsigned Mark;
#endif
#define EXPANDED 1
#define PERSISTENT 2
#define DEFERRED 4
#define FLAG_BITS 3

#if WORDS <= 4
#define OVER_WORDS _Pragma("unroll")
#define ONCE __forceinline__
#else
#define OVER_WORDS _Pragma("unroll 1")
#define ONCE __noinline__
#endif

// Read a word that other threads write, not a value kept in a register.
__device__ __forceinline__ u64 load(const u64 *address) { return *(const volatile u64 *)address; }

__device__ __forceinline__ u64 now()
{
    u64 nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    return nanoseconds;
}

__device__ __forceinline__ u64 mix(u64 word)
{
    word ^= word >> 32;
    word *= 0xD6E8FEB86659FD93ULL;
    word ^= word >> 29;
    word *= 0x9E3779B97F4A7C15ULL;
    return word ^ word >> 32;
}

__device__ __forceinline__ u64 hash_of(const u64 *state)
{
    if (WORDS == 1)
        return mix(state[0]);
    u64 value = WORDS;
    OVER_WORDS for (int word = 0; word < WORDS; word++) {
        value = (value ^ state[word]) * 0xD6E8FEB86659FD93ULL;
        value ^= value >> 32;
    }
    return mix(value);
}

__device__ __forceinline__ bool same(const u64 *stored, const u64 *state)
{
    bool equal = true;
    OVER_WORDS for (int word = 0; word < WORDS; word++)
        equal = equal && __ldcg(stored + word) == state[word];
    return equal;
}

__device__ __forceinline__ void copy(u64 *to, const u64 *from)
{
    OVER_WORDS for (int word = 0; word < WORDS; word++)
        to[word] = __ldcg(from + word);
}

// --- the log and the table -------------------------------------------------------------------------------------------

__device__ __forceinline__ u64 place_of(u64 number)
{
    u64 place = number - plan.turn;
    return place >= plan.places ? place - plan.places : place;
}

__device__ __forceinline__ u64 *state_at(u64 place) { return (u64 *)plan.states + place * WORDS; }

__device__ __forceinline__ Mark *mark_at(u64 place) { return (Mark *)plan.marks + place; }

// Claim numbers from a counter, one for each thread of the warp with `wanted`; NONE for the others if no thread wants one.
// All threads of the warp must call this. One fetch-and-add serves the whole warp.
__device__ __forceinline__ u64 claim_numbers(u64 *counter, bool wanted)
{
    unsigned group = __ballot_sync(~0u, wanted);
    if (group == 0)
        return NONE;
    int leader = __ffs(group) - 1;
    u64 first = 0;
    if (LANE == leader)
        first = atomicAdd(counter, (u64)__popc(group));
    first = __shfl_sync(~0u, first, leader);
    return first + __popc(group & ((1u << LANE) - 1));
}

__device__ __forceinline__ u64 first_slot(u64 hash) { return __umul64hi(hash, plan.slots); }

__device__ __forceinline__ u64 next_slot(u64 slot) { return slot + 1 == plan.slots ? 0 : slot + 1; }

#define KNOWN 0
#define NEW 1
#define BLOCKED 2

// Probe the table from a slot on. Returns KNOWN if the state is found, NEW if an empty slot was claimed for it by
// compare-and-swap, BLOCKED at a slot that another thread has claimed, perhaps for the same state, and not filled yet.
__device__ __forceinline__ int probe(const u64 *state, u64 hash, u64 *slot)
{
    u64 *table = (u64 *)plan.table;
    while (true) {
#if DIRECT
        u64 entry = state[0] | TAKEN, there = table[*slot];
        if (there == 0)
            there = atomicCAS(table + *slot, 0ULL, entry);
        if (there == 0)
            return NEW;
        if (there == entry)
            return KNOWN;
#else
        u64 tag = hash << 40, there = load(table + *slot);
        if (there == 0)
            there = atomicCAS(table + *slot, 0ULL, tag | BUSY);
        if (there == 0)
            return NEW;
        if (there >> 40 == tag >> 40) {
            if (there & BUSY)
                return BLOCKED;
            if (same(state_at((there & PLACE) - 1), state))
                return KNOWN;
        }
#endif
        *slot = next_slot(*slot);
    }
}

// Store the state of each thread with `wanted` unless it is stored already; return its number in the log, or NONE. All
// threads of a warp must call this, and claim numbers together: a thread that waited for another one of its warp would
// wait for ever, and the counter that all threads share is the bottleneck.
__device__ ONCE u64 store_state(bool wanted, const u64 *state)
{
    u64 hash = 0, slot = 0, stored = NONE;
    if (wanted) {
        hash = hash_of(state);
        slot = first_slot(hash);
    }
    while (__any_sync(~0u, wanted)) {
        int outcome = wanted ? probe(state, hash, &slot) : KNOWN;
        __syncwarp();
        u64 number = claim_numbers(&tally.head, outcome == NEW);
        if (outcome == NEW) {
            u64 place = place_of(number), *target = state_at(place);
            OVER_WORDS for (int word = 0; word < WORDS; word++)
                target[word] = state[word];
#if !DIRECT
            __threadfence();
            atomicExch((u64 *)plan.table + slot, hash << 40 | (place + 1));
#endif
            stored = number;
        }
        wanted = outcome == BLOCKED;
    }
    return stored;
}

// Insert a state of the log, which is not in the table, into the table.
__device__ void insert_from_log(u64 place)
{
    u64 state[WORDS], *table = (u64 *)plan.table;
    copy(state, state_at(place));
    u64 hash = hash_of(state), slot = first_slot(hash);
#if DIRECT
    u64 entry = state[0] | TAKEN;
#else
    u64 entry = hash << 40 | (place + 1);
#endif
    while (table[slot] != 0 || atomicCAS(table + slot, 0ULL, entry) != 0)
        slot = next_slot(slot);
}

// --- one state -------------------------------------------------------------------------------------------------------

struct Sums { unsigned expanded, transitions, deadlocks, regress; };

// Queue a state that could not be expanded, and stop the round for this reason.
__device__ void repeat_later(u64 number, u64 why)
{
    ((u64 *)plan.again)[atomicAdd(&tally.again_count, 1ULL)] = number;
    atomicMax(&tally.stop, why);
}

// Report a state; of several, the first one in the log is kept.
__device__ void report(u64 *first, u64 number)
{
    atomicMin(first, number);
    tally.reported = 1;
}

__device__ void report_labels(u64 number, u64 labels)
{
    for (labels &= plan.stop_mask; labels; labels &= labels - 1)
        report(&tally.found[__ffsll(labels) - 1], number);
}

#if MEASURED
__device__ __forceinline__ u64 key_of(const u64 *record)
{
    return (record[WORDS] - plan.first_column) * plan.layers + (record[WORDS + 1] - plan.first_layer);
}

#if CARRIES
__device__ u64 add_crossing(const u64 *source, const u64 *target, u64 carried)
{
    u64 number = atomicAdd(&tally.crossings, 1ULL), *entry = (u64 *)plan.crossed + number * (2 * WORDS + 1);
    OVER_WORDS for (int word = 0; word < WORDS; word++) {
        entry[word] = source[word];
        entry[WORDS + word] = target[word];
    }
    entry[2 * WORDS] = carried;
    return number + 1;
}
#endif

// Store the successor of a state with this key, ahead of the line or, after a regress edge, as a persistent state. All
// threads of a warp must call this.
__device__ __forceinline__ void place_successor(bool wanted, u64 number, u64 key, const u64 *source, const u64 *record, Sums *sums)
{
    u64 target = wanted ? key_of(record) : 0;
    bool behind = wanted && target < key;
    wanted = wanted && target <= plan.last && !(behind && plan.forward);
    if (behind && wanted) {
        if (target / plan.layers != key / plan.layers) {
            report(&tally.falling, number);
            wanted = false;
        }
        sums->regress++;
    }
    u64 stored = store_state(wanted, record);
    if (stored == NONE)
        return;
    u64 place = place_of(stored);
    *mark_at(place) = (Mark)(target << FLAG_BITS | (behind ? PERSISTENT | DEFERRED : 0));
    if (behind)
        atomicAdd(&tally.deferred, 1ULL);
#if CARRIES
    u64 carried = plan.linked ? number + 1 : ((u64 *)plan.carried)[place_of(number)];
    if (!plan.linked && (plan.middle == NONE ? behind : key < plan.middle && target >= plan.middle))
        carried = add_crossing(source, record, carried);
    ((u64 *)plan.carried)[place] = carried;
#endif
    if (plan.hunted && same((u64 *)plan.hunted, record))
        report(&tally.hit, stored);
}
#endif

// Compute the successors of a state into `records`, and count it; return their number, or 0 if it is not expanded now.
__device__ __forceinline__ int compute_successors(u64 number, u64 *state, u64 *key, u64 *records, Sums *sums)
{
    u64 labels = 0, place = place_of(number);
#if MEASURED
    Mark mark = __ldcg(mark_at(place));
    if (mark & (EXPANDED | DEFERRED))
        return 0;
    *key = mark >> FLAG_BITS;
#endif
    copy(state, state_at(place));
    i64 count = successors(state, records, CAPACITY, &labels);
    if (count < 0) {
        report(&tally.fault, number);
        return 0;
    }
    if (count > CAPACITY) {
        atomicMax(&tally.wanted, (u64)count);
        repeat_later(number, STOP_CAPACITY);
        return 0;
    }
#if MEASURED
    if (plan.strict)
        for (int step = 0; step < count; step++)
            if (key_of(records + step * STRIDE) == *key) {
                repeat_later(number, STOP_STRICT);
                return 0;
            }
    *mark_at(place) = mark | EXPANDED;
#endif
    if (labels & plan.stop_mask)
        report_labels(number, labels);
    sums->expanded++;
    sums->transitions += count;
    sums->deadlocks += labels >> 63;
    return (int)count;
}

// Expand the state of each thread with `active`. All threads of a warp must call this.
__device__ __forceinline__ void expand(bool active, u64 number, Sums *sums)
{
    u64 state[WORDS], records[(CAPACITY + 1) * STRIDE], key = 0;
    int count = active ? compute_successors(number, state, &key, records, sums) : 0;
    __syncwarp();
    int most = __reduce_max_sync(~0u, count);
#pragma unroll 1
    for (int step = 0; step < most; step++)
#if MEASURED
        place_successor(step < count, number, key, state, records + step * STRIDE, sums);
#else
        store_state(step < count, records + step * STRIDE);
#endif
}

// --- rounds ----------------------------------------------------------------------------------------------------------

struct Round { u64 start, to, grain, over; };

__device__ bool is_full() { return load(&tally.head) >= plan.most || load(&tally.crossings) >= plan.most_crossings; }

// Begin a round. The states of a small one are divided among the warps; those of a large one are claimed in batches.
__device__ void begin_round(u64 start, u64 to)
{
    u64 warps = (u64)gridDim.x * (THREADS / 32), grain = (to - start + warps - 1) / warps;
    tally.start = tally.cursor = start;
    tally.to = to;
    tally.grain = grain <= 32 ? grain : 32 * plan.batch;
}

// End a round that is over or was stopped, and begin the next one if nothing prevents it. One thread does this while all
// others wait at the barrier.
__device__ void finish_round(u64 began)
{
    u64 to = load(&tally.to), head = load(&tally.head), rounds = load(&tally.rounds), cursor = load(&tally.cursor);
    u64 grain = load(&tally.grain), stop = load(&tally.stop), reported = load(&tally.reported);
    bool no_room = is_full();
    if (grain <= 32 || cursor > to)
        tally.cursor = to;
    tally.over = 1;
    if (stop)
        return;
    ((u64 *)plan.ends)[rounds++] = to;
    tally.rounds = rounds;
    bool continues = head > to && head - to <= plan.most_in_round && rounds < plan.most_rounds && !plan.listed;
    if (continues && !no_room && !reported && now() - began <= plan.nanoseconds) {
        begin_round(to, head);
        tally.over = 0;
    }
}

// A barrier of all threads; the last thread to arrive ends the round.
__device__ void wait_at_barrier(u64 began, Round *round)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        u64 before = load(&tally.barriers);
        if (atomicAdd(&tally.arrived, 1ULL) == gridDim.x - 1) {
            __threadfence();
            finish_round(began);
            tally.arrived = 0;
            __threadfence();
            atomicAdd(&tally.barriers, 1ULL);
        } else
            while (load(&tally.barriers) == before)
                __nanosleep(20);
        __threadfence();
        *round = {load(&tally.start), load(&tally.to), load(&tally.grain), load(&tally.over)};
    }
    __syncthreads();
}

// Claim a batch of states of a large round for a warp; NONE if none is left or the round must stop.
__device__ u64 claim_states(u64 began, const Round *round)
{
    u64 next = NONE;
    if (LANE == 0) {
        u64 stop = load(&tally.stop), cursor = load(&tally.cursor);
        bool no_room = is_full();
        if (stop == 0 && cursor < round->to) {
            if (no_room)
                atomicMax(&tally.stop, (u64)STOP_FULL);
            else if (now() - began > plan.nanoseconds)
                atomicMax(&tally.stop, (u64)STOP_TIME);
            else
                next = atomicAdd(&tally.cursor, round->grain);
        }
    }
    return __shfl_sync(~0u, next, 0);
}

__device__ __forceinline__ void expand_some(u64 from, u64 count, const Round *round, Sums *sums)
{
    for (u64 done = 0; done < count && from + done < round->to; done += 32) {
        u64 at = from + done + LANE;
        bool active = done + LANE < count && at < round->to;
        expand(active, active && plan.listed ? ((u64 *)plan.listed)[at] : at, sums);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) rounds()
{
    __shared__ Round round;
    u64 began = now(), warp = blockIdx.x * (u64)(THREADS / 32) + threadIdx.x / 32, from;
    Sums sums = {0, 0, 0, 0};
    if (threadIdx.x == 0)
        round = {load(&tally.start), load(&tally.to), load(&tally.grain), 0};
    __syncthreads();
    while (!round.over) {
        if (round.grain <= 32)
            expand_some(round.start + warp * round.grain, round.grain, &round, &sums);
        else
            while ((from = claim_states(began, &round)) != NONE)
                expand_some(from, round.grain, &round, &sums);
        wait_at_barrier(began, &round);
    }
    u64 *totals = &tally.expanded, own[4] = {sums.expanded, sums.transitions, sums.deadlocks, sums.regress};
    for (int which = 0; which < 4; which++) {
        for (int offset = 16; offset; offset >>= 1)
            own[which] += __shfl_xor_sync(~0u, own[which], offset);
        if (LANE == 0 && own[which])
            atomicAdd(totals + which, own[which]);
    }
}

// --- over a part of the log ------------------------------------------------------------------------------------------

#define EACH(number) \
    u64 number = plan.from + blockIdx.x * (u64)THREADS + threadIdx.x; number < plan.until; number += (u64)gridDim.x * THREADS
#define EACH_TOGETHER(base) \
    u64 base = plan.from + (blockIdx.x * (u64)THREADS + threadIdx.x & ~31ULL); base < plan.until; \
    base += (u64)gridDim.x * THREADS

// Store the initial states, which are rows of a state and its key.
extern "C" __global__ void __launch_bounds__(THREADS) seed()
{
    for (EACH_TOGETHER(base)) {
        bool given = base + LANE < plan.until;
        const u64 *row = (u64 *)plan.listed + (given ? base + LANE : base) * (WORDS + 1);
        u64 number = store_state(given, row);
        if (number == NONE)
            continue;
#if MEASURED
        u64 place = place_of(number);
        *mark_at(place) = (Mark)(row[WORDS] << FLAG_BITS);
#if CARRIES
        ((u64 *)plan.carried)[place] = 0;
#endif
        if (plan.hunted && same((u64 *)plan.hunted, row))
            report(&tally.hit, number);
#endif
    }
}

// Find the first state with a step to the hunted one.
extern "C" __global__ void __launch_bounds__(THREADS) scan()
{
    u64 state[WORDS], records[(CAPACITY + 1) * STRIDE], labels;
    for (EACH(number)) {
        copy(state, state_at(place_of(number)));
        i64 count = successors(state, records, CAPACITY, &labels);
        if (count > CAPACITY)
            atomicMax(&tally.wanted, (u64)count);
        for (int step = 0; step < count && step < CAPACITY; step++)
            if (same((u64 *)plan.hunted, records + step * STRIDE))
                atomicMin(&tally.hit, number);
    }
}

#if MEASURED
__device__ __forceinline__ bool is_live(Mark mark)
{
    u64 key = mark >> FLAG_BITS;
    return !(mark & EXPANDED) || key >= plan.bound || (mark & PERSISTENT && key >= plan.column_bound);
}

// Return true if a live state belongs in the table: all but the states with the key `skipped` that are not persistent.
__device__ __forceinline__ bool belongs_in_table(Mark mark) { return mark >> FLAG_BITS != plan.skipped || mark & PERSISTENT; }

// Compute the number of unexpanded states of this sweep, their least and greatest keys, and the first of them.
extern "C" __global__ void __launch_bounds__(THREADS) survey()
{
    u64 count = 0, least = NONE, greatest = 0, first = NONE;
    for (EACH(number)) {
        Mark mark = *mark_at(place_of(number));
        if (mark & (EXPANDED | DEFERRED))
            continue;
        u64 key = mark >> FLAG_BITS;
        count++;
        least = min(least, key);
        greatest = max(greatest, key);
        first = min(first, number);
    }
    for (int offset = 16; offset; offset >>= 1) {
        count += __shfl_xor_sync(~0u, count, offset);
        least = min(least, __shfl_xor_sync(~0u, least, offset));
        greatest = max(greatest, __shfl_xor_sync(~0u, greatest, offset));
        first = min(first, __shfl_xor_sync(~0u, first, offset));
    }
    if (LANE == 0 && count) {
        atomicAdd(&tally.count, count);
        atomicMin(&tally.least, least);
        atomicMax(&tally.greatest, greatest);
        atomicMin(&tally.first, first);
    }
}

// Compute the number of live states, the first of them, and the number of those that belong in the table.
extern "C" __global__ void __launch_bounds__(THREADS) census()
{
    u64 count = 0, first = NONE, entering = 0;
    for (EACH(number)) {
        Mark mark = *mark_at(place_of(number));
        if (is_live(mark)) {
            count++;
            first = min(first, number);
            entering += belongs_in_table(mark);
        }
    }
    for (int offset = 16; offset; offset >>= 1) {
        count += __shfl_xor_sync(~0u, count, offset);
        entering += __shfl_xor_sync(~0u, entering, offset);
        first = min(first, __shfl_xor_sync(~0u, first, offset));
    }
    if (LANE == 0 && count) {
        atomicAdd(&tally.count, count);
        atomicAdd(&tally.entering, entering);
        atomicMin(&tally.first, first);
    }
}

// List the unexpanded states of this sweep with keys up to the bound, as many as there is room for.
extern "C" __global__ void __launch_bounds__(THREADS) pick()
{
    for (EACH_TOGETHER(base)) {
        u64 number = base + LANE;
        bool picked = number < plan.until;
        if (picked) {
            Mark mark = *mark_at(place_of(number));
            picked = !(mark & (EXPANDED | DEFERRED)) && mark >> FLAG_BITS <= plan.bound;
        }
        u64 position = claim_numbers(&tally.count, picked);
        if (picked && position < plan.room)
            ((u64 *)plan.listed)[position] = number;
    }
}

// Copy the live states of a part of the log to the end of the log.
extern "C" __global__ void __launch_bounds__(THREADS) relocate()
{
    for (EACH_TOGETHER(base)) {
        u64 number = base + LANE, from = number < plan.until ? place_of(number) : 0;
        Mark mark = number < plan.until ? *mark_at(from) : 0;
        bool moved = number < plan.until && is_live(mark);
        u64 to = claim_numbers(&tally.head, moved);
        if (!moved)
            continue;
        to = place_of(to);
        copy(state_at(to), state_at(from));
        *mark_at(to) = mark;
#if CARRIES
        ((u64 *)plan.carried)[to] = ((u64 *)plan.carried)[from];
#endif
    }
}

// Keep a random sample of the unexpanded states: the others are marked as expanded.
extern "C" __global__ void __launch_bounds__(THREADS) thin()
{
    for (EACH(number)) {
        Mark *mark = mark_at(place_of(number));
        if (!(*mark & (EXPANDED | DEFERRED)) && mix(number ^ plan.salt) > plan.kept)
            *mark |= EXPANDED;
    }
}

// Begin the next sweep: unmark the states that were deferred to it.
extern "C" __global__ void __launch_bounds__(THREADS) wake()
{
    for (EACH(number)) {
        Mark *mark = mark_at(place_of(number));
        if (*mark & DEFERRED)
            *mark &= ~(Mark)DEFERRED;
    }
}
#endif

// Insert the live states of the log that belong in the table.
extern "C" __global__ void __launch_bounds__(THREADS) reenter()
{
    u64 count = 0;
    for (EACH(number)) {
        u64 place = place_of(number);
#if MEASURED
        Mark mark = *mark_at(place);
        if (!is_live(mark) || !belongs_in_table(mark))
            continue;
#endif
        insert_from_log(place);
        count++;
    }
    for (int offset = 16; offset; offset >>= 1)
        count += __shfl_xor_sync(~0u, count, offset);
    if (LANE == 0 && count)
        atomicAdd(&tally.count, count);
}
