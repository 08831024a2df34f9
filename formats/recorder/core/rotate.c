/**
 * The files of a recording: their names and heads, the end of each, and how a rotation begins the next.
 */
#include "recorder/core/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define R (&rec_state.ring)
#define W rec_writer

static size_t
add_text(uint8_t *to, size_t room, const char *s, size_t most)
{
	size_t n = strlen(s);

	if (n > most)
		n = most;
	if (n + 1 > room)
		n = room - 1;
	memcpy(to, s, n);
	to[n] = '\0';
	return n + 1;
}

/* Make the head of the present file in W.head. */
void
writer_head(const struct plat_instant *zero, const uint8_t run[16])
{
	struct ttc_head h;
	char args[1024], path[sizeof W.path];
	const char *text[TTC_TEXTS] = { R->map.path, W.producer, plat_os(), plat_arch(), args, path };
	size_t n = sizeof h;

	if (zero) {
		memset(&h, 0, sizeof h);
		memcpy(h.magic, TTC_MAGIC, 8);
		h.major = TTC_MAJOR;
		h.minor = TTC_MINOR;
		h.flags = TTC_H_FRAMES_TOLD | (W.o.keep_ms ? TTC_H_LAST : 0) | (W.o.distorts ? TTC_H_DISTORTS : 0) |
		    (W.o.no_frames ? TTC_H_NO_FRAMES : 0);
		h.thread = plat_thread_self();
		memcpy(h.run, run, 16);
		h.chunk = R->size;
		h.clock = plat_ratio(&h.num, &h.den);
		h.ticks = zero->ticks;
		h.mono_ns = zero->mono_ns;
		h.wall_ns = zero->wall_ns;
		h.pid = plat_pid();
		h.record = W.o.record;
		h.pointer = sizeof(void *);
		plat_args(args, sizeof args);
		plat_full(W.path, path, sizeof path);
		for (int i = 0; i < TTC_TEXTS; i++)
			n += add_text(W.head + n, TTC_RING_TEXT - n, text[i], 600);
		W.nhead = n;
		h.size = (uint32_t)n;
	} else {
		memcpy(&h, W.head, sizeof h);
		h.crc = 0;
	}
	h.part = W.part;
	h.part_ticks = zero ? zero->ticks : rec_now();
	memcpy(W.head, &h, sizeof h);
	h.crc = tt_crc32c(0, W.head, W.nhead);
	memcpy(W.head, &h, sizeof h);
}

/*
 * Write the late head of a pipe. A pipe's head cannot be changed later (mark_head), so it is written when the counter's rate is known as well as possible, or
 * when the recording needs room in the ring. Only the writer waits for it.
 */
void
writer_head_late(void)
{
	struct ttc_head h;

	memcpy(&h, W.head, sizeof h);
	for (;;) {
		h.clock = plat_ratio(&h.num, &h.den);
		if (h.clock != TTC_CLOCK_TSC || h.num >= PLAT_RATE_MAX_NS || atomic_load_explicit(&W.closing, memory_order_acquire) ||
		    atomic_load(&W.flush_want) != atomic_load(&W.flush_done) ||
		    (uint32_t)atomic_load_explicit(&R->nfree, memory_order_relaxed) < R->nchunk / 2 ||
		    (uint32_t)atomic_load_explicit(&R->nended, memory_order_relaxed) > R->nslot / 2)
			break;
		plat_nap_us(PLAT_BELL_WRITER, 2000);
	}
	h.crc = 0;
	memcpy(W.head, &h, sizeof h);
	h.crc = tt_crc32c(0, W.head, W.nhead);
	memcpy(W.head, &h, sizeof h);
	writer_bytes(W.head, W.nhead);
}

/* --- names --------------------------------------------------------------------------------- */

#define COPIES 9999u                  /* maximum number of names tried for one file */

/*
 * Write the name of a file: "game.ttc" for part 0, "game.1.ttc", ... for other parts of a rotation. If names are taken, from ${copy} 2 on "game.2.ttc" and
 * "game.1.2.ttc".
 */
static void
part_name(uint32_t part, uint32_t copy, char *to, size_t n)
{
	char number[24] = "", again[24] = "";
	size_t stem = strlen(W.path);

	if (stem > 4 && strcmp(W.path + stem - 4, ".ttc") == 0)
		stem -= 4;
	if (part > 0)
		snprintf(number, sizeof number, ".%u", part);
	if (copy > 1)
		snprintf(again, sizeof again, ".%u", copy);
	snprintf(to, n, "%.*s%s%s%s", (int)stem, W.path, number, again, W.path + stem);
}

