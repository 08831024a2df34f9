/**
 * Writes bytes and chunks to the capture, among them the stream of thread 0: the recorder's own records.
 */
#include "recorder/core/writer.h"

#include <errno.h>

#define R (&rec_state.ring)
#define W rec_writer

uint64_t
writer_now_ms(void)
{
	struct plat_instant i;

	plat_instant(&i);
	return i.mono_ns / 1000000;
}

/* Write all ${n} bytes; after a failure the recording is over. */
bool
writer_bytes(const void *data, size_t n)
{
	const uint8_t *p = data;
	size_t left = n;

	while (left > 0) {
		long done = W.o.write ? W.o.write(W.o.write_arg, W.fd, p, left) : plat_write(W.fd, p, left);
		if (done <= 0) {
			if (!W.broken) {
				W.broken = true;
				plat_truncate(W.fd, W.at);
				W.full(TTC_F_DISK, done < 0 ? (int)-done : EIO);
			}
			return false;
		}
		p += done;
		left -= (size_t)done;
	}
	W.at += n;
	atomic_fetch_add_explicit(&W.written_b, n, memory_order_relaxed);
	return true;
}

/* Write a chunk of one or two pieces. False: the recording is over. */
bool
writer_chunk(const void *a, size_t na, const void *b, size_t nb)
{
	if (W.stopped)
		return false;
	if (W.o.max_size && !W.ending && W.at + na + nb + FINISH_RESERVE > W.o.max_size) {
		W.full(TTC_F_MAX_SIZE, 0);
		return false;
	}
	uint64_t at = W.at;
	if (writer_bytes(a, na) && writer_bytes(b, nb))
		return true;
	if (W.at != at) {             /* only a part of it was written */
		W.at = at;
		plat_truncate(W.fd, at);
	}
	return false;
}

/* --- the stream of thread 0 ---------------------------------------------------------------- */

/* Set the checksum of a head, which covers the head and the body after it. */
void
writer_seal(struct ttc_chunk *h, const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	uint32_t crc = tt_crc32c_long(~0u, (uint8_t *)h + TTC_CRC_FROM, TTC_CHUNK_HEAD - TTC_CRC_FROM);

	crc = tt_crc32c_long(crc, a, na);
	crc = tt_crc32c_long(crc, b, nb);
	h->commit = (na + nb) | (uint64_t)(uint32_t)~crc << 32;
}

/* Turn the stream into a chunk in W.buf; return its length. */
size_t
writer_stream_chunk(void)
{
	struct ttc_chunk h = { .magic = TTC_CHUNK_MAGIC, .seq = W.stream_seq, .ticks = rec_now(),
		.before = W.stream_before, .state = STREAM_STATE, .run = R->run32 };
	static const uint8_t state[STREAM_STATE];

	writer_seal(&h, state, STREAM_STATE, W.stream, W.nstream);
	memcpy(W.buf, &h, sizeof h);
	memcpy(W.buf + TTC_CHUNK_HEAD, state, STREAM_STATE);
	memcpy(W.buf + TTC_CHUNK_HEAD + STREAM_STATE, W.stream, W.nstream);
	return TTC_CHUNK_HEAD + STREAM_STATE + W.nstream;
}

bool
writer_flush(void)
{
	if (W.nstream == 0)
		return !W.stopped;
	if (!writer_chunk(W.buf, writer_stream_chunk(), NULL, 0))
		return false;
	W.stream_seq++;
	W.stream_before = (uint32_t)W.nstream;
	W.nstream = 0;
	return true;
}

void
writer_record(unsigned kind, const uint8_t *p, size_t n)
{
	if (W.nstream + n + 16 > STREAM_RESERVE && !writer_flush())
		W.nstream = 0;
	uint8_t *at = W.stream + W.nstream;
	at = ttc_put(at, TTC_OTHER);
	*at++ = (uint8_t)kind;
	at = ttc_put(at, n);
	memcpy(at, p, n);
	W.nstream = (size_t)(at + n - W.stream);
}

uint64_t
writer_since(uint64_t ticks)
{
	return ticks > R->zero_ticks ? ticks - R->zero_ticks : 0;
}

void
writer_clock(void)
{
	struct plat_instant i;
	struct ttc_head h;
	uint8_t b[40], *p = b;

	plat_instant(&i);
	memcpy(&h, W.head, sizeof h);
	ttc_rate_add(&W.rate, &h, writer_since(i.ticks), i.mono_ns);
	p = ttc_put(p, writer_since(i.ticks));
	p = ttc_put(p, i.mono_ns);
	p = ttc_put(p, i.wall_ns);
	writer_record(TTC_CLOCK, b, (size_t)(p - b));
	W.clock_ms = i.mono_ns / 1000000;
}

void
writer_note(const char *text)
{
	uint8_t b[300], *p = ttc_put(b, strlen(text));

	memcpy(p, text, strlen(text));
	writer_record(TTC_NOTE, b, (size_t)(p - b) + strlen(text));
}
