/**
 * Starts and ends a recording, and runs its writer thread.
 */
#include "recorder/core/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define RING (&rec_state.ring)
#define WRITER rec_writer

struct writer rec_writer;

enum { MAX_FORK_MS = 20000, MAX_ABORT_MS = 60000 };   /* a fork takes milliseconds; a dump of Mono 6.8, which runs a debugger, takes 5 s */

static atomic_flag life = ATOMIC_FLAG_INIT;   /* held by rec_open and rec_close */

static void
run_writer(void)
{
	if (WRITER.head_late)
		writer_write_late_head();
	while (!atomic_load_explicit(&WRITER.closing, memory_order_acquire)) {
		uint64_t want = atomic_load_explicit(&WRITER.flush_want, memory_order_acquire);
		bool all = want != atomic_load_explicit(&WRITER.flush_done, memory_order_relaxed);
		/* Twice, as the second pass finds chunks that were open in the first and were sealed before it reached them. */
		for (int i = 0; i < 1 + all && !WRITER.is_stopped; i++)
			writer_make_pass(all);
		atomic_store_explicit(&WRITER.flush_done, want, memory_order_release);
		atomic_store_explicit(&WRITER.writer_ns, plat_thread_ns(), memory_order_relaxed);
		if (WRITER.o.ends_stuck_crash)
			plat_end_stuck_crash(MAX_FORK_MS, MAX_ABORT_MS);
		plat_nap_us(PLAT_BELL_WRITER, (WRITER.is_stopped ? 20 : WRITER.o.poll_ms) * 1000);
	}
	for (int i = 0; i < 2 && !WRITER.is_stopped; i++)
		writer_make_pass(true);
	if (!WRITER.is_stopped)
		writer_stop(TTC_F_CLEAN, 0);
}

/* --- opening and closing --------------------------------------------------------- */

static void
lock_life(void)
{
	while (atomic_flag_test_and_set_explicit(&life, memory_order_acquire))
		plat_sleep_us(200);
}

static void
unlock_life(void)
{
	atomic_flag_clear_explicit(&life, memory_order_release);
}

/* In a forked child, record nothing, and touch nothing of the parent's. */
static void
in_child(void)
{
	atomic_store(&rec_state.forked, true);
	atomic_store(&rec_state.on, false);
	for (struct rec_thread *t = atomic_load(&rec_state.threads); t; t = t->next)
		atomic_store(&t->end, NULL);
}

static int
check_options(struct rec_options *o, char why[256])
{
	if (!o->path || !o->path[0] || strlen(o->path) >= sizeof WRITER.path) {
		snprintf(why, 256, "no path for the capture, or one that is too long");
		return -EINVAL;
	}
	if (!o->chunk)
		o->chunk = 64u << 10;
	if (!o->ring)
		o->ring = o->calm ? 16u << 20 : 32u << 20;
	if (!o->threads)
		o->threads = 1024;
	if (!o->poll_ms)
		o->poll_ms = o->calm ? 40 : 5;
	if (!o->part_ms)
		o->part_ms = 800;
	if (!o->producer)
		o->producer = "tracetool";
	if ((o->chunk & (o->chunk - 1)) || o->chunk < TTC_CHUNK_MIN || o->chunk > TTC_CHUNK_LIMIT) {
		snprintf(why, 256, "a chunk has a power of two from 4 KiB to 1 MiB, not %u bytes", o->chunk);
		return -EINVAL;
	}
	if (o->ring / o->chunk < RING_MIN_CHUNKS || o->ring > (uint64_t)1 << 40) {
		snprintf(why, 256, "a ring has at least %u KiB, and at most a terabyte", RING_MIN_CHUNKS * (o->chunk >> 10));
		return -EINVAL;
	}
	if (o->max_size && o->max_size < MAX_SIZE_MIN) {
		snprintf(why, 256, "the beginning of a capture alone needs a max-size of %u KiB", MAX_SIZE_MIN >> 10);
		return -EINVAL;
	}
	if (o->threads > 1u << 16) {
		snprintf(why, 256, "at most %u threads", 1u << 16);
		return -EINVAL;
	}
	return 0;
}

