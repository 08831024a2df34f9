/**
 * The unpacker; the contract is in unpack.h.
 */
#include "batch/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hash.h"
#include "batch/record.h"
#include "batch/wire.h"
#include "io/spool.h"

#define COPY ((size_t)256 << 10)
#define PIPE_SIZE (1 << 20)
#define ZIP_BLOCK ((size_t)8 << 10)     /* where shards pass over most members */
#define ALIVE_BYTES (UINT64_C(8) << 20)
#define ALIVE_MEMBERS 4096

/* What one archive of the nest has of its own. */
struct level {
	struct level *outer;
	struct tt_archive *ar;
	struct tt_src *src;
	unsigned depth;
	size_t key_n;                 /* of the run's key: the archive's part */
	struct names { uint64_t *hash; uint32_t *count; size_t n, cap; } names;       /* how often each name was met */
	/* the member at hand */
	struct tt_member m;
	uint8_t *tee;                 /* its first bytes, kept until it is known what it is; TEE_MAX */
	size_t tee_n, tee_at;
	bool keep;                    /* what is read goes to tee as well */
	uint64_t given;               /* bytes of it read */
	uint64_t taken_before;        /* of the source, when it began */
};

#define TEE_FIRST ((size_t)64 << 10)
#define TEE_MAX ((size_t)2 << 20)

struct unpack {
	struct tt_env *env;
	const struct tt_unpack_opts *o;
	int sock;
	struct tt_buf key;
	struct tt_record rec;
	uint64_t index;               /* members so far, in all levels */
	uint64_t top_index;           /* in the outermost */
	uint64_t alive_at, alive_index;
	struct tt_src *file;
	struct level *top;
	uint8_t *copy;                /* COPY */
	int slot[256];                /* spools by the number the parent's leave gives; -1: none */
	struct tt_err gone;           /* why the parent cannot be told; code TT_OK: it can */
};

/* --- telling the parent ----------------------------------------------------------- */

static int
tell(struct unpack *u, const struct tt_wire *w, int fd, struct tt_err *err)
{
	int rc = tt_wire_send(u->sock, w, fd, err);

	if (rc != TT_OK)
		u->gone = *err;
	return rc;
}

/* The first few complaints of a kind are told at once; all are counted. */
static int
complain(struct unpack *u, const char *kind, struct tt_err *err, const char *fmt, ...) TT_PRINTF(4, 5);

static int
complain(struct unpack *u, const char *kind, struct tt_err *err, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (char *p = text; *p; p++) {
		if ((unsigned char)*p < 0x20)
			*p = '?';
	}
	int rc = tt_record_complain(&u->rec, kind, u->top_index, text, err);

	if (rc != TT_END)
		return rc;
	return tell(u, &(struct tt_wire){ .kind = TT_WIRE_COMPLAINT, .index = u->index, .key = kind, .nkey = strlen(kind),
	    .body = text, .nbody = strlen(text) }, -1, err);
}

/* Let the parent know now and then that the work goes on, and how far it is. */
static int
alive(struct unpack *u, struct tt_err *err)
{
	uint64_t raw = u->top && tt_src_info(u->file)->seekable ? tt_archive_taken(u->top->ar) : tt_src_info(u->file)->raw_at;

	if (raw < u->alive_at + ALIVE_BYTES && u->index < u->alive_index + ALIVE_MEMBERS)
		return TT_OK;
	u->alive_at = raw;
	u->alive_index = u->index;
	return tell(u, &(struct tt_wire){ .kind = TT_WIRE_ALIVE, .size = raw }, -1, err);
}

