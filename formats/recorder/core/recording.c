/**
 * Starts and ends a recording, and runs its writer thread.
 */
#include "recorder/core/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define R (&rec_state.ring)
#define W rec_writer

struct writer rec_writer;

enum { MAX_FORK_MS = 20000, MAX_ABORT_MS = 60000 };   /* a fork takes milliseconds; a dump of Mono 6.8, which runs a debugger, takes 5 s */

static atomic_flag life = ATOMIC_FLAG_INIT;   /* held by rec_open and rec_close */

static void
run_writer(void)
{
	if (W.head_late)
		writer_head_late();
	while (!atomic_load_explicit(&W.closing, memory_order_acquire)) {
		uint64_t want = atomic_load_explicit(&W.flush_want, memory_order_acquire);
		bool all = want != atomic_load_explicit(&W.flush_done, memory_order_relaxed);
		/* Twice, as the second pass finds chunks that were open in the first and were sealed before it reached them. */
		for (int i = 0; i < 1 + all && !W.stopped; i++)
			writer_pass(all);
		atomic_store_explicit(&W.flush_done, want, memory_order_release);
		atomic_store_explicit(&W.writer_ns, plat_thread_ns(), memory_order_relaxed);
		if (W.o.ends_stuck_crash)
			plat_end_stuck_crash(MAX_FORK_MS, MAX_ABORT_MS);
		plat_nap_us(PLAT_BELL_WRITER, (W.stopped ? 20 : W.o.poll_ms) * 1000);
	}
	for (int i = 0; i < 2 && !W.stopped; i++)
		writer_pass(true);
	if (!W.stopped)
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
	if (!o->path || !o->path[0] || strlen(o->path) >= sizeof W.path) {
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
	struct ttc_ring *h = R->head;

	h->major = TTC_MAJOR;
	h->minor = TTC_MINOR;
	h->size = sizeof *h;
	memcpy(h->run, run, 16);
	h->total = R->map.n;
	h->slots = R->nslot;
	h->slot_at = TTC_RING_HEAD;
	h->chunks = R->nchunk;
	h->chunk = R->size;
	h->chunk_at = (uint64_t)(R->chunk - (uint8_t *)R->map.p);
	h->pid = plat_pid();
	h->state = TTC_R_LIVE;
	h->head = (uint32_t)W.nhead;
	memcpy((uint8_t *)R->map.p + TTC_RING_COPY, W.head, W.nhead);
	atomic_signal_fence(memory_order_seq_cst);
	memcpy(h->magic, TTC_RING_MAGIC, 8);
}

static void
free_writer(void)
{
	free(W.slot);
	free(W.buf);
	free(W.stream);
	free(W.held);
	free(W.order);
	free(W.head);
	plat_free(W.zones, (size_t)R->nslot * R->stack_max * sizeof *W.zones);
	W.slot = NULL;
	W.buf = W.stream = W.head = NULL;
	W.held = NULL;
	W.order = NULL;
	W.zones = NULL;
}

static int
make_writer(void)
{
	W.slot = calloc(R->nslot, sizeof *W.slot);
	W.buf = malloc(R->size + STREAM_RESERVE + (64u << 10));
	W.stream = malloc(STREAM_RESERVE + (16u << 10));
	W.held = calloc(R->nchunk, sizeof *W.held);
	W.order = calloc(R->nchunk + R->nslot, sizeof *W.order);
	W.head = calloc(1, TTC_RING_TEXT);
	W.zones = plat_alloc((size_t)R->nslot * R->stack_max * sizeof *W.zones);
	return W.slot && W.buf && W.stream && W.held && W.order && W.head && W.zones ? 0 : -ENOMEM;
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
		rc = plat_map_make(&R->map, o->ring_dir, W.path,
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
	memset(&W, 0, offsetof(struct writer, running));
	W.full = writer_stop;
	atomic_store(&W.closing, false);
	atomic_store(&W.flush_want, 0);
	atomic_store(&W.flush_done, 0);
	atomic_store(&W.events, 0);
	atomic_store(&W.written_b, 0);
	atomic_store(&W.dropped, 0);
	atomic_store(&W.chunks, 0);
	atomic_store(&W.parts, 0);
	atomic_store(&W.writer_ns, 0);
	atomic_store(&W.short_ms, 0);
	atomic_store(&W.short_room, 0);
	atomic_store(&W.failed, 0);
	atomic_store(&W.stopped_as, TTC_F_CLEAN);
	W.fd = W.first_fd = -1;
	snprintf(W.path, sizeof W.path, "%s", o.path);
	snprintf(W.producer, sizeof W.producer, "%s", o.producer);
	memset(R, 0, sizeof *R);
	rc = map_ring(&o, given->ring != 0, why);
	if (rc != 0)
		return rc;
	W.o = o;
	plat_random(run, sizeof run);
	memcpy(&R->run32, run, 4);
	rc = ring_make(R, o.chunk, o.threads, o.calm);
	if (rc == 0)
		rc = make_writer();
	if (rc == 0)
		rc = writer_first_file(why);
	if (rc == 0) {
		plat_instant(&zero);
		R->zero_ticks = zero.ticks;
		R->late = o.late;
		writer_head(&zero, run);
		W.rate = (struct ttc_rate){ .ns = zero.mono_ns };
		ring_header(run);
		W.def_offset = TTC_CHUNK_HEAD;
		W.part_began_ms = W.parts_ms = writer_now_ms();
		atomic_store(&W.files, 1);
		writer_clock();
		W.head_late = plat_patch(W.fd, 0, W.head, 0) != 0;
		if (!W.head_late && (!writer_bytes(W.head, W.nhead) || !writer_flush()))
			rc = W.error ? -W.error : -EIO;
	}
	if (rc == 0)
		rc = writer_sync_start();
	if (rc == 0) {
		if ((rc = plat_thread_start(&W.thread, run_writer)) == 0)
			return 0;
		atomic_store(&W.closing, true);
		writer_sync_end();
	}
	snprintf(why, 256, "%.200s: %s", W.name, strerror(-rc));
	if (W.fd >= 0) {
		plat_close(W.fd);
		plat_unlink(W.name);
	}
	free_writer();
	ring_free(R);
	plat_map_drop(&R->map, false);
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
	if (W.running) {
		snprintf(why, 256, "a recording is running already");
		rc = -EBUSY;
	} else {
		rc = start(o, why);
	}
	if (rc == 0) {
		W.running = true;
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
	if (!W.running) {
		unlock_life();
		return 0;
	}
	atomic_store(&rec_state.on, false);
	out = ring_detach(true);
	atomic_store_explicit(&W.closing, true, memory_order_release);
	plat_wake(PLAT_BELL_WRITER);
	plat_thread_join(&W.thread);
	writer_sync_end();
	atomic_fetch_add_explicit(&W.dropped, writer_dropped_by_living(), memory_order_relaxed);
	if (W.first_fd >= 0 && W.first_fd != W.fd)
		plat_close(W.first_fd);
	if (plat_close(W.fd) != 0 && W.error == 0)
		W.error = EIO;
	if (W.error) {
		rc = -W.error;
		snprintf(why, 256, "cannot be written: %s; what was written before can be read", strerror(W.error));
	}
	R->head->state = TTC_R_DONE;
	plat_map_drop(&R->map, !out);
	free_writer();
	if (out)
		ring_free(R);
	W.running = false;
	unlock_life();
	return rc;
}

const char *
rec_path(void)
{
	return W.path;
}

void
rec_pause(void)
{
	lock_life();
	if (W.running && rec_on() && !atomic_exchange(&rec_state.paused, true)) {
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
	want = atomic_fetch_add(&W.flush_want, 1) + 1;
	plat_wake(PLAT_BELL_WRITER);
	for (unsigned i = 0; i <= ms; i++) {
		if (atomic_load_explicit(&W.flush_done, memory_order_acquire) >= want || !rec_on())
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
	int32_t n = atomic_load_explicit(&R->nfree, memory_order_relaxed);

	*total = rec_on() ? R->nchunk : 0;
	return *total && n > 0 ? (uint32_t)n : 0;
}

void
rec_stats(struct rec_stats *s)
{
	memset(s, 0, sizeof *s);
	s->on = rec_on();
	s->number = atomic_load(&rec_state.session);
	s->error = atomic_load(&W.failed);
	s->finish = (enum ttc_finish)atomic_load(&W.stopped_as);
	s->events = atomic_load(&W.events);
	s->written_b = atomic_load(&W.written_b);
	s->synced_b = atomic_load(&W.sync_done);
	s->dropped = atomic_load(&W.dropped);
	s->no_place = atomic_load(&R->no_slot);
	s->chunks = atomic_load(&W.chunks);
	s->parts = atomic_load(&W.parts);
	s->writer_ns = atomic_load(&W.writer_ns);
	s->files = atomic_load(&W.files);
	s->held_less = atomic_load(&W.short_ms) > 0;
	s->held_ms = s->held_less ? atomic_load(&W.short_ms) - 1 : 0;
	s->room_b = atomic_load(&W.short_room);
	struct rec_thread *t = s->on ? rec_thread() : NULL;
	if (!t)
		return;
	atomic_store(&t->busy, 1);
	if (rec_on()) {
		int32_t nfree = atomic_load(&R->nfree);
		s->free = nfree > 0 ? (uint32_t)nfree : 0;
		s->total = R->nchunk;
		s->defs_lost = atomic_load(&R->defs_lost);
		s->dropped += writer_dropped_by_living();
		for (uint32_t i = 0; i < R->nslot; i++)
			s->threads += atomic_load_explicit(ring_slot_state(&R->slot[i]), memory_order_acquire) ==
			    TTC_S_LIVE;
	}
	atomic_store(&t->busy, 0);
}
