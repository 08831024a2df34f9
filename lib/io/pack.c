/**
 * Compresses output in blocks, on several threads.
 *
 * The blocks form a ring. Block number k (from 0) lies at k modulo the ring's
 * size; written <= taken <= filled number the blocks written out, taken up by a
 * worker, and handed over by the writer. Under the lock: taken, filled, quit and
 * the blocks' done flags.
 */
#include "io/pack.h"

#include <pthread.h>
#include <string.h>
#include <zlib.h>

#include "codec/packet.h"

struct tt_pack {
	struct tt_env *env;
	const struct tt_coding *coding;
	struct tt_dest *dest;
	struct tt_block *ring;
	size_t ring_n;
	uint64_t nwritten, ntaken, nfilled;
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	pthread_t *threads;           /* room for env->jobs */
	size_t threads_n;
	bool threads_tried, quit;
	bool packets;                 /* true: each write is whole packets (packet.h) */
	const struct tt_forms *forms;
	void *state;                  /* the state of the writer's own coder, if there are no workers */
	uint32_t crc;
	uint64_t total;
};

static const struct tt_coding *const codings[] = {
	&tt_coding_gzip, &tt_coding_xz, &tt_coding_zstd, &tt_coding_bzip2, &tt_coding_lz4,
};

const struct tt_coding *
tt_pack_coding(const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
		size_t k = strlen(codings[i]->suffix);

		if (n > k && strcmp(path + n - k, codings[i]->suffix) == 0)
			return codings[i];
	}
	return NULL;
}

/* --- compressing -------------------------------------------------------- */

/* Compress one block, with a coder made on first use. */
static void
code_block(struct tt_pack *pack, void **state, struct tt_block *b)
{
	const struct tt_coding *coding = pack->coding;
	int rc = TT_OK;

	b->failed.code = TT_OK;
	b->out_n = 0;
	if (coding->start && !*state)
		rc = coding->start(pack->env, state, &b->failed);
	if (rc == TT_OK)
		coding->code(coding, *state, b, &b->failed);
}

/* Wait for the next block that no worker has taken, and take it; NULL: the worker must end. Called with the lock held. */
static struct tt_block *
take_block(struct tt_pack *pack)
{
	while (!pack->quit && pack->ntaken == pack->nfilled)
		pthread_cond_wait(&pack->work, &pack->lock);
	return pack->quit ? NULL : &pack->ring[pack->ntaken++ % pack->ring_n];
}

static void *
work(void *arg)
{
	struct tt_pack *pack = arg;
	struct tt_block *b;
	void *state = NULL;

	pthread_mutex_lock(&pack->lock);
	while ((b = take_block(pack))) {
		pthread_mutex_unlock(&pack->lock);
		code_block(pack, &state, b);
		pthread_mutex_lock(&pack->lock);
		b->done = true;
		pthread_cond_signal(&pack->done);
	}
	pthread_mutex_unlock(&pack->lock);
	if (state)
		pack->coding->stop(pack->env, state);
	return NULL;
}

/* Start the workers. If the system gives fewer threads, or none, the output is the same, only slower. */
static void
start_workers(struct tt_pack *pack)
{
	struct tt_sys_signal_mask held;

	pack->threads_tried = true;
	if (pack->env->jobs < 2)
		return;
	/* Workers block all signals, which are left to the threads that handle them. */
	tt_sys_block_signals(&held);
	while (pack->threads_n < pack->env->jobs &&
	    pthread_create(&pack->threads[pack->threads_n], NULL, work, pack) == 0)
		pack->threads_n++;
	tt_sys_restore_signals(&held);
	if (pack->threads_n < pack->env->jobs)
		tt_log(pack->env, TT_LOG_VERBOSE, "compressing with %zu threads instead of %u",
		    pack->threads_n, pack->env->jobs);
}

/* --- the order ---------------------------------------------------------- */

/* True if the oldest block is ready to be written. With ${wait}: wait until it is. */
static bool
oldest_done(struct tt_pack *pack, bool wait)
{
	struct tt_block *b = &pack->ring[pack->nwritten % pack->ring_n];
	bool done;

	pthread_mutex_lock(&pack->lock);
	while (wait && !b->done)
		pthread_cond_wait(&pack->done, &pack->lock);
	done = b->done;
	pthread_mutex_unlock(&pack->lock);
	return done;
}