/* Wait for leave to send a capture: *${slot} is the place whose descriptor is free. */
static int
await_leave(struct unpack *u, unsigned *slot, struct tt_err *err)
{
	for (;;) {
		unsigned char c;
		ssize_t n = recv(u->sock, &c, 1, 0);

		if (n == 1) {
			*slot = c;
			return TT_OK;
		}
		if (tt_stopped(u->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		if (n == 0)
			return tt_fail(&u->gone, TT_E_IO, TT_NOWHERE, "the parent is gone");
		if (errno == EAGAIN) {
			struct pollfd wait = { .fd = u->sock, .events = POLLIN };

			poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			return tt_fail_sys(err, errno, "cannot hear the parent");
		}
	}
}

/* --- the bytes of a member ------------------------------------------------------------ */

/* Does the member inflate beyond all measure? Bytes taken are those of its own archive's source. */
static int
check_member(const struct unpack *u, const struct level *l, struct tt_err *err)
{
	const struct tt_env *env = u->env;
	uint64_t raw = tt_archive_taken(l->ar) - l->taken_before + (64 << 10);

	if (env->decoded_max && l->given > env->decoded_max)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "gives more than the %llu decoded bytes allowed; raise --max-decoded",
		    (unsigned long long)env->decoded_max);
	if (env->ratio_max && l->given > (UINT64_C(64) << 20) && l->given / raw >= env->ratio_max)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE,
		    "%llu compressed bytes gave %llu decoded ones, over the ratio of %llu allowed; raise --max-ratio",
		    (unsigned long long)raw, (unsigned long long)l->given, (unsigned long long)env->ratio_max);
	return TT_OK;
}

/* The member's next bytes as they lie in its archive, in place: first those that were kept. */
static int
member_block(struct unpack *u, struct level *l, const uint8_t **p, size_t *n, struct tt_err *err)
{
	int rc;

	if (l->tee_at < l->tee_n) {
		*p = l->tee + l->tee_at;
		*n = l->tee_n - l->tee_at;
		l->tee_at = l->tee_n;
		return TT_OK;
	}
	rc = check_member(u, l, err);
	if (rc == TT_OK)
		rc = tt_archive_block(l->ar, p, n, err);
	if (rc != TT_OK)
		return rc;
	l->given += *n;
	return alive(u, err);
}

/* The same as a copy, which is kept as well while it is not known what the member is. */
static int
member_more(struct unpack *u, struct level *l, void *p, size_t n, size_t *got, struct tt_err *err)
{
	int rc;

	*got = 0;
	if (l->tee_at < l->tee_n) {
		*got = l->tee_n - l->tee_at < n ? l->tee_n - l->tee_at : n;
		memcpy(p, l->tee + l->tee_at, *got);
		l->tee_at += *got;
		return TT_OK;
	}
	if (l->keep && n > TEE_FIRST)
		n = TEE_FIRST;
	if (l->keep && l->tee_n + n > TEE_MAX)
		return TT_END;        /* who needs more to know what it is does not know it */
	rc = check_member(u, l, err);
	if (rc == TT_OK)
		rc = tt_archive_read(l->ar, p, n, got, err);
	if (rc != TT_OK)
		return rc;
	l->given += *got;
	if (l->keep) {
		memcpy(l->tee + l->tee_n, p, *got);
		l->tee_n += *got;
		l->tee_at = l->tee_n;
	}
	return alive(u, err);
}

struct more_arg { struct unpack *u; struct level *l; };

static int
on_more(void *arg, void *p, size_t n, size_t *got, struct tt_err *err)
{
	struct more_arg *a = arg;

	return member_more(a->u, a->l, p, n, got, err);
}

/* --- captures --------------------------------------------------------------------------- */

struct copying {
	struct tt_hash hash;
	uint64_t n;
	int *fd;                      /* the slot's: memory, or a file */
	unsigned slot;
	const uint8_t *next;          /* what came, and did not fit */
	size_t nnext;
	bool reader_gone;
};

static int
write_all(struct unpack *u, int fd, const uint8_t *p, size_t n, bool *gone, struct tt_err *err)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);

		if (k < 0 && errno == EPIPE) {
			*gone = true;
			return TT_OK;
		}
		if (k < 0 && errno == EINTR && !tt_stopped(u->env))
			continue;
		if (k < 0)
			return tt_fail_sys(err, errno, "cannot hand on a capture");
		p += k;
		n -= (size_t)k;
	}
	return TT_OK;
}

