/**
 * The ring, as recorded threads use it: a thread joins at its first event, takes chunks as it fills them, and leaves at its exit. Records are in records.c,
 * definitions in rec_define.c, labels in rec_labels.c.
 */
#include "recorder/core/ring.h"

#include <errno.h>
#include <stdlib.h>

struct rec_state rec_state;
#define RING (&rec_state.ring)

#if !defined(_WIN32)
__thread REC_NEAR struct rec_thread *rec_self;
#endif

/* Guards the list of threads; taken at a thread's first event, at its exit, and when a recording ends. */
static struct plat_lock list;

/* --- the lists ------------------------------------------------------------------- */

int
ring_make(struct ring *r, uint32_t chunk, uint32_t nslot, bool calm)
{
	size_t slots = (size_t)nslot * sizeof(struct ttc_slot);
	uint8_t *p = r->map.p;

	r->head = (struct ttc_ring *)(void *)p;
	r->slot = (struct ttc_slot *)(void *)(p + TTC_RING_HEAD);
	r->chunk = p + TTC_RING_HEAD + slots;
	r->nslot = nslot;
	r->chunk_size = chunk;
	r->nchunk = (uint32_t)((r->map.n - TTC_RING_HEAD - slots) / chunk);
	r->stack_max = ttc_stack_max(chunk);
	r->value_max = chunk / 8 < RING_TEXT_MAX ? chunk / 8 : RING_TEXT_MAX;
	r->def_max = calm ? r->nchunk - r->nchunk / 4 : r->nchunk / 2;
	r->next_in_list = calloc(r->nchunk, sizeof *r->next_in_list);
	r->owner = calloc(r->nchunk, sizeof *r->owner);
	r->count = calloc(r->nchunk, sizeof *r->count);
	r->def_chunk = calloc(r->nchunk, sizeof *r->def_chunk);
	r->def_end = calloc(r->nchunk, sizeof *r->def_end);
	r->label = calm ? calloc(2 * RING_LABELS, sizeof *r->label) : malloc(2 * RING_LABELS * sizeof *r->label);
	if (!r->next_in_list || !r->owner || !r->count || !r->def_chunk || !r->def_end || !r->label) {
		ring_free(r);
		return -ENOMEM;
	}
	if (!calm)
		memset(r->label, 0, 2 * RING_LABELS * sizeof *r->label);
	atomic_store(&r->free_list, 0);
	atomic_store(&r->nfree, 0);
	atomic_store(&r->sealed_list, 0);
	atomic_store(&r->def_at, 0);
	atomic_store(&r->ndefs_lost, 0);
	atomic_store(&r->nthread, 0);
	atomic_store(&r->nended, 0);
	atomic_store(&r->nevents_without_slot, 0);
	atomic_store(&r->nlabel, 0);
	atomic_store(&r->nlabels_without_key, 0);
	atomic_store(&r->ncut, 0);
	atomic_store(&r->nleft_out, 0);
	for (uint32_t i = r->nchunk; i-- > 0;)
		ring_free_chunk(r, i);
	for (uint32_t i = 0; i < RING_DEF_SPARE; i++)
		ring_more_defs(r, i);
	return 0;
}

void
ring_free(struct ring *r)
{
	free(r->next_in_list);
	free(r->owner);
	free(r->count);
	free(r->def_chunk);
	free(r->def_end);
	free(r->label);
	r->next_in_list = NULL;
	r->owner = NULL;
	r->count = NULL;
	r->def_chunk = NULL;
	r->def_end = NULL;
	r->label = NULL;
}

/* --- chunks of a thread -------------------------------------------------------------- */

/* Pass the present chunk of ${t}, if any, to the writer. */
static void
seal_chunk(struct ring *r, struct rec_thread *t)
{
	uint32_t index = t->chunk - 1, head;

	if (t->chunk == 0)
		return;
	struct ttc_slot *s = &r->slot[t->slot];
	t->before = (uint32_t)(t->p - t->body) - ring_chunk(r, index)->state;
	r->count[index] = (uint32_t)t->events;
	t->made += t->events;
	t->events = 0;
	t->seq++;
	t->chunk = 0;
	atomic_store_explicit(&t->end, NULL, memory_order_relaxed);
	s->events = t->made;
	atomic_store_explicit((_Atomic uint32_t *)(void *)&s->chunk, 0, memory_order_release);
	head = atomic_load_explicit(&r->sealed_list, memory_order_relaxed);
	do
		atomic_store_explicit(&r->next_in_list[index], head, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&r->sealed_list, &head, index + 1, memory_order_release,
	    memory_order_relaxed));
}