/* Write the oldest block, which is done, and make it free. */
static int
write_oldest(struct tt_pack *pack, struct tt_err *err)
{
	struct tt_block *b = &pack->ring[pack->nwritten % pack->ring_n];
	int rc;

	if (b->failed.code != TT_OK) {
		if (err)
			*err = b->failed;
		return b->failed.code;
	}
	rc = tt_dest_write(pack->dest, b->out, b->out_n, err);
	if (rc != TT_OK)
		return rc;
	if (pack->coding->tail)
		pack->crc = (uint32_t)crc32_combine(pack->crc, b->crc, (z_off_t)b->in_n);
	pack->total += b->in_n;
	b->in_n = b->stamps_size = 0;
	b->done = false;
	pack->nwritten++;
	return TT_OK;
}

/* Write finished blocks; wait for more until at most ${most} blocks are in flight. */
static int
write_done(struct tt_pack *pack, uint64_t most, struct tt_err *err)
{
	while (pack->nwritten < pack->nfilled && oldest_done(pack, pack->nfilled - pack->nwritten > most)) {
		int rc = write_oldest(pack, err);

		if (rc != TT_OK)
			return rc;
	}
	return TT_OK;
}

/* Hand over the block being filled, to be compressed. */
static int
submit(struct tt_pack *pack, bool last, struct tt_err *err)
{
	struct tt_block *b = &pack->ring[pack->nfilled % pack->ring_n];

	b->last = last;
	b->packets = pack->packets;
	b->forms = pack->forms;
	if (!pack->threads_tried && !last)
		start_workers(pack);
	if (pack->threads_n == 0) {
		code_block(pack, &pack->state, b);
		b->done = true;
		pack->nfilled++;
		return write_done(pack, 0, err);
	}
	pthread_mutex_lock(&pack->lock);
	pack->nfilled++;
	pthread_cond_signal(&pack->work);
	pthread_mutex_unlock(&pack->lock);
	return write_done(pack, last ? 0 : pack->ring_n - 1, err);
}

/* Set *${block} to the block to fill, and allocate the block's memory at its first use. */
static int
get_block(struct tt_pack *pack, struct tt_block **block, struct tt_err *err)
{
	struct tt_block *b = &pack->ring[pack->nfilled % pack->ring_n];

	if (!b->in)
		b->in = tt_mem_alloc(&pack->env->mem, TT_BLOCK_SIZE, err);
	if (b->in && !b->out)
		b->out = tt_mem_alloc(&pack->env->mem, TT_BLOCK_BOUND, err);
	*block = b;
	return b->in && b->out ? TT_OK : err ? err->code : TT_E_NOMEM;
}

/* Write the header of the output, if the coding has one, before the first block. */
static int
write_head(struct tt_pack *pack, struct tt_err *err)
{
	uint8_t head[32];

	if (!pack->coding->head || pack->dest->written > 0)
		return TT_OK;
	return tt_dest_write(pack->dest, head, pack->coding->head(head), err);
}

void
tt_pack_set_packets(struct tt_pack *pack, const struct tt_forms *forms)
{
	pack->packets = true;
	pack->forms = forms;
}

/* Hand over the block being filled, which is full, after the header of the output. */
static int
submit_full(struct tt_pack *pack, struct tt_err *err)
{
	int rc = write_head(pack, err);

	return rc == TT_OK ? submit(pack, false, err) : rc;
}

/* Return the bytes that ${b} has room for; in a block of stamps, bytes of packets between runs. */
static size_t
room_in(const struct tt_pack *pack, const struct tt_block *b)
{
	enum { HEAD = 2 * sizeof(struct tt_stamp_run) };
	const size_t written = TT_BLOCK_SIZE - b->in_n, packets = TT_BLOCK_SIZE - b->stamps_size;

	if (!pack->coding->stamps)
		return written;
	return written <= HEAD ? 0 : written - HEAD < packets ? written - HEAD : packets;
}