/*
 * Copy the member to its spool until it ends, or is larger than may be kept: TT_OK with *${ended} or not.
 * Where the archive is damaged, what came before is there, and *${cut} says why.
 */
static int
spool_member(struct unpack *u, struct level *l, struct copying *c, bool whole, bool *ended, struct tt_err *cut,
    struct tt_err *err)
{
	*ended = true;
	for (;;) {
		const uint8_t *p;
		size_t got;
		int rc = member_block(u, l, &p, &got, cut);

		if (rc == TT_END)
			return TT_OK;
		if (rc == TT_E_STOPPED || u->gone.code) {
			*err = u->gone.code ? u->gone : *cut;
			return rc;
		}
		if (rc != TT_OK)
			return TT_OK; /* the reason is in ${cut} */
		if (c->n + got > u->env->spool_memory && !whole) {
			/* What does not fit any more goes down the pipe, behind what does. */
			c->next = p;
			c->nnext = got;
			*ended = false;
			return TT_OK;
		}
		rc = tt_spool_add(u->env, c->fd, c->n, p, got, err);
		if (rc != TT_OK)
			return rc;
		tt_hash_add(&c->hash, p, got);
		c->n += got;
	}
}

static int
tell_member(struct unpack *u, enum tt_wire_kind kind, const struct copying *c, int fd, bool stream,
    const struct tt_err *cut, struct tt_err *err)
{
	struct tt_wire w = { .kind = kind, .index = u->index, .size = c->n, .hash = tt_hash_value(&c->hash),
		.key = u->key.p, .nkey = u->key.n };

	w.flags = (stream ? TT_WIRE_STREAM : 0u) | (cut->code ? TT_WIRE_CUT : 0u) | c->slot << TT_WIRE_SLOT;
	if (cut->code) {
		w.body = cut->msg;
		w.nbody = strlen(cut->msg);
	}
	if (kind == TT_WIRE_MEMBER_END)
		w.nkey = 0;
	return tell(u, &w, fd, err);
}

/* Send the rest of a large member down a pipe, whose other end the parent hands to who analyses it. */
static int
stream_member(struct unpack *u, struct level *l, struct copying *c, struct tt_err *err)
{
	struct tt_err cut = { 0 };
	uint64_t from = 0;
	int rc, p[2];

	if (pipe2(p, O_CLOEXEC) != 0)
		return tt_fail_sys(err, errno, "cannot make a pipe");
	(void)fcntl(p[1], F_SETPIPE_SZ, PIPE_SIZE);
	rc = tell_member(u, TT_WIRE_MEMBER, c, p[0], true, &cut, err);
	close(p[0]);
	while (rc == TT_OK && from < c->n && !c->reader_gone) {
		size_t some = c->n - from < COPY ? (size_t)(c->n - from) : COPY;
		ssize_t got = pread(*c->fd, u->copy, some, (off_t)from);

		if (got <= 0)
			rc = tt_fail_sys(err, got ? errno : EIO, "cannot read a spool");
		else
			rc = write_all(u, p[1], u->copy, (size_t)got, &c->reader_gone, err);
		from += got > 0 ? (uint64_t)got : 0;
	}
	while (rc == TT_OK && !c->reader_gone) {
		tt_hash_add(&c->hash, c->next, c->nnext);
		c->n += c->nnext;
		rc = write_all(u, p[1], c->next, c->nnext, &c->reader_gone, err);
		if (rc == TT_OK && member_block(u, l, &c->next, &c->nnext, &cut) != TT_OK)
			break;
	}
	close(p[1]);
	if (rc != TT_OK || cut.code == TT_E_STOPPED || u->gone.code) {
		if (rc == TT_OK)
			*err = cut.code == TT_E_STOPPED ? cut : u->gone;
		return err->code;
	}
	return tell_member(u, TT_WIRE_MEMBER_END, c, -1, true, &cut, err);
}