static const char *
file_of(const char *path)
{
	const char *last = path;

	for (; *path; path++)
		if (*path == '/' || *path == '\\')
			last = path + 1;
	return last;
}

int
writer_first_file(char why[256])
{
	bool held = false;

	for (uint32_t copy = 1; copy <= COPIES; copy++) {
		part_name(0, copy, W.name, sizeof W.name);
		W.fd = plat_create(W.name, W.o.overwrite);
		if (W.fd != -EEXIST && W.fd != -EBUSY)
			break;
		held = held || W.fd == -EBUSY;
	}
	if (W.fd < 0)
		return W.fd;
	if (strlen(W.name) >= sizeof W.path) {
		plat_close(W.fd);
		plat_unlink(W.name);
		return W.fd = -ENAMETOOLONG;
	}
	if (strcmp(W.name, W.path) != 0) {
		size_t n = strlen(why);
		snprintf(why + n, 256 - n, "%s%.80s %s; this capture goes to %.80s", n ? "; " : "", file_of(W.path),
		    held ? "is being written by another recorder" : "is kept", file_of(W.name));
	}
	strcpy(W.path, W.name);
	W.first_fd = W.fd;
	return 0;
}

/* Write notes on what was lost or changed, with counts. */
static void
put_notes(void)
{
	const struct { const _Atomic uint64_t *n; const char *one, *many, *why; } note[] = {
		{ &R->defs_lost, "definition", "definitions", "had no room in the ring (ring= makes it larger)" },
		{ &R->labels_out, "zone has its", "zones have their", atomic_load(&R->nlabel) < RING_LABELS ?
			"label as an argument only: the ring had no room to define it" : "label as an argument only: there are more than 65536" },
		{ &R->cut, "text or blob was", "texts and blobs were", "cut: a capture holds 4000 bytes of each" },
		{ &R->left_out, "value is", "values are", "left out, of events that were too long" },
	};
	char text[160];

	for (size_t i = 0; i < sizeof note / sizeof *note; i++) {
		unsigned long long n = atomic_load(note[i].n);
		if (n == 0)
			continue;
		snprintf(text, sizeof text, "%llu %s %s", n, n == 1 ? note[i].one : note[i].many, note[i].why);
		writer_note(text);
	}
}

/* Write every thread's final account, and why the file ends. */
static void
put_finish(enum ttc_finish how)
{
	uint8_t *b = malloc(16 + FINISH_THREADS * FINISH_THREAD), *p = b;
	uint32_t n = 0;
	uint64_t no_slot = atomic_load(&R->no_slot);

	if (!b)
		return;
	for (uint32_t i = 0; i < R->nslot; i++)
		n += W.slot[i].number && W.slot[i].part == W.part + 1;
	if (no_slot && how != TTC_F_ROTATED) {
		p = ttc_put(p, 0);
		p = ttc_put(p, no_slot);
		writer_record(TTC_DROPS, b, (size_t)(p - b));
	}
	if (how != TTC_F_ROTATED)
		put_notes();
	/* Each record has at most FINISH_THREADS threads; a reader joins the records. */
	for (uint32_t i = 0, k = 0; k <= n; k += FINISH_THREADS) {
		uint32_t here = n - k < FINISH_THREADS ? n - k : FINISH_THREADS;
		p = b;
		*p++ = (uint8_t)how;
		p = ttc_put(p, here);
		for (; here > 0; i++)
			if (W.slot[i].number && W.slot[i].part == W.part + 1) {
				p = writer_account(p, &W.slot[i]);
				here--;
			}
		writer_record(TTC_FINISH, b, (size_t)(p - b));
	}
	free(b);
}

/* Overwrite the head with facts that are known only at the end, which needs no room: that the disk was full, and the counter's rate. */
static void
mark_head(bool disk)
{
	struct ttc_head h, was;

	memcpy(&was, W.head, sizeof was);
	h = was;
	ttc_rate_set(&W.rate, &h);
	h.flags |= disk ? TTC_H_DISK : 0;
	if (h.flags == was.flags)
		return;
	h.crc = 0;
	memcpy(W.head, &h, sizeof h);
	h.crc = tt_crc32c(0, W.head, W.nhead);
	memcpy(W.head, &h, sizeof h);
	plat_patch(W.fd, 0, W.head, W.nhead);
	/* The next file begins with this one's original head. */
	was.crc = 0;
	memcpy(W.head, &was, sizeof was);
}

