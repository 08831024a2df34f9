/**
 * The files of a recording: their names and heads, the end of each, and how a rotation begins the next.
 */
#include "recorder/core/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define RING (&rec_state.ring)
#define WRITER rec_writer

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

/* Make the head of the present file in WRITER.head. */
void
writer_make_head(const struct plat_instant *zero, const uint8_t run[16])
{
	struct ttc_head h;
	char args[1024], path[sizeof WRITER.path];
	const char *text[TTC_TEXTS] = { RING->map.path, WRITER.producer, plat_os(), plat_arch(), args, path };
	size_t n = sizeof h;

	if (zero) {
		memset(&h, 0, sizeof h);
		memcpy(h.magic, TTC_MAGIC, 8);
		h.major = TTC_MAJOR;
		h.minor = TTC_MINOR;
		h.flags = TTC_H_FRAMES_TOLD | (WRITER.o.keep_ms ? TTC_H_LAST : 0) | (WRITER.o.distorts ? TTC_H_DISTORTS : 0) |
		    (WRITER.o.no_frames ? TTC_H_NO_FRAMES : 0);
		h.thread = plat_thread_self();
		memcpy(h.run, run, 16);
		h.chunk = RING->chunk_size;
		h.clock = plat_ratio(&h.num, &h.den);
		h.ticks = zero->ticks;
		h.mono_ns = zero->mono_ns;
		h.wall_ns = zero->wall_ns;
		h.pid = plat_pid();
		h.record = WRITER.o.record;
		h.pointer = sizeof(void *);
		plat_args(args, sizeof args);
		plat_full(WRITER.path, path, sizeof path);
		for (int i = 0; i < TTC_TEXTS; i++)
			n += add_text(WRITER.head + n, TTC_RING_TEXT - n, text[i], 600);
		WRITER.nhead = n;
		h.size = (uint32_t)n;
	} else {
		memcpy(&h, WRITER.head, sizeof h);
		h.crc = 0;
	}
	h.part = WRITER.part;
	h.part_ticks = zero ? zero->ticks : rec_now();
	memcpy(WRITER.head, &h, sizeof h);
	h.crc = tt_crc32c(0, WRITER.head, WRITER.nhead);
	memcpy(WRITER.head, &h, sizeof h);
}

/*
 * Write the late head of a pipe. A pipe's head cannot be changed later (mark_head), so it is written when the counter's rate is known as well as possible, or
 * when the recording needs room in the ring. Only the writer waits for it.
 */
void
writer_write_late_head(void)
{
	struct ttc_head h;

	memcpy(&h, WRITER.head, sizeof h);
	for (;;) {
		h.clock = plat_ratio(&h.num, &h.den);
		if (h.clock != TTC_CLOCK_TSC || h.num >= PLAT_RATE_MAX_NS || atomic_load_explicit(&WRITER.closing, memory_order_acquire) ||
		    atomic_load(&WRITER.flush_want) != atomic_load(&WRITER.flush_done) ||
		    (uint32_t)atomic_load_explicit(&RING->nfree, memory_order_relaxed) < RING->nchunk / 2 ||
		    (uint32_t)atomic_load_explicit(&RING->nended, memory_order_relaxed) > RING->nslot / 2)
			break;
		plat_nap_us(PLAT_BELL_WRITER, 2000);
	}
	h.crc = 0;
	memcpy(WRITER.head, &h, sizeof h);
	h.crc = tt_crc32c(0, WRITER.head, WRITER.nhead);
	memcpy(WRITER.head, &h, sizeof h);
	writer_write_bytes(WRITER.head, WRITER.nhead);
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
	size_t stem = strlen(WRITER.path);

	if (stem > 4 && strcmp(WRITER.path + stem - 4, ".ttc") == 0)
		stem -= 4;
	if (part > 0)
		snprintf(number, sizeof number, ".%u", part);
	if (copy > 1)
		snprintf(again, sizeof again, ".%u", copy);
	snprintf(to, n, "%.*s%s%s%s", (int)stem, WRITER.path, number, again, WRITER.path + stem);
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
		part_name(0, copy, WRITER.name, sizeof WRITER.name);
		WRITER.fd = plat_create(WRITER.name, WRITER.o.overwrite);
		if (WRITER.fd != -EEXIST && WRITER.fd != -EBUSY)
			break;
		held = held || WRITER.fd == -EBUSY;
	}
	if (WRITER.fd < 0)
		return WRITER.fd;
	if (strlen(WRITER.name) >= sizeof WRITER.path) {
		plat_close(WRITER.fd);
		plat_unlink(WRITER.name);
		return WRITER.fd = -ENAMETOOLONG;
	}
	if (strcmp(WRITER.name, WRITER.path) != 0) {
		size_t n = strlen(why);
		snprintf(why + n, 256 - n, "%s%.80s %s; this capture goes to %.80s", n ? "; " : "", file_of(WRITER.path),
		    held ? "is being written by another recorder" : "is kept", file_of(WRITER.name));
	}
	strcpy(WRITER.path, WRITER.name);
	WRITER.first_fd = WRITER.fd;
	return 0;
}