static bool
is_done(const struct unpack *u, const uint64_t *hash)
{
	return u->o->done && u->o->done(u->o->done_arg, u->key.p, u->key.n, hash);
}

static int
capture(struct unpack *u, struct level *l, struct tt_err *err)
{
	struct copying c = { .next = NULL };
	struct tt_err cut = { 0 };
	bool ended;
	int rc;

	u->rec.captures++;
	if (!u->o->whole && is_done(u, NULL))
		return TT_OK;
	rc = await_leave(u, &c.slot, err);
	if (rc != TT_OK)
		return rc;
	tt_hash_init(&c.hash);
	l->keep = false;
	l->tee_at = 0;
	c.fd = &u->slot[c.slot];
	/* What an earlier capture had there is written over: memory that is there costs no new pages. */
	rc = *c.fd >= 0 ? TT_OK : tt_spool_open(u->env, c.fd, err);
	if (rc == TT_OK)
		rc = spool_member(u, l, &c, u->o->whole, &ended, &cut, err);
	if (rc == TT_E_LIMIT) {
		cut = *err;
		ended = true;
		rc = TT_OK;
	}
	if (rc == TT_OK && !ended) {
		rc = stream_member(u, l, &c, err);
	} else if (rc == TT_OK) {
		uint64_t hash = tt_hash_value(&c.hash);
		bool same = u->o->whole && !cut.code && is_done(u, &hash);

		rc = tell_member(u, same ? TT_WIRE_SAME : TT_WIRE_MEMBER, &c, same ? -1 : *c.fd, false, &cut, err);
	}
	/* A file, or memory beyond its usual size, is not kept. */
	if (*c.fd >= 0 && c.n > u->env->spool_memory) {
		close(*c.fd);
		*c.fd = -1;
	}
	return rc;
}

/* --- what a member is ---------------------------------------------------------------------- */

const char *
tt_unpack_kind_of(const uint8_t *p, size_t n)
{
	static const struct { const char *magic; size_t n; const char *kind; } known[] = {
		{ "\x89PNG", 4, "image" }, { "\xff\xd8\xff", 3, "image" }, { "GIF8", 4, "image" },
		{ "\x7f" "ELF", 4, "program" }, { "MZ", 2, "program" },
		{ "{", 1, "JSON" }, { "[", 1, "JSON" }, { "<", 1, "XML" },
		{ "Rar!", 4, "other archive" }, { "MSCF", 4, "other archive" },
		{ "version https://git-lfs", 23, "Git LFS pointer" },
	};
	bool zero = true;

	if (n == 0)
		return "empty";
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (n >= known[i].n && memcmp(p, known[i].magic, known[i].n) == 0)
			return known[i].kind;
	}
	for (size_t i = 0; i < n && zero; i++)
		zero = p[i] == 0;
	if (zero)
		return "zeros";
	for (size_t i = 0; i < n; i++) {
		if (p[i] < 0x20 && p[i] != '\n' && p[i] != '\t' && p[i] != '\r' && p[i] != '\f')
			return "other";
	}
	return "text";
}

static int walk(struct unpack *u, struct level *l, enum tt_archive_kind kind, struct tt_err *err);