static void
ring_header(const uint8_t run[16])
{
	struct ttc_ring *h = RING->head;

	h->major = TTC_MAJOR;
	h->minor = TTC_MINOR;
	h->size = sizeof *h;
	memcpy(h->run, run, 16);
	h->total = RING->map.n;
	h->slots = RING->nslot;
	h->slot_at = TTC_RING_HEAD;
	h->chunks = RING->nchunk;
	h->chunk = RING->chunk_size;
	h->chunk_at = (uint64_t)(RING->chunk - (uint8_t *)RING->map.p);
	h->pid = plat_pid();
	h->state = TTC_R_LIVE;
	h->head = (uint32_t)WRITER.nhead;
	memcpy((uint8_t *)RING->map.p + TTC_RING_COPY, WRITER.head, WRITER.nhead);
	atomic_signal_fence(memory_order_seq_cst);
	memcpy(h->magic, TTC_RING_MAGIC, 8);
}

static void
free_writer(void)
{
	free(WRITER.slot);
	free(WRITER.buf);
	free(WRITER.stream);
	free(WRITER.held);
	free(WRITER.order);
	free(WRITER.head);
	plat_free(WRITER.zones, (size_t)RING->nslot * RING->stack_max * sizeof *WRITER.zones);
	WRITER.slot = NULL;
	WRITER.buf = WRITER.stream = WRITER.head = NULL;
	WRITER.held = NULL;
	WRITER.order = NULL;
	WRITER.zones = NULL;
}

static int
make_writer(void)
{
	WRITER.slot = calloc(RING->nslot, sizeof *WRITER.slot);
	WRITER.buf = malloc(RING->chunk_size + STREAM_RESERVE + (64u << 10));
	WRITER.stream = malloc(STREAM_RESERVE + (16u << 10));
	WRITER.held = calloc(RING->nchunk, sizeof *WRITER.held);
	WRITER.order = calloc(RING->nchunk + RING->nslot, sizeof *WRITER.order);
	WRITER.head = calloc(1, TTC_RING_TEXT);
	WRITER.zones = plat_alloc((size_t)RING->nslot * RING->stack_max * sizeof *WRITER.zones);
	return WRITER.slot && WRITER.buf && WRITER.stream && WRITER.held && WRITER.order && WRITER.head && WRITER.zones ? 0 : -ENOMEM;
}

/* Make the ring. If the file size limit is smaller than the ring, make the ring smaller, unless its size was ${asked} for. */
static int
map_ring(struct rec_options *o, bool asked, char why[256])
{
	const uint64_t usual = o->ring;
	size_t n;
	int rc;

	for (;; o->ring /= 2) {
		why[0] = '\0';
		rc = plat_map_make(&RING->map, o->ring_dir, WRITER.path,
		    (size_t)(TTC_RING_HEAD + o->threads * sizeof(struct ttc_slot) + o->ring / o->chunk * o->chunk), !o->calm, why);
		if (rc != -EFBIG || asked || o->ring / 2 / o->chunk < RING_MIN_CHUNKS)
			break;
	}
	n = strlen(why);
	if (rc == -EFBIG || rc == -ENOSPC)
		snprintf(why + n, 256 - n, "%s; ring= makes it smaller, to 1536K at least",
		    rc == -EFBIG ? ", the limit of the length of files (ulimit) is lower" : "");
	else if (rc == 0 && o->ring < usual)
		snprintf(why + n, 256 - n, "%sthe ring has %u MiB: the limit of the length of files (ulimit) allows no more", n ? "; " : "",
		    (unsigned)(o->ring >> 20));
	return rc;
}

