/**
 * Runs a worker process of a batch: limits, sandbox, one task after the other.
 */
#include "batch/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "batch/analyse.h"
#include "batch/unpack.h"
#include "batch/wire.h"
#include "io/ring_open.h"
#include "io/sink.h"
#include "model/format.h"

#define COPY ((size_t)256 << 10)

struct child {
	const struct tt_child *c;
	struct tt_env env;
	struct tt_loss loss;
	struct tt_err err;
};

/* Shadow memory of sanitizers counts as data. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT_DATA 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LIMIT_DATA 0
#endif
#endif
#ifndef LIMIT_DATA
#define LIMIT_DATA 1
#endif

/* Limit the data of this process, beyond the memory that it was forked with and the program's own. */
static void
cap_memory(uint64_t bytes)
{
	struct rlimit r;

	if (!LIMIT_DATA || bytes == 0 || getrlimit(RLIMIT_DATA, &r) != 0)
		return;
	r.rlim_cur = r.rlim_max != RLIM_INFINITY && bytes > r.rlim_max ? r.rlim_max : (rlim_t)bytes;
	(void)setrlimit(RLIMIT_DATA, &r);
}

/* Room for stacks, buffers of libraries and inherited memory, beside the counted memory. */
#define MEMORY_BESIDE (UINT64_C(64) << 20)

