/**
 * Writes bytes and chunks to the capture, among them the stream of thread 0: the recorder's own records.
 */
#include "recorder/core/writer.h"

#include <errno.h>

#define RING (&rec_state.ring)
#define WRITER rec_writer

uint64_t
writer_now_ms(void)
{
	struct plat_instant i;

	plat_instant(&i);
	return i.mono_ns / 1000000;
}

/* Write all ${n} bytes; after a failure the recording is over. */
bool
writer_write_bytes(const void *data, size_t n)
{
	const uint8_t *p = data;
	size_t left = n;

	while (left > 0) {
		long done = WRITER.o.write ? WRITER.o.write(WRITER.o.write_arg, WRITER.fd, p, left) : plat_write(WRITER.fd, p, left);
		if (done <= 0) {
			if (!WRITER.is_broken) {
				WRITER.is_broken = true;
				plat_truncate(WRITER.fd, WRITER.file_bytes);
				WRITER.on_full(TTC_F_DISK, done < 0 ? (int)-done : EIO);
			}
			return false;
		}
		p += done;
		left -= (size_t)done;
	}
	WRITER.file_bytes += n;
	atomic_fetch_add_explicit(&WRITER.written_b, n, memory_order_relaxed);
	return true;
}

/* Write a chunk of one or two pieces. False: the recording is over. */
bool
writer_write_chunk(const void *a, size_t na, const void *b, size_t nb)
{
	if (WRITER.is_stopped)
		return false;
	if (WRITER.o.max_size && !WRITER.is_ending && WRITER.file_bytes + na + nb + FINISH_RESERVE > WRITER.o.max_size) {
		WRITER.on_full(TTC_F_MAX_SIZE, 0);
		return false;
	}
	uint64_t at = WRITER.file_bytes;
	if (writer_write_bytes(a, na) && writer_write_bytes(b, nb))
		return true;
	if (WRITER.file_bytes != at) { /* only a part of it was written */
		WRITER.file_bytes = at;
		plat_truncate(WRITER.fd, at);
	}
	return false;
}

/* --- the stream of thread 0 ---------------------------------------------------------------- */

/* Set the checksum of a head, which covers the head and the body after it. */
void
writer_set_checksum(struct ttc_chunk *h, const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	uint32_t crc = tt_crc32c_long(~0u, (uint8_t *)h + TTC_CRC_FROM, TTC_CHUNK_HEAD - TTC_CRC_FROM);

	crc = tt_crc32c_long(crc, a, na);
	crc = tt_crc32c_long(crc, b, nb);
	h->commit = (na + nb) | (uint64_t)(uint32_t)~crc << 32;
}

/* Turn the stream into a chunk in WRITER.buf; return its length. */
size_t
writer_stream_chunk(void)
{
	struct ttc_chunk h = { .magic = TTC_CHUNK_MAGIC, .seq = WRITER.stream_seq, .ticks = rec_now(),
		.before = WRITER.stream_before, .state = STREAM_STATE, .run = RING->run32 };
	static const uint8_t state[STREAM_STATE];

	writer_set_checksum(&h, state, STREAM_STATE, WRITER.stream, WRITER.nstream);
	memcpy(WRITER.buf, &h, sizeof h);
	memcpy(WRITER.buf + TTC_CHUNK_HEAD, state, STREAM_STATE);
	memcpy(WRITER.buf + TTC_CHUNK_HEAD + STREAM_STATE, WRITER.stream, WRITER.nstream);
	return TTC_CHUNK_HEAD + STREAM_STATE + WRITER.nstream;
}

bool
writer_flush(void)
{
	if (WRITER.nstream == 0)
		return !WRITER.is_stopped;
	if (!writer_write_chunk(WRITER.buf, writer_stream_chunk(), NULL, 0))
		return false;
	WRITER.stream_seq++;
	WRITER.stream_before = (uint32_t)WRITER.nstream;
	WRITER.nstream = 0;
	return true;
}

void
writer_record(unsigned kind, const uint8_t *p, size_t n)
{
	if (WRITER.nstream + n + 16 > STREAM_RESERVE && !writer_flush())
		WRITER.nstream = 0;
	uint8_t *at = WRITER.stream + WRITER.nstream;
	at = ttc_put(at, TTC_OTHER);
	*at++ = (uint8_t)kind;
	at = ttc_put(at, n);
	memcpy(at, p, n);
	WRITER.nstream = (size_t)(at + n - WRITER.stream);
}

uint64_t
writer_since(uint64_t ticks)
{
	return ticks > RING->zero_ticks ? ticks - RING->zero_ticks : 0;
}

void
writer_record_clock(void)
{
	struct plat_instant i;
	struct ttc_head h;
	uint8_t b[40], *p = b;

	plat_instant(&i);
	memcpy(&h, WRITER.head, sizeof h);
	ttc_rate_add(&WRITER.rate, &h, writer_since(i.ticks), i.mono_ns);
	p = ttc_put(p, writer_since(i.ticks));
	p = ttc_put(p, i.mono_ns);
	p = ttc_put(p, i.wall_ns);
	writer_record(TTC_CLOCK, b, (size_t)(p - b));
	WRITER.clock_ms = i.mono_ns / 1000000;
}

void
writer_record_note(const char *text)
{
	uint8_t b[300], *p = ttc_put(b, strlen(text));

	memcpy(p, text, strlen(text));
	writer_record(TTC_NOTE, b, (size_t)(p - b) + strlen(text));
}
