/**
 * Divides the files of a batch among shards by size and name.
 */
#include "batch/split.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "archive/archive.h"

#define HEAD 512                      /* bytes that tell an archive */
#define LARGE_DIVISOR 4               /* an archive larger than 1/4 of a shard's share is shared */
#define OVERFILL_DIVISOR 50                       /* a shard is full when it has 1/50 more than its share */
#define TRIES 32                      /* shards tried for one with room; if none has, the one with the least load gets the file */

/* True if shards can share the file. One that cannot be opened belongs to one shard, which says so. */
static bool
is_divisible(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	uint8_t head[HEAD];
	enum tt_archive_kind kind;
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, head, sizeof head, 0);
	close(fd);
	kind = n > 0 ? tt_archive_probe(head, (size_t)n) : TT_ARCHIVE_NONE;
	return kind == TT_ARCHIVE_ZIP || kind == TT_ARCHIVE_TAR;
}

/* The shard for a file of this ${hash} and ${cost}, from 0. */
static unsigned
place(const uint64_t *load, unsigned count, uint64_t hash, uint64_t cost, uint64_t full)
{
	unsigned first = (unsigned)(hash % count), best = first;

	for (unsigned i = 0; i < count && i < TRIES; i++) {
		unsigned at = (first + i) % count;

		if (cost <= full && load[at] <= full - cost)
			return at;
		if (load[at] < load[best])
			best = at;
	}
	return best;
}

/* Mark the files that all shards share; return the sum of the work of the others. */
static uint64_t
share_large(struct tt_scheduler_file *file, size_t n, unsigned count, bool divide)
{
	uint64_t total = 0, left = 0;

	for (size_t i = 0; i < n; i++)
		total += file[i].cost;
	for (size_t i = 0; i < n; i++) {
		bool large = file[i].cost > total / count / LARGE_DIVISOR;

		file[i].shard = divide && large && is_divisible(file[i].path) ? TT_SHARD_ALL : 1;
		left += file[i].shard == TT_SHARD_ALL ? 0 : file[i].cost;
	}
	return left;
}

int
tt_split(struct tt_mem *mem, unsigned count, struct tt_scheduler_file *file, size_t n, bool divide, struct tt_split *sum, struct tt_err *err)
{
	uint64_t *load = tt_mem_alloc(mem, count * sizeof *load, err), share;
	struct tt_hash h;

	*sum = (struct tt_split){ .files = n };
	if (!load)
		return err->code;
	share = share_large(file, n, count, divide && count > 1) / count;
	tt_hash_init(&h);
	for (size_t i = 0; i < n; i++) {
		struct tt_scheduler_file *f = &file[i];
		const size_t nkey = strlen(f->key);
		unsigned at;

		sum->bytes += f->size;
		if (f->shard != TT_SHARD_ALL) {
			at = place(load, count, tt_hash_bytes(f->key, nkey), f->cost, share + share / OVERFILL_DIVISOR);
			load[at] += f->cost;
			f->shard = at + 1;
		}
		tt_hash_add(&h, f->key, nkey + 1);
		tt_hash_add(&h, &f->size, sizeof f->size);
		tt_hash_add(&h, f->shard == TT_SHARD_ALL ? "*" : "", 1);
	}
	sum->list = tt_hash_value(&h);
	tt_mem_free(mem, load, count * sizeof *load);
	return TT_OK;
}

unsigned
tt_split_stretch(uint64_t at, uint64_t size, unsigned count)
{
	const uint64_t stretch = size / count + (size % count != 0);

	return stretch > 0 && at / stretch < count ? (unsigned)(at / stretch) + 1 : count;
}