static void
on_cpu(int sig)
{
	tt_sink_unlink_all();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
cap_cpu(int64_t ns)
{
	rlim_t s = (rlim_t)(ns / 1000000000 + 2);
	const struct rlimit r = { s, s + 2 };

	signal(SIGXCPU, on_cpu);
	if (ns > 0)
		(void)setrlimit(RLIMIT_CPU, &r);
}

/* Move the descriptors that are needed to 3 and up, and close all others of the parent. Opens no further one, because few may be allowed. */
static void
keep_descriptors(struct tt_child *c, int *dir)
{
	int *keep[3] = { &c->sock, &c->in, dir }, next = 3;

	/* Move the lowest descriptor first: its new number cannot be one that another still has. */
	for (int last = 2; next < 6; next++) {
		int *low = NULL;

		for (int i = 0; i < 3; i++)
			if (*keep[i] > last && (!low || *keep[i] < *low))
				low = keep[i];
		if (!low)
			break;
		last = *low;
		if (*low != next)
			*low = dup2(*low, next);
	}
	close_range((unsigned)next, ~0u, 0);
}

/* Ask the parent for a ring, because nothing can be opened here. */
static int
ask_ring(void *arg, const char *path, unsigned *what, int *fd, struct tt_err *err)
{
	struct child *ch = arg;
	size_t n = strlen(path);
	int rc;

	if (n >= PATH_MAX || strpbrk(path, "\n"))
		return TT_OK;
	rc = tt_wire_send(ch->c->sock, &(struct tt_wire){ .kind = TT_WIRE_RING, .body = path, .nbody = n }, -1, err);
	TT_THEN(rc, tt_wire_take(ch->c->sock, what, fd, err));
	return rc == TT_OK && *what == TT_RING_FAILED ? tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: the system is short of descriptors or memory", path) : rc;
}

static void
begin(struct child *ch)
{
	const struct tt_scheduler_opts *o = ch->c->o;
	const struct tt_env *from = ch->c->env;
	const struct rlimit none = { 0, 0 };

	(void)setrlimit(RLIMIT_CORE, &none);
	if (from->sandbox != TT_SANDBOX_OFF)       /* TT_SANDBOX_OFF is for debuggers and tracers */
		(void)prctl(PR_SET_DUMPABLE, 0);
	/* Copies of big blocks are not worth a system call each. */
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
	/* calloc() need not clear memory that is new from the system, but would clear memory that malloc reserved in advance. */
	mallopt(M_TOP_PAD, 0);
	tt_loss_reset(&ch->loss);
	ch->env = (struct tt_env){ .loss = &ch->loss, .jobs = 1, .stop = from->stop, .spool_max = from->spool_max,
		.force = from->force, .spool_memory = from->spool_memory, .decoded_max = from->decoded_max, .ratio_max = from->ratio_max,
		.tmpdir = from->tmpdir, .ring = ask_ring, .ring_arg = ch };
	ch->env.mem.cap = (size_t)o->capture_memory;
}

/* --- telling ------------------------------------------------------------------- */

/* Send ${w} to the parent; exit if the parent is gone. */
static void
tell(struct child *ch, const struct tt_wire *w)
{
	ch->err.code = TT_OK;
	if (tt_wire_send(ch->c->sock, w, -1, &ch->err) != TT_OK && ch->err.code != TT_E_LIMIT)
		_exit(4);
}

/* Send a failed result without allocating memory. */
static void
tell_failed(struct child *ch, const char *body, uint64_t size, uint64_t hash)
{
	tell(ch, &(struct tt_wire){ .kind = TT_WIRE_RESULT, .size = size, .hash = hash, .body = body, .nbody = strlen(body) });
}

static void
tell_result(struct child *ch, const struct tt_buf *body, uint64_t size, uint64_t hash)
{
	struct tt_wire w = { .kind = TT_WIRE_RESULT, .size = size, .hash = hash, .body = body->p, .nbody = body->n };

	tell(ch, &w);
	if (ch->err.code == TT_E_LIMIT)
		tell_failed(ch, "\"outcome\":\"failed\",\"why\":\"limit\",\"detail\":\"its result is too long\"", size, hash);
}

/* Send a failed result with the reason in ch->err. */
static void
fail(struct child *ch, const char *why, uint64_t size, uint64_t hash)
{
	struct tt_buf body = { 0 };
	struct tt_err err = { 0 };

	if (tt_err_short_of_files(&ch->err))
		_exit(TT_CHILD_SHORT);
	if (tt_one_failed(&body, "failed", why, ch->err.msg, strlen(ch->err.msg), &err) == TT_OK)
		tell_result(ch, &body, size, hash);
	else
		tell_failed(ch, "\"outcome\":\"failed\",\"why\":\"memory\",\"detail\":\"out of memory\"", size, hash);
}

/* --- captures -------------------------------------------------------------------- */

static void
analyse(struct child *ch, uint64_t size, uint64_t hash)
{
	const struct tt_child *c = ch->c;
	struct tt_buf body = { 0 };
	int rc;

	cap_memory(c->o->capture_memory ? c->o->capture_memory + MEMORY_BESIDE : 0);
	/* An unpacker has no such limit: it may work for days, and is timed by its signs of life. */
	cap_cpu(c->o->capture_ns);
	rc = tt_one(&ch->env, c->o->one, c->in, c->member ? c->size : UINT64_MAX, c->key, c->nkey, &body, &ch->err);
	if (rc == TT_E_STOPPED)
		_exit(TT_CHILD_STOPPED);
	if (rc == TT_OK)
		tell_result(ch, &body, size, hash);
	else
		fail(ch, tt_one_why(rc), size, hash);
}

/* The hash of a file, read from its beginning to its end. */
static int
hash_file(struct child *ch, uint64_t *n, uint64_t *hash)
{
	struct stat st;
	const size_t size = fstat(ch->c->in, &st) == 0 && st.st_size > 0 && (uint64_t)st.st_size < COPY ? (size_t)st.st_size : COPY;
	uint8_t *p = tt_mem_alloc(&ch->env.mem, size, &ch->err);
	struct tt_hash h;
	ssize_t got = 1;

	*n = 0;
	tt_hash_init(&h);
	if (!p)
		return ch->err.code;
	while (got > 0 && !tt_stopped(&ch->env)) {
		got = pread(ch->c->in, p, size, (off_t)*n);
		if (got < 0 && errno == EINTR) {
			got = 1;
			continue;
		}
		if (got > 0) {
			tt_hash_add(&h, p, (size_t)got);
			*n += (uint64_t)got;
		}
	}
	tt_mem_free(&ch->env.mem, p, size);
	*hash = tt_hash_value(&h);
	return got < 0 ? tt_fail_sys(&ch->err, errno, "cannot read at byte %llu", (unsigned long long)*n) : TT_OK;
}

/* --- files ------------------------------------------------------------------------ */

static bool
is_done(void *arg, const char *key, size_t n, const uint64_t *hash)
{
	const struct tt_child *c = arg;

	return c->o->done && c->o->done(c->o->arg, c->file, key, n, hash);
}

static void
unpack(struct child *ch, struct tt_src *src, enum tt_archive_kind kind)
{
	const struct tt_child *c = ch->c;
	const struct tt_unpack_opts uo = {
		.formats = c->o->one->run.formats,
		.format = c->o->one->run.format,
		.shard = c->shard,
		.depth = c->o->depth,
		.members_max = c->o->members_max,
		.whole = c->o->verify,
		.done = is_done,
		.done_arg = (void *)(uintptr_t)c,
	};

	cap_memory(c->o->unpack_memory);
	ch->env.mem.cap = 0;          /* the limit above holds for libraries, too */
	tt_archive_use_locale();
	if (tt_unpack(&ch->env, &uo, src, kind, c->key, c->nkey, c->sock, &ch->err) != TT_OK)
		_exit(tt_stopped(&ch->env) ? TT_CHILD_STOPPED : tt_err_short_of_files(&ch->err) ? TT_CHILD_SHORT : 4);
}

static void
capture_file(struct child *ch, struct tt_src *src)
{
	const struct tt_child *c = ch->c;
	uint64_t n, hash;
	int rc;

	tt_src_close(src);
	rc = hash_file(ch, &n, &hash);
	if (rc != TT_OK) {
		fail(ch, tt_one_why(rc), n, hash);
	} else if (c->o->verify && is_done((void *)(uintptr_t)c, c->key, c->nkey, &hash)) {
		tell(ch, &(struct tt_wire){ .kind = TT_WIRE_SAME, .key = c->key, .nkey = c->nkey, .size = n, .hash = hash });
	} else {
		analyse(ch, n, hash);
	}
}

/* Handle a file: a capture, an archive, or neither. */
static void
file(struct child *ch)
{
	const struct tt_child *c = ch->c;
	const struct tt_format *f;
	struct tt_err why = { 0 };
	enum tt_archive_kind kind;
	struct tt_src *src;
	const uint8_t *head;
	const char *what;
	bool packed;
	size_t n;
	int in = fcntl(c->in, F_DUPFD_CLOEXEC, 3), rc;

	rc = in < 0 ? tt_fail_sys(&ch->err, errno, "cannot be read") : tt_src_open_fd(&ch->env, in, "file", &src, &ch->err);
	TT_THEN(rc, tt_src_peek(src, &head, &n, &ch->err));
	if (rc == TT_E_STOPPED)
		_exit(TT_CHILD_STOPPED);
	if (rc != TT_OK) {
		fail(ch, tt_one_why(rc), 0, 0);
		return;
	}
	if (c->o->one->run.format || tt_format_pick(c->o->one->run.formats, head, n, &f, &why) == TT_OK) {
		capture_file(ch, src);
		return;
	}
	packed = tt_src_info(src)->coding != TT_CODING_NONE;
	kind = tt_unpack_probe(&ch->env, &src, c->key, c->nkey, &head, &n);
	if (kind != TT_ARCHIVE_NONE) {
		unpack(ch, src, kind);
		return;
	}
	rc = tt_unpack_missed(c->o->one->run.formats, c->key, c->nkey, packed, head, n, &ch->err);
	if (rc != TT_OK) {
		fail(ch, tt_one_why(rc), 0, 0);
		return;
	}
	what = tt_unpack_kind_of(head, n);
	tell(ch, &(struct tt_wire){ .kind = TT_WIRE_OTHER, .body = what, .nbody = strlen(what) });
}

_Noreturn void
tt_child(const struct tt_child *given)
{
	struct tt_child c = *given;
	struct child ch = { .c = &c };
	int dir = c.o->dir;

	keep_descriptors(&c, &dir);
	begin(&ch);
	cap_memory(c.o->unpack_memory);
	if (dir >= 0 && fchdir(dir) != 0)
		_exit(4);
	if (c.o->confine && c.o->confine(c.o->arg, &ch.env, true, &ch.err) != TT_OK)
		fail(&ch, tt_one_why(ch.err.code), 0, 0);
	else if (c.member)
		analyse(&ch, 0, 0);
	else
		file(&ch);
	_exit(0);
}