/* End this file. Unless another file follows, the recording ends, too: threads are released, and the rest of the stream is written if the file can take it. */
void
writer_stop(enum ttc_finish how, int error)
{
	if (W.stopped || (W.ending && how != TTC_F_DISK))
		return;
	W.ending = true;
	if (how != TTC_F_ROTATED && how != TTC_F_CLEAN) {
		atomic_store(&rec_state.on, false);
		ring_detach(false);
		R->head->state = TTC_R_STOPPED;
	}
	W.error = error;
	if (error)
		atomic_store(&W.failed, error);
	atomic_store(&W.stopped_as, how);
	if (how == TTC_F_DISK || how == TTC_F_MAX_SIZE)
		W.nstream = 0;        /* there was no room for the stream, nor for the events that it describes */
	if (how != TTC_F_DISK)
		writer_clock();
	mark_head(how == TTC_F_DISK);
	put_finish(how);
	if (W.nstream > 0) {          /* put_chunk's limits no longer apply */
		uint64_t at = W.at;
		size_t n = writer_stream_chunk();
		if (!writer_bytes(W.buf, n)) {
			W.at = at;
			plat_truncate(W.fd, at);
		}
		W.stream_seq++;
		W.nstream = 0;
	}
	W.ending = false;
	W.stopped = true;
}

/* Make the next file with its head; its name is stored in ${name}. Returns its descriptor or -errno. The present file's head stays in W.head. */
static int
make_next(char *name, size_t n, struct ttc_head *next)
{
	struct ttc_head was;
	int fd = -EEXIST;

	memcpy(&was, W.head, sizeof was);
	W.part++;
	writer_head(NULL, NULL);
	for (uint32_t copy = 1; copy <= COPIES && (fd == -EEXIST || fd == -EBUSY); copy++) {
		part_name(W.part, copy, name, n);
		fd = plat_create_begun(name, W.o.overwrite, W.head, W.nhead);
	}
	W.part--;
	memcpy(next, W.head, sizeof *next);
	memcpy(W.head, &was, sizeof was);
	return fd;
}

/* Remove file ${part} of this recording, but not a file of another recording with the same name. */
static void
drop_part(uint32_t part)
{
	const struct ttc_head *h = (const void *)W.head;
	char name[sizeof W.name];
	int is = 0;

	if (part == 0 && W.first_fd >= 0) {
		plat_close(W.first_fd);
		W.first_fd = -1;
	}
	for (uint32_t copy = 1; copy <= COPIES && is == 0; copy++) {
		part_name(part, copy, name, sizeof name);
		is = plat_has(name, offsetof(struct ttc_head, run), h->run, sizeof h->run);
		if (is > 0)
			plat_unlink(name);
	}
}

/* Begin the next file of a rotation. It exists before this one ends: after a kill, a reader sees that the last file has no end, and continues with the ring. */
static void
new_file(void)
{
	struct ttc_head next;
	char name[sizeof W.name];
	int fd = make_next(name, sizeof name, &next), last = W.fd;

	if (fd < 0) {
		W.broken = true;
		writer_stop(TTC_F_DISK, -fd);
		return;
	}
	writer_stop(TTC_F_ROTATED, 0);
	memcpy(W.head, &next, sizeof next);
	memcpy(W.name, name, sizeof name);
	W.part++;
	writer_lock_file();
	W.fd = fd;
	writer_unlock_file();
	if (!W.o.no_sync)
		plat_sync(last);
	if (last != W.first_fd)
		plat_close(last);
	if (W.o.rotate_keep && W.part >= W.o.rotate_keep)
		drop_part(W.part - W.o.rotate_keep);
	W.at = W.nhead;
	atomic_fetch_add_explicit(&W.written_b, W.nhead, memory_order_relaxed);
	W.stopped = false;
	W.stream_seq = W.stream_before = 0;
	W.nstream = 0;
	W.def_number = 0;
	W.def_offset = TTC_CHUNK_HEAD;
	W.part_began_ms = writer_now_ms();
	atomic_fetch_add(&W.files, 1);
	writer_clock();
	writer_definitions(UINT64_MAX);
}

void
writer_rotate(void)
{
	if (W.stopped || (!W.o.rotate_size && !W.o.rotate_ms))
		return;
	if (!(W.o.rotate_size && W.at >= W.o.rotate_size) &&
	    !(W.o.rotate_ms && writer_now_ms() - W.part_began_ms >= W.o.rotate_ms))
		return;
	new_file();
}