static int
start(const struct rec_options *given, char why[256])
{
	struct rec_options o = *given;
	struct plat_instant zero;
	uint8_t run[16];
	int rc = check_options(&o, why);

	if (rc != 0)
		return rc;
	memset(&WRITER, 0, offsetof(struct writer, running));
	WRITER.on_full = writer_stop;
	atomic_store(&WRITER.closing, false);
	atomic_store(&WRITER.flush_want, 0);
	atomic_store(&WRITER.flush_done, 0);
	atomic_store(&WRITER.events, 0);
	atomic_store(&WRITER.written_b, 0);
	atomic_store(&WRITER.dropped, 0);
	atomic_store(&WRITER.chunks, 0);
	atomic_store(&WRITER.parts, 0);
	atomic_store(&WRITER.writer_ns, 0);
	atomic_store(&WRITER.short_ms, 0);
	atomic_store(&WRITER.short_room, 0);
	atomic_store(&WRITER.failed, 0);
	atomic_store(&WRITER.stopped_as, TTC_F_CLEAN);
	WRITER.fd = WRITER.first_fd = -1;
	snprintf(WRITER.path, sizeof WRITER.path, "%s", o.path);
	snprintf(WRITER.producer, sizeof WRITER.producer, "%s", o.producer);
	memset(RING, 0, sizeof *RING);
	rc = map_ring(&o, given->ring != 0, why);
	if (rc != 0)
		return rc;
	WRITER.o = o;
	plat_random(run, sizeof run);
	memcpy(&RING->run32, run, 4);
	rc = ring_make(RING, o.chunk, o.threads, o.calm);
	if (rc == 0)
		rc = make_writer();
	if (rc == 0)
		rc = writer_first_file(why);
	if (rc == 0) {
		plat_instant(&zero);
		RING->zero_ticks = zero.ticks;
		RING->starts_late = o.late;
		writer_make_head(&zero, run);
		WRITER.rate = (struct ttc_rate){ .ns = zero.mono_ns };
		ring_header(run);
		WRITER.def_offset = TTC_CHUNK_HEAD;
		WRITER.part_began_ms = WRITER.parts_ms = writer_now_ms();
		atomic_store(&WRITER.files, 1);
		writer_record_clock();
		WRITER.head_late = plat_patch(WRITER.fd, 0, WRITER.head, 0) != 0;
		if (!WRITER.head_late && (!writer_write_bytes(WRITER.head, WRITER.nhead) || !writer_flush()))
			rc = WRITER.error ? -WRITER.error : -EIO;
	}
	if (rc == 0)
		rc = writer_sync_start();
	if (rc == 0) {
		if ((rc = plat_thread_start(&WRITER.thread, run_writer)) == 0)
			return 0;
		atomic_store(&WRITER.closing, true);
		writer_sync_end();
	}
	snprintf(why, 256, "%.200s: %s", WRITER.name, strerror(-rc));
	if (WRITER.fd >= 0) {
		plat_close(WRITER.fd);
		plat_unlink(WRITER.name);
	}
	free_writer();
	ring_free(RING);
	plat_map_drop(&RING->map, false);
	return rc;
}

int
rec_open(const struct rec_options *o, char why[256])
{
	static bool ready;
	int rc;

	why[0] = '\0';
	if (atomic_load(&rec_state.forked)) {
		snprintf(why, 256, "nothing is recorded in a forked child");
		return -ECHILD;
	}
	lock_life();
	if (!ready) {
		plat_init();
		tt_crc32c_init();
		plat_thread_exit_hook(ring_thread_exit);
		plat_fork_hook(in_child);
		plat_pin();
		ready = true;
	}
	if (WRITER.running) {
		snprintf(why, 256, "a recording is running already");
		rc = -EBUSY;
	} else {
		rc = start(o, why);
	}
	if (rc == 0) {
		WRITER.running = true;
		atomic_fetch_add(&rec_state.session, 1);
		atomic_store(&rec_state.dump, false);
		atomic_store(&rec_state.paused, false);
		atomic_store(&rec_state.sealable, true);
		atomic_store_explicit(&rec_state.on, true, memory_order_release);
		for (const struct rec_meta *m = o->meta; m && m->key; m++)
			rec_meta(m->key, m->value);
	}
	unlock_life();
	return rc;
}