/* Write notes on what was lost or changed, with counts. */
static void
put_notes(void)
{
	const struct { const _Atomic uint64_t *n; const char *one, *many, *why; } note[] = {
		{ &RING->ndefs_lost, "definition", "definitions", "had no room in the ring (ring= makes it larger)" },
		{ &RING->nlabels_without_key, "zone has its", "zones have their", atomic_load(&RING->nlabel) < RING_LABELS ?
			"label as an argument only: the ring had no room to define it" : "label as an argument only: there are more than 65536" },
		{ &RING->ncut, "text or blob was", "texts and blobs were", "cut: a capture holds 4000 bytes of each" },
		{ &RING->nleft_out, "value is", "values are", "left out, of events that were too long" },
	};
	char text[160];

	for (size_t i = 0; i < sizeof note / sizeof *note; i++) {
		unsigned long long n = atomic_load(note[i].n);
		if (n == 0)
			continue;
		snprintf(text, sizeof text, "%llu %s %s", n, n == 1 ? note[i].one : note[i].many, note[i].why);
		writer_record_note(text);
	}
}

/* Write every thread's final account, and why the file ends. */
static void
put_finish(enum ttc_finish how)
{
	uint8_t *b = malloc(16 + FINISH_THREADS * FINISH_THREAD), *p = b;
	uint32_t n = 0;
	uint64_t no_slot = atomic_load(&RING->nevents_without_slot);

	if (!b)
		return;
	for (uint32_t i = 0; i < RING->nslot; i++)
		n += WRITER.slot[i].number && WRITER.slot[i].part == WRITER.part + 1;
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
			if (WRITER.slot[i].number && WRITER.slot[i].part == WRITER.part + 1) {
				p = writer_put_account(p, &WRITER.slot[i]);
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

	memcpy(&was, WRITER.head, sizeof was);
	h = was;
	ttc_rate_set(&WRITER.rate, &h);
	h.flags |= disk ? TTC_H_DISK : 0;
	if (h.flags == was.flags)
		return;
	h.crc = 0;
	memcpy(WRITER.head, &h, sizeof h);
	h.crc = tt_crc32c(0, WRITER.head, WRITER.nhead);
	memcpy(WRITER.head, &h, sizeof h);
	plat_patch(WRITER.fd, 0, WRITER.head, WRITER.nhead);
	/* The next file begins with this one's original head. */
	was.crc = 0;
	memcpy(WRITER.head, &was, sizeof was);
}

/* End this file. Unless another file follows, the recording ends, too: threads are released, and the rest of the stream is written if the file can take it. */
void
writer_stop(enum ttc_finish how, int error)
{
	if (WRITER.is_stopped || (WRITER.is_ending && how != TTC_F_DISK))
		return;
	WRITER.is_ending = true;
	if (how != TTC_F_ROTATED && how != TTC_F_CLEAN) {
		atomic_store(&rec_state.on, false);
		ring_detach(false);
		RING->head->state = TTC_R_STOPPED;
	}
	WRITER.error = error;
	if (error)
		atomic_store(&WRITER.failed, error);
	atomic_store(&WRITER.stopped_as, how);
	if (how == TTC_F_DISK || how == TTC_F_MAX_SIZE)
		WRITER.nstream = 0;   /* there was no room for the stream, nor for the events that it describes */
	if (how != TTC_F_DISK)
		writer_record_clock();
	mark_head(how == TTC_F_DISK);
	put_finish(how);
	if (WRITER.nstream > 0) {     /* put_chunk's limits no longer apply */
		uint64_t at = WRITER.file_bytes;
		size_t n = writer_stream_chunk();
		if (!writer_write_bytes(WRITER.buf, n)) {
			WRITER.file_bytes = at;
			plat_truncate(WRITER.fd, at);
		}
		WRITER.stream_seq++;
		WRITER.nstream = 0;
	}
	WRITER.is_ending = false;
	WRITER.is_stopped = true;
}

/* Make the next file with its head; its name is stored in ${name}. Returns its descriptor or -errno. The present file's head stays in WRITER.head. */
static int
make_next(char *name, size_t n, struct ttc_head *next)
{
	struct ttc_head was;
	int fd = -EEXIST;

	memcpy(&was, WRITER.head, sizeof was);
	WRITER.part++;
	writer_make_head(NULL, NULL);
	for (uint32_t copy = 1; copy <= COPIES && (fd == -EEXIST || fd == -EBUSY); copy++) {
		part_name(WRITER.part, copy, name, n);
		fd = plat_create_begun(name, WRITER.o.overwrite, WRITER.head, WRITER.nhead);
	}
	WRITER.part--;
	memcpy(next, WRITER.head, sizeof *next);
	memcpy(WRITER.head, &was, sizeof was);
	return fd;
}

/* Remove file ${part} of this recording, but not a file of another recording with the same name. */
static void
drop_part(uint32_t part)
{
	const struct ttc_head *h = (const void *)WRITER.head;
	char name[sizeof WRITER.name];
	int is = 0;

	if (part == 0 && WRITER.first_fd >= 0) {
		plat_close(WRITER.first_fd);
		WRITER.first_fd = -1;
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
	char name[sizeof WRITER.name];
	int fd = make_next(name, sizeof name, &next), last = WRITER.fd;

	if (fd < 0) {
		WRITER.is_broken = true;
		writer_stop(TTC_F_DISK, -fd);
		return;
	}
	writer_stop(TTC_F_ROTATED, 0);
	memcpy(WRITER.head, &next, sizeof next);
	memcpy(WRITER.name, name, sizeof name);
	WRITER.part++;
	writer_lock_file();
	WRITER.fd = fd;
	writer_unlock_file();
	if (!WRITER.o.no_sync)
		plat_sync(last);
	if (last != WRITER.first_fd)
		plat_close(last);
	if (WRITER.o.rotate_keep && WRITER.part >= WRITER.o.rotate_keep)
		drop_part(WRITER.part - WRITER.o.rotate_keep);
	WRITER.file_bytes = WRITER.nhead;
	atomic_fetch_add_explicit(&WRITER.written_b, WRITER.nhead, memory_order_relaxed);
	WRITER.is_stopped = false;
	WRITER.stream_seq = WRITER.stream_before = 0;
	WRITER.nstream = 0;
	WRITER.def_number = 0;
	WRITER.def_offset = TTC_CHUNK_HEAD;
	WRITER.part_began_ms = writer_now_ms();
	atomic_fetch_add(&WRITER.files, 1);
	writer_record_clock();
	writer_definitions(UINT64_MAX);
}

void
writer_rotate(void)
{
	if (WRITER.is_stopped || (!WRITER.o.rotate_size && !WRITER.o.rotate_ms))
		return;
	if (!(WRITER.o.rotate_size && WRITER.file_bytes >= WRITER.o.rotate_size) &&
	    !(WRITER.o.rotate_ms && writer_now_ms() - WRITER.part_began_ms >= WRITER.o.rotate_ms))
		return;
	new_file();
}