/* Return the number of the ${n} bytes at ${p} that go into ${b}; 0: ${b} is full, or the next packet does not fit into any block. */
static size_t
room_for(const struct tt_pack *pack, const struct tt_block *b, const char *p, size_t n)
{
	const size_t room = room_in(pack, b);
	const uint8_t *from = (const uint8_t *)p, *to = from, *end = from + room, *next;

	if (n <= room || !pack->packets)
		return n < room ? n : room;
	while (to < end && (next = tt_packet_end(to, end)))
		to = next;
	return to > from || b->in_n > 0 || pack->coding->stamps ? (size_t)(to - from) : room;
}

/* Write the packet at ${from} uncompressed. Returns its number of bytes; *${rc}: TT_OK or the error. */
static size_t
write_plain(struct tt_pack *pack, const char *from, size_t n, int *rc, struct tt_err *err)
{
	const uint8_t *p = (const uint8_t *)from, *end = tt_packet_end(p, p + n);
	size_t some = end ? (size_t)(end - p) : n;

	*rc = write_done(pack, 0, err);
	if (*rc == TT_OK)
		*rc = tt_dest_write(pack->dest, from, some, err);
	return some;
}

/* Append ${n} bytes of packets to the last run, or to a new run without stamps. */
static void
add_bytes(struct tt_block *b, const char *from, size_t n)
{
	struct tt_stamp_run run = { 0 };

	if (b->stamps_size > 0)
		memcpy(&run, b->in + b->last_run_at, sizeof run);
	else
		b->last_run_at = 0;
	char *p = b->in + b->last_run_at + sizeof run + run.nstamps * sizeof(struct tt_stamp) + run.packets_bytes;
	memcpy(p, from, n);
	run.packets_bytes += (uint32_t)n;
	memcpy(b->in + b->last_run_at, &run, sizeof run);
	b->stamps_size += n;
	b->in_n = b->last_run_at + tt_stamp_run_bytes(&run);
}

int
tt_pack_write(struct tt_pack *pack, const void *p, size_t n, struct tt_err *err)
{
	const char *from = p;

	while (n > 0) {
		struct tt_block *b;
		size_t some;
		int rc = get_block(pack, &b, err);

		if (rc != TT_OK)
			return rc;
		some = room_for(pack, b, from, n);
		if (pack->coding->stamps && some) {
			add_bytes(b, from, some);
		} else {
			memcpy(b->in + b->in_n, from, some);
			b->in_n += some;
		}
		if (b->in_n == 0)
			some = write_plain(pack, from, n, &rc, err);
		else if (b->in_n == TT_BLOCK_SIZE || some < n)
			rc = submit_full(pack, err);
		from += some;
		n -= some;
		if (rc != TT_OK)
			return rc;
	}
	return TT_OK;
}

/* Append a run that begins with the head ${run} and its stamps, which are at ${stamps}. */
static int
add_stamps(struct tt_pack *pack, struct tt_stamp_run run, const char *stamps, struct tt_err *err)
{
	const size_t n = run.nstamps * sizeof(struct tt_stamp);
	struct tt_block *b;
	int rc = get_block(pack, &b, err);

	if (rc == TT_OK && (b->stamps_size + run.stamps_bytes > TT_BLOCK_SIZE || b->in_n + sizeof run + n > TT_BLOCK_SIZE)) {
		rc = submit_full(pack, err);
		TT_THEN(rc, get_block(pack, &b, err));
	}
	if (rc != TT_OK)
		return rc;
	run.packets_bytes = 0;
	b->last_run_at = b->in_n;
	memcpy(b->in + b->in_n, &run, sizeof run);
	memcpy(b->in + b->in_n + sizeof run, stamps, n);
	b->in_n += sizeof run + n;
	b->stamps_size += run.stamps_bytes;
	return TT_OK;
}