/* Begin a chunk: its head, its state, and the first commit. */
static void
begin_chunk(struct ring *r, struct rec_thread *t, uint32_t index, uint64_t ticks)
{
	struct ttc_chunk *c = ring_chunk(r, index);
	struct ttc_slot *s = &r->slot[t->slot];
	uint8_t *body = (uint8_t *)c + TTC_CHUNK_HEAD;
	uint32_t given = t->depth < t->zone_max ? t->depth : t->zone_max;

	atomic_store_explicit(ring_commit(c), 0, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (ticks > t->ticks)
		t->ticks = ticks;
	t->key = t->alloc_key = 0;
	c->magic = TTC_CHUNK_MAGIC;
	c->thread = s->number;
	c->seq = t->seq;
	c->ticks = t->ticks;
	c->dropped = t->dropped;
	c->events = t->made;
	c->first = 0;
	c->before = t->before;
	c->run = r->run32;
	c->state = (uint32_t)ttc_state_put(body, 0, 0, t->depth, given, &t->zone[0].key, sizeof t->zone[0]);
	t->crc = tt_crc32c_long(~0u, (uint8_t *)c + TTC_CRC_FROM, TTC_CHUNK_HEAD - TTC_CRC_FROM + c->state);
	t->body = body;
	t->lift = ((uint64_t)UINT32_MAX << 32) - (uintptr_t)body;
	t->p = body + c->state;
	t->events = 0;
	t->commit = ring_commit(c);
	t->chunk = index + 1;
	r->owner[index] = t->slot;
	atomic_store_explicit(t->commit, c->state | (uint64_t)(uint32_t)~t->crc << 32, memory_order_release);
	atomic_store_explicit((_Atomic uint32_t *)(void *)&s->chunk, index + 1, memory_order_release);
	atomic_store_explicit(&t->end, (uint8_t *)c + r->chunk_size - REC_SMALL - 8, memory_order_relaxed);
}

/* Take a slot in the table of threads. */
static bool
take_slot(struct ring *r, struct rec_thread *t, uint64_t ticks)
{
	uint32_t at = (uint32_t)(t->native >> 6) % r->nslot;

	for (uint32_t i = 0; i < r->nslot; i++, at = at + 1 < r->nslot ? at + 1 : 0) {
		struct ttc_slot *s = &r->slot[at];
		uint32_t want = TTC_S_FREE;
		if (atomic_load_explicit(ring_slot_state(s), memory_order_relaxed) != want ||
		    !atomic_compare_exchange_strong(ring_slot_state(s), &want, TTC_S_TAKEN))
			continue;
		s->number = atomic_fetch_add(&r->nthread, 1) + 1;
		s->native = t->native;
		s->kernel = plat_thread_kernel();
		s->ticks = ticks;
		s->dropped = s->events = 0;
		s->chunk = 0;
		t->slot = at;
		atomic_store_explicit(ring_slot_state(s), TTC_S_LIVE, memory_order_release);
		return true;
	}
	return false;
}

/* Join the recording at a thread's first event in it. */
static bool
join_session(struct rec_thread *t, uint64_t session, uint64_t ticks)
{
	if (t->session != 0) {
		t->made = 0;
		t->depth = 0;
	}
	t->chunk = 0;
	atomic_store_explicit(&t->end, NULL, memory_order_relaxed);
	t->zone_max = RING->stack_max;
	t->session = 0;
	/* If the table is full, retry at every 64th event, as the writer may not have freed the slots of ended threads yet. */
	if (t->made++ % 64 != 0)
		return false;
	if (!take_slot(RING, t, ticks)) {
		plat_wake(PLAT_BELL_WRITER);
		return false;
	}
	t->depth = 0;
	t->seq = t->made = t->dropped = t->events = 0;
	t->before = 0;
	t->ticks = ticks;
	t->pauses = atomic_load_explicit(&rec_state.pauses, memory_order_relaxed);
	t->session = session;
	return true;
}

/* Begin a thread's first chunk after a pause with TTC_RESET, as the zones that it left and entered meanwhile are unknown. */
static void
reset(struct rec_thread *t, uint64_t ticks)
{
	uint8_t *p = rec_time(t, t->p, ticks, TTC_OTHER);

	*p++ = TTC_RESET;
	*p++ = 0;
	t->depth = 0;
	/* As rec_publish(), but the record is not an event of the program, and another record follows. */
	t->crc = tt_crc32c_run(t->crc, t->p, (size_t)(p - t->p));
	t->p = p;
	atomic_store_explicit(t->commit, (uint64_t)(p - t->body) | (uint64_t)(uint32_t)~t->crc << 32, memory_order_release);
}

int
rec_more(struct rec_thread *t, uint64_t ticks, size_t need)
{
	uint32_t c;

	if (!atomic_load_explicit(&rec_state.on, memory_order_acquire) ||
	    atomic_load_explicit(&rec_state.paused, memory_order_acquire)) {
		/* A smaller record must not follow either, as it could be the end of the dropped zone. */
		atomic_store_explicit(&t->end, NULL, memory_order_relaxed);
		return 0;
	}
	uint64_t session = atomic_load_explicit(&rec_state.session, memory_order_relaxed);
	if (t->session != session && !join_session(t, session, ticks))
		return 0;
	uint32_t pauses = atomic_load_explicit(&rec_state.pauses, memory_order_relaxed);
	if (t->chunk && need > REC_SMALL && t->pauses == pauses &&
	    t->p + need + 8 <= (uint8_t *)ring_chunk(RING, t->chunk - 1) + RING->chunk_size)
		return 1;
	seal_chunk(RING, t);
	c = ring_take_chunk(RING);
	if (c == 0)
		return 0;
	begin_chunk(RING, t, c - 1, ticks);
	if (t->pauses != pauses) {
		t->pauses = pauses;
		reset(t, ticks);
	}
	return 1;
}

void
rec_drop(struct rec_thread *t)
{
	if (atomic_load_explicit(&rec_state.on, memory_order_relaxed) &&
	    !atomic_load_explicit(&rec_state.paused, memory_order_relaxed)) {
		if (t->session == atomic_load_explicit(&rec_state.session, memory_order_relaxed)) {
			t->dropped++;
			atomic_store_explicit((_Atomic uint64_t *)(void *)&RING->slot[t->slot].dropped,
			    t->dropped, memory_order_relaxed);
		} else {
			atomic_fetch_add_explicit(&RING->nevents_without_slot, 1, memory_order_relaxed);
		}
	}
	rec_leave(t);
}

void
rec_deep(struct rec_thread *t)
{
	if (t->zone_max > 0)          /* false if the thread never joined a recording */
		t->depth++;
}

/* --- threads come and go ---------------------------------------------------------------------- */

static struct rec_thread *
make(bool extra)
{
	struct rec_thread *t;

	if (!atomic_load_explicit(&rec_state.on, memory_order_acquire) || atomic_load(&rec_state.forked))
		return NULL;
	t = plat_alloc(RING_THREAD);
	if (!t)
		return NULL;
	t->zone = (struct rec_zone *)(void *)(t + 1);
	t->native = plat_thread_self();
	t->extra = extra;
	plat_lock(&list);
	t->next = atomic_load(&rec_state.threads);
	atomic_store(&rec_state.threads, t);
	plat_unlock(&list);
	return t;
}

#if !defined(_WIN32)
static void
set_self(struct rec_thread *t)
{
	rec_self = t;
}
#else
void rec_tls_set(struct rec_thread *t);
static void
set_self(struct rec_thread *t)
{
	rec_tls_set(t);
}
#endif

static void (*_Atomic thread_gone)(uint64_t native);

void
rec_on_thread_exit(void (*gone)(uint64_t native))
{
	atomic_store(&thread_gone, gone);
}

void
ring_thread_exit(void *exiting)
{
	struct rec_thread *t = exiting;
	void (*gone)(uint64_t) = atomic_load(&thread_gone);

	set_self(NULL);
	if (gone && t && !atomic_load(&rec_state.forked))
		gone(t->native);
	rec_thread_release(t);
}

struct rec_thread *
rec_thread_slow(void)
{
	struct rec_thread *t = make(false);

	if (!t)
		return NULL;
	set_self(t);
	plat_thread_exit_arm(t);
	return t;
}

struct rec_thread *
rec_thread_extra(void)
{
	return make(true);
}

/* Record that the thread ends. This is not an event of the program: it is not counted, nor missed if there is no room. Leaves the thread marked busy. */
static void
put_end(struct rec_thread *t)
{
	uint8_t *length, *p;

	if (!ring_enter(t, rec_now(), REC_SMALL))
		return;
	p = ring_open_other(t, rec_now(), TTC_THREAD_END, 0, &length);
	t->events--;
	ring_close_other(t, length, 0, p);
	atomic_store(&t->busy, 1);
}

void
rec_thread_release(struct rec_thread *t)
{
	_Atomic(struct rec_thread *) *at;

	if (!t)
		return;
	if (atomic_load(&rec_state.forked))
		return;
	atomic_store(&t->busy, 1);
	if (!t->extra && atomic_load(&rec_state.on) && t->session == atomic_load(&rec_state.session))
		put_end(t);
	plat_lock(&list);             /* a pause or the end may just be sealing the chunk, or the ring may be gone afterwards */
	if (atomic_load(&rec_state.sealable) && t->session == atomic_load(&rec_state.session)) {
		seal_chunk(RING, t);
		atomic_store_explicit(ring_slot_state(&RING->slot[t->slot]), TTC_S_ENDED, memory_order_release);
		/* The writer frees the slot: at once if ended threads have a quarter of all slots, else in its next pass. */
		if (4 * (atomic_fetch_add_explicit(&RING->nended, 1, memory_order_release) + 1) >= RING->nslot)
			plat_wake(PLAT_BELL_WRITER);
	}
	plat_unlock(&list);
	rec_leave(t);
	plat_lock(&list);
	for (at = &rec_state.threads; atomic_load(at) && atomic_load(at) != t;
	     at = (_Atomic(struct rec_thread *) *)&atomic_load(at)->next)
		;
	if (atomic_load(at) == t)
		atomic_store(at, t->next);
	plat_unlock(&list);
	plat_free(t, RING_THREAD);
}

/* Wait until each thread was seen outside once; when it enters again, it sees the change. False: not within a second. */
static bool
all_out(void)
{
	plat_lock(&list);
	for (struct rec_thread *t = atomic_load(&rec_state.threads); t; t = t->next)
		t->was_out = false;
	plat_unlock(&list);
	for (int i = 0; i < 2000; i++) {
		bool in = false;
		plat_lock(&list);
		for (struct rec_thread *t = atomic_load(&rec_state.threads); t; t = t->next) {
			t->was_out = t->was_out || !atomic_load(&t->busy);
			in = in || !t->was_out;
		}
		plat_unlock(&list);
		if (!in)
			return true;
		plat_sleep_us(500);
	}
	return false;
}

bool
ring_detach(bool seal)
{
	bool sure = plat_barrier(), out = all_out();

	if (!sure)
		plat_sleep_us(20000);
	plat_lock(&list);
	for (struct rec_thread *t = atomic_load(&rec_state.threads); t; t = t->next)
		atomic_store(&t->end, NULL);
	plat_unlock(&list);
	sure = plat_barrier() && sure;
	if (!sure)
		plat_sleep_us(20000);
	out = all_out() && out;
	if (!seal)
		return out && sure;
	plat_lock(&list);
	for (struct rec_thread *t = atomic_load(&rec_state.threads); t && out; t = t->next)
		if (t->session == atomic_load(&rec_state.session))
			seal_chunk(RING, t);
	if (!atomic_load(&rec_state.on))
		atomic_store(&rec_state.sealable, false);
	plat_unlock(&list);
	return out && sure;
}