int
rec_close(char why[256])
{
	bool out;
	int rc = 0;

	why[0] = '\0';
	if (atomic_load(&rec_state.forked))
		return 0;
	lock_life();
	if (!WRITER.running) {
		unlock_life();
		return 0;
	}
	atomic_store(&rec_state.on, false);
	out = ring_detach(true);
	atomic_store_explicit(&WRITER.closing, true, memory_order_release);
	plat_wake(PLAT_BELL_WRITER);
	plat_thread_join(&WRITER.thread);
	writer_sync_end();
	atomic_fetch_add_explicit(&WRITER.dropped, writer_dropped_by_living(), memory_order_relaxed);
	if (WRITER.first_fd >= 0 && WRITER.first_fd != WRITER.fd)
		plat_close(WRITER.first_fd);
	if (plat_close(WRITER.fd) != 0 && WRITER.error == 0)
		WRITER.error = EIO;
	if (WRITER.error) {
		rc = -WRITER.error;
		snprintf(why, 256, "cannot be written: %s; what was written before can be read", strerror(WRITER.error));
	}
	RING->head->state = TTC_R_DONE;
	plat_map_drop(&RING->map, !out);
	free_writer();
	if (out)
		ring_free(RING);
	WRITER.running = false;
	unlock_life();
	return rc;
}

const char *
rec_path(void)
{
	return WRITER.path;
}

void
rec_pause(void)
{
	lock_life();
	if (WRITER.running && rec_on() && !atomic_exchange(&rec_state.paused, true)) {
		ring_detach(true);
		plat_wake(PLAT_BELL_WRITER);  /* so that it writes a chunk for each thread */
		atomic_fetch_add(&rec_state.pauses, 1);
	}
	unlock_life();
}

void
rec_resume(void)
{
	lock_life();
	atomic_store(&rec_state.paused, false);
	unlock_life();
}

bool
rec_on(void)
{
	return atomic_load_explicit(&rec_state.on, memory_order_relaxed);
}

int
rec_flush(unsigned ms)
{
	uint64_t want;

	if (!rec_on())
		return 0;
	want = atomic_fetch_add(&WRITER.flush_want, 1) + 1;
	plat_wake(PLAT_BELL_WRITER);
	for (unsigned i = 0; i <= ms; i++) {
		if (atomic_load_explicit(&WRITER.flush_done, memory_order_acquire) >= want || !rec_on())
			return 0;
		plat_sleep_us(1000);
	}
	return -ETIMEDOUT;
}

void
rec_dump(void)
{
	atomic_store_explicit(&rec_state.dump, true, memory_order_release);
}

uint32_t
rec_room(uint32_t *total)
{
	int32_t n = atomic_load_explicit(&RING->nfree, memory_order_relaxed);

	*total = rec_on() ? RING->nchunk : 0;
	return *total && n > 0 ? (uint32_t)n : 0;
}

void
rec_stats(struct rec_stats *s)
{
	memset(s, 0, sizeof *s);
	s->on = rec_on();
	s->number = atomic_load(&rec_state.session);
	s->error = atomic_load(&WRITER.failed);
	s->finish = (enum ttc_finish)atomic_load(&WRITER.stopped_as);
	s->events = atomic_load(&WRITER.events);
	s->written_b = atomic_load(&WRITER.written_b);
	s->synced_b = atomic_load(&WRITER.sync_done);
	s->dropped = atomic_load(&WRITER.dropped);
	s->no_place = atomic_load(&RING->nevents_without_slot);
	s->chunks = atomic_load(&WRITER.chunks);
	s->parts = atomic_load(&WRITER.parts);
	s->writer_ns = atomic_load(&WRITER.writer_ns);
	s->files = atomic_load(&WRITER.files);
	s->held_less = atomic_load(&WRITER.short_ms) > 0;
	s->held_ms = s->held_less ? atomic_load(&WRITER.short_ms) - 1 : 0;
	s->room_b = atomic_load(&WRITER.short_room);
	struct rec_thread *t = s->on ? rec_thread() : NULL;
	if (!t)
		return;
	atomic_store(&t->busy, 1);
	if (rec_on()) {
		int32_t nfree = atomic_load(&RING->nfree);
		s->free = nfree > 0 ? (uint32_t)nfree : 0;
		s->total = RING->nchunk;
		s->defs_lost = atomic_load(&RING->ndefs_lost);
		s->dropped += writer_dropped_by_living();
		for (uint32_t i = 0; i < RING->nslot; i++)
			s->threads += atomic_load_explicit(ring_slot_state(&RING->slot[i]), memory_order_acquire) ==
			    TTC_S_LIVE;
	}
	atomic_store(&t->busy, 0);
}