int
tt_pack_write_stamps(struct tt_pack *pack, const char *p, size_t n, struct tt_err *err)
{
	int rc = TT_OK;

	for (const char *end = p + n; p < end && rc == TT_OK;) {
		struct tt_stamp_run run;

		memcpy(&run, p, sizeof run);
		if (run.nstamps)
			rc = add_stamps(pack, run, p + sizeof run, err);
		TT_THEN(rc, tt_pack_write(pack, p + sizeof run + run.nstamps * sizeof(struct tt_stamp), run.packets_bytes, err));
		p += tt_stamp_run_bytes(&run);
	}
	return rc;
}

int
tt_pack_finish(struct tt_pack *pack, struct tt_err *err)
{
	struct tt_block *b;
	uint8_t tail[32];
	int rc = get_block(pack, &b, err);

	TT_THEN(rc, write_head(pack, err));
	/* A stream needs a last block even if it is empty; a coding of members needs an empty block only if there is no other. */
	if (rc == TT_OK && (pack->coding->tail || b->in_n > 0 || pack->nfilled == 0))
		rc = submit(pack, true, err);
	else if (rc == TT_OK)
		rc = write_done(pack, 0, err);
	if (rc == TT_OK && pack->coding->tail)
		rc = tt_dest_write(pack->dest, tail, pack->coding->tail(tail, pack->crc, pack->total), err);
	return rc;
}

/* --- making and freeing ------------------------------------------------- */

int
tt_pack_new(struct tt_env *env, const struct tt_coding *coding, struct tt_dest *dest, struct tt_pack **out,
    struct tt_err *err)
{
	struct tt_pack *pack = tt_mem_alloc(&env->mem, sizeof *pack, err);

	if (!pack)
		return err ? err->code : TT_E_NOMEM;
	pack->env = env;
	pack->coding = coding;
	pack->dest = dest;
	pack->ring_n = env->jobs < 2 ? 1 : 2 * (size_t)env->jobs;
	pthread_mutex_init(&pack->lock, NULL);
	pthread_cond_init(&pack->work, NULL);
	pthread_cond_init(&pack->done, NULL);
	pack->ring = tt_mem_alloc(&env->mem, pack->ring_n * sizeof *pack->ring, err);
	if (pack->ring)
		pack->threads = tt_mem_alloc(&env->mem, env->jobs * sizeof *pack->threads, err);
	if (!pack->threads) {
		tt_pack_free(pack);
		return err ? err->code : TT_E_NOMEM;
	}
	*out = pack;
	return TT_OK;
}

/* Stop the workers, whatever they are doing, and free the memory used for coding. */
static void
dismiss(struct tt_pack *pack)
{
	struct tt_mem *mem = &pack->env->mem;

	pthread_mutex_lock(&pack->lock);
	pack->quit = true;
	pthread_cond_broadcast(&pack->work);
	pthread_mutex_unlock(&pack->lock);
	while (pack->threads_n > 0)
		pthread_join(pack->threads[--pack->threads_n], NULL);
	if (pack->state)
		pack->coding->stop(pack->env, pack->state);
	pack->state = NULL;
	for (size_t i = 0; pack->ring && i < pack->ring_n; i++) {
		struct tt_block *b = &pack->ring[i];

		tt_mem_free(mem, b->in, TT_BLOCK_SIZE);
		tt_mem_free(mem, b->out, TT_BLOCK_BOUND);
		*b = (struct tt_block){ 0 };
	}
}

int
tt_pack_flush_and_shrink(struct tt_pack *pack, struct tt_err *err)
{
	int rc = TT_OK;

	pack->threads_tried = true;
	if (pack->ring[pack->nfilled % pack->ring_n].in_n > 0)
		rc = submit_full(pack, err);
	TT_THEN(rc, write_done(pack, 0, err));
	dismiss(pack);
	return rc;
}

void
tt_pack_free(struct tt_pack *pack)
{
	struct tt_mem *mem;

	if (!pack)
		return;
	mem = &pack->env->mem;
	dismiss(pack);
	pthread_cond_destroy(&pack->done);
	pthread_cond_destroy(&pack->work);
	pthread_mutex_destroy(&pack->lock);
	tt_mem_free(mem, pack->ring, pack->ring_n * sizeof *pack->ring);
	tt_mem_free(mem, pack->threads, pack->env->jobs * sizeof *pack->threads);
	tt_mem_free(mem, pack, sizeof *pack);
}