/* Where the archive cannot be read in order: put its source, which is closed, into one that can be sought. */
static int
spool_archive(struct unpack *u, struct tt_src **src, enum tt_archive_kind kind, struct tt_err *err)
{
	const uint8_t *head;
	uint64_t n = 0;
	int rc, fd = -1;
	size_t got;

	rc = tt_src_peek(*src, &head, &got, err);
	if (rc != TT_OK || tt_src_info(*src)->seekable || tt_archive_in_order(kind, head, got))
		return rc;
	rc = tt_spool_open(u->env, &fd, err);
	while (rc == TT_OK && (rc = tt_src_read(*src, u->copy, COPY, &got, err)) == TT_OK) {
		rc = tt_spool_add(u->env, &fd, n, u->copy, got, err);
		n += got;
	}
	tt_src_close(*src);
	*src = NULL;
	u->rec.spooled += n;
	/* Of one that is cut, what came may still hold members; what is missing is told when it is missed. */
	if (rc == TT_END || rc == TT_E_DAMAGED)
		return lseek(fd, 0, SEEK_SET) == 0 ? tt_src_open_fd(u->env, fd, "archive", src, err) :
		    tt_fail_sys(err, errno, "cannot seek in a spool");
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Go into an archive that is a member; ${src} gives its decoded bytes, and is closed. */
static int
nested(struct unpack *u, struct level *outer, struct tt_src *src, enum tt_archive_kind kind, struct tt_err *err)
{
	struct level l = { .outer = outer, .depth = outer->depth + 1, .src = src, .key_n = u->key.n };
	struct tt_err why = { 0 };
	int rc;

	if (l.depth > u->o->depth) {
		tt_src_close(src);
		return complain(u, "depth", err, "%.*s: an archive inside %u others is not opened; raise --nesting",
		    (int)u->key.n, u->key.p, l.depth);
	}
	rc = spool_archive(u, &l.src, kind, &why);
	if (rc == TT_OK)
		rc = walk(u, &l, kind, err);
	else if (rc != TT_E_STOPPED)
		rc = complain(u, rc == TT_E_LIMIT ? "limit" : "damaged", err, "%.*s: %s", (int)u->key.n, u->key.p, why.msg);
	tt_src_close(l.src);
	return rc;
}

/* See what the member is, and do with it what is to be done. u->key is the member's. */
static int
member(struct unpack *u, struct level *l, struct tt_err *err)
{
	struct more_arg arg = { u, l };
	const struct tt_format *f;
	enum tt_archive_kind kind;
	struct tt_err why = { 0 };
	struct tt_src *src;
	const uint8_t *head;
	size_t n;
	int rc;

	l->keep = true;
	l->tee_n = l->tee_at = 0;
	l->given = 0;
	l->taken_before = tt_archive_taken(l->ar);
	rc = tt_src_open_more(u->env, on_more, &arg, "member", &src, &why);
	if (rc == TT_OK) {
		rc = tt_src_peek(src, &head, &n, &why);
		if (rc != TT_OK) {
			tt_src_close(src);
			src = NULL;
		}
	} else {
		src = NULL;
	}
	if (rc == TT_E_STOPPED || rc == TT_E_NOMEM || u->gone.code) {
		*err = u->gone.code ? u->gone : why;
		tt_src_close(src);
		return rc;
	}
	if (rc != TT_OK)
		return complain(u, rc == TT_E_LIMIT ? "limit" : "damaged", err, "%.*s: %s", (int)u->key.n, u->key.p, why.msg);
	if (u->o->format || tt_format_pick(u->o->formats, head, n, &f, &why) == TT_OK) {
		tt_src_close(src);
		return capture(u, l, err);
	}
	kind = tt_archive_probe(head, n);
	if (kind == TT_ARCHIVE_NONE) {
		rc = tt_record_kind(&u->rec, tt_unpack_kind_of(head, n), err);
		tt_src_close(src);
		return rc;
	}
	l->keep = false;
	rc = tt_record_kind(&u->rec, "archive", err);
	if (rc != TT_OK) {
		tt_src_close(src);
		return rc;
	}
	return nested(u, l, src, kind, err);
}

/* --- going through an archive ------------------------------------------------------------------ */

/* How often this name came in this archive, with this one. */
static int
ordinal_of(struct unpack *u, struct level *l, const char *path, uint32_t *ordinal, struct tt_err *err)
{
	uint64_t h = tt_hash_bytes(path, strlen(path)) | 1;
	struct names *s = &l->names;

	if (2 * (s->n + 1) > s->cap) {
		struct names old = *s;

		s->cap = old.cap ? 2 * old.cap : 256;
		s->hash = tt_mem_alloc(&u->env->mem, s->cap * sizeof *s->hash, err);
		s->count = tt_mem_alloc(&u->env->mem, s->cap * sizeof *s->count, err);
		if (!s->hash || !s->count) {
			tt_mem_free(&u->env->mem, s->hash, s->cap * sizeof *s->hash);
			*s = old;
			return err->code;
		}
		for (size_t i = 0; i < old.cap; i++) {
			size_t at = old.hash[i] & (s->cap - 1);

			if (!old.hash[i])
				continue;
			while (s->hash[at])
				at = (at + 1) & (s->cap - 1);
			s->hash[at] = old.hash[i];
			s->count[at] = old.count[i];
		}
		tt_mem_free(&u->env->mem, old.hash, old.cap * sizeof *old.hash);
		tt_mem_free(&u->env->mem, old.count, old.cap * sizeof *old.count);
	}
	size_t at = h & (s->cap - 1);
	while (s->hash[at] && s->hash[at] != h)
		at = (at + 1) & (s->cap - 1);
	s->n += !s->hash[at];
	s->hash[at] = h;
	*ordinal = ++s->count[at];
	return TT_OK;
}

/* Does the name try to lead somewhere, or to deceive whoever reads it? We never use it as a path: it is only told. */
static bool
odd_name(const char *s)
{
	if (s[0] == '/' || s[0] == '\0')
		return true;
	for (const char *p = s; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return true;
		if ((p == s || p[-1] == '/') && p[0] == '.' && p[1] == '.' && (p[2] == '/' || p[2] == '\0'))
			return true;
	}
	return false;
}

/* One member of any kind. */
static int
one_member(struct unpack *u, struct level *l, bool sharded, struct tt_err *err)
{
	static const char *const kind_name[] = { [TT_MEMBER_DIRECTORY] = "directory", [TT_MEMBER_LINK] = "link",
		[TT_MEMBER_DEVICE] = "device", [TT_MEMBER_ENCRYPTED] = "encrypted" };
	uint32_t ordinal = 1;
	bool mine;
	int rc = TT_OK;

	if (l->m.kind == TT_MEMBER_FILE)
		rc = ordinal_of(u, l, l->m.path, &ordinal, err);
	if (rc == TT_OK)
		rc = tt_key_member(&u->key, l->m.path, ordinal, err);
	if (rc != TT_OK)
		return rc;
	mine = !sharded || tt_shard_owns(&u->o->shard, u->key.p, u->key.n);
	if (!mine)
		return TT_OK;
	u->rec.members++;
	if (odd_name(l->m.path))
		rc = complain(u, "name", err, "%.*s: an odd name; nothing is written under it", (int)u->key.n, u->key.p);
	if (rc == TT_OK && l->m.kind == TT_MEMBER_ENCRYPTED)
		rc = complain(u, "encrypted", err, "%.*s: encrypted: not read", (int)u->key.n, u->key.p);
	if (rc != TT_OK)
		return rc;
	if (l->m.kind != TT_MEMBER_FILE)
		return tt_record_kind(&u->rec, kind_name[l->m.kind], err);
	if (l->m.size == 0)
		return tt_record_kind(&u->rec, "empty", err);
	return member(u, l, err);
}

static void
free_level(struct unpack *u, struct level *l)
{
	tt_archive_close(l->ar);
	l->ar = NULL;
	tt_mem_free(&u->env->mem, l->tee, TEE_MAX);
	tt_mem_free(&u->env->mem, l->names.hash, l->names.cap * sizeof *l->names.hash);
	tt_mem_free(&u->env->mem, l->names.count, l->names.cap * sizeof *l->names.count);
}

/* All members of l->src. */
static int
walk(struct unpack *u, struct level *l, enum tt_archive_kind kind, struct tt_err *err)
{
	bool sharded = l->depth == 0 && kind == TT_ARCHIVE_ZIP && u->o->shard.count > 1;
	struct tt_err why = { 0 };
	int rc = TT_OK;

	l->tee = tt_mem_alloc(&u->env->mem, TEE_MAX, err);
	if (!l->tee)
		return err->code;
	rc = tt_archive_open(u->env, l->src, kind, sharded ? ZIP_BLOCK : 0, &l->ar, &why);
	if (l->depth == 0)
		u->top = l;
	while (rc == TT_OK) {
		u->key.n = l->key_n;
		rc = tt_archive_next(l->ar, &l->m, &why);
		if (rc != TT_OK)
			break;
		if (++u->index > u->o->members_max) {
			rc = tt_fail(&why, TT_E_LIMIT, TT_NOWHERE, "more than %llu members; raise --max-members",
			    (unsigned long long)u->o->members_max);
			break;
		}
		u->top_index += l->depth == 0;
		rc = one_member(u, l, sharded, err);
		if (rc == TT_OK)
			rc = alive(u, err);
		if (rc != TT_OK) {
			free_level(u, l);
			return rc;
		}
	}
	u->key.n = l->key_n;
	if (rc == TT_E_STOPPED || rc == TT_E_NOMEM)
		*err = why;
	else if (rc != TT_END && l->depth == 0)
		rc = tt_record_fail(&u->rec, rc, why.msg, err);
	else if (rc != TT_END)
		rc = complain(u, rc == TT_E_LIMIT ? "limit" : "damaged", err, "%.*s: %s", (int)u->key.n, u->key.p, why.msg);
	free_level(u, l);
	return rc == TT_END ? TT_OK : rc;
}

int
tt_unpack(struct tt_env *env, const struct tt_unpack_opts *o, struct tt_src *src, enum tt_archive_kind kind,
    const char *key, size_t n, int sock, struct tt_err *err)
{
	struct unpack u = { .env = env, .o = o, .sock = sock, .file = src };
	struct level l = { .src = src };
	struct tt_err why = { 0 };
	struct tt_buf body = { 0 };
	int rc = tt_buf_add(&u.key, key, n, err);

	l.key_n = n;
	for (size_t i = 0; i < sizeof u.slot / sizeof u.slot[0]; i++)
		u.slot[i] = -1;
	u.copy = tt_mem_alloc(&env->mem, COPY, err);
	if (!u.copy)
		rc = err->code;
	if (rc == TT_OK)
		rc = tell(&u, &(struct tt_wire){ .kind = TT_WIRE_ARCHIVE, .body = tt_archive_name[kind],
		    .nbody = strlen(tt_archive_name[kind]) }, -1, err);
	tt_record_begin(&u.rec, tt_archive_name[kind]);
	if (rc == TT_OK) {
		rc = spool_archive(&u, &l.src, kind, &why);
		u.file = l.src;
	}
	if (rc == TT_OK)
		rc = walk(&u, &l, kind, err);
	else if (why.code && rc != TT_E_STOPPED && rc != TT_E_NOMEM)
		rc = tt_record_fail(&u.rec, rc, why.msg, err);
	/* The system said no (a full disk under the spool), or there is no more memory: what was read so far stands. */
	if (rc == TT_E_IO && !u.gone.code)
		rc = tt_record_fail(&u.rec, rc, err->msg, &why);
	else if (rc == TT_E_NOMEM)
		rc = tt_record_fail(&u.rec, TT_E_LIMIT, "no more memory for its unpacker; raise --unpack-memory", &why);
	if (rc == TT_OK)
		rc = tt_record_put(&u.rec, &body, err);
	if (rc == TT_OK)
		rc = tell(&u, &(struct tt_wire){ .kind = TT_WIRE_END, .body = body.p, .nbody = body.n }, -1, err);
	for (size_t i = 0; i < sizeof u.slot / sizeof u.slot[0]; i++) {
		if (u.slot[i] >= 0)
			close(u.slot[i]);
	}
	tt_mem_free(&env->mem, u.copy, COPY);
	tt_buf_free(&u.key);
	tt_buf_free(&body);
	tt_record_free(&u.rec);
	tt_src_close(l.src);
	return rc;
}
