/**
 * Reads the bytes of members, and sends captures to the parent.
 */
#include "batch/unpacker.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/setting.h"
#include "batch/unpack.h"
#include "batch/wire.h"
#include "io/spool.h"

#define PIPE_SIZE (1 << 20)
#define TEE_FIRST ((size_t)64 << 10)

/* --- the bytes of a member ------------------------------------------------------------ */

/* Fail if the member exceeds the limits of decoded bytes or compression ratio; compressed bytes are those of its own archive's source. */
static int
check_member(const struct unpack *u, const struct level *l, struct tt_err *err)
{
	const struct tt_env *env = u->env;
	uint64_t raw = tt_archive_ntaken(l->ar) - l->taken_before + (64 << 10);

	if (env->decoded_max && l->given > env->decoded_max)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "gives more than the %llu decoded bytes allowed; raise %s",
		    (unsigned long long)env->decoded_max, tt_setting_name[TT_SETTING_DECODED]);
	if (env->ratio_max && l->given > (UINT64_C(64) << 20) && l->given / raw >= env->ratio_max)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE,
		    "%llu compressed bytes gave %llu decoded ones, over the ratio of %llu allowed; raise %s",
		    (unsigned long long)raw, (unsigned long long)l->given, (unsigned long long)env->ratio_max, tt_setting_name[TT_SETTING_RATIO]);
	return TT_OK;
}

/* Get the member's next bytes in place, decoded by the archive: first those that were kept. */
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
	TT_THEN(rc, tt_archive_borrow(l->ar, p, n, err));
	if (rc != TT_OK)
		return rc;
	l->given += *n;
	return tt_unpack_alive(u, err);
}

/* Copy the member's next bytes, and also keep them while its kind is not known. */
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
	if (l->keep && l->tee_n + n > TT_UNPACK_TEE)
		return TT_END;        /* the kind of a member must show within TT_UNPACK_TEE bytes */
	rc = check_member(u, l, err);
	TT_THEN(rc, tt_archive_read(l->ar, p, n, got, err));
	if (rc != TT_OK)
		return rc;
	l->given += *got;
	if (l->keep) {
		memcpy(l->tee + l->tee_n, p, *got);
		l->tee_n += *got;
		l->tee_at = l->tee_n;
	}
	return tt_unpack_alive(u, err);
}

int
tt_unpack_more(void *arg, void *p, size_t n, size_t *got, struct tt_err *err)
{
	struct tt_unpack_member *a = arg;

	return member_more(a->u, a->l, p, n, got, err);
}

int
tt_unpack_check(struct unpack *u, struct level *l, struct tt_err *why)
{
	const uint8_t *p;
	size_t n;
	int rc;

	l->keep = false;
	l->tee_at = l->tee_n;
	do
		rc = member_block(u, l, &p, &n, why);
	while (rc == TT_OK);
	return rc == TT_END ? TT_OK : rc;
}

/* --- captures --------------------------------------------------------------------------- */

struct copying {
	struct tt_hash hash;
	uint64_t n;
	int *fd;                      /* the slot's descriptor: memory, or a file */
	unsigned slot;
	const uint8_t *next;          /* bytes read that did not fit into the spool */
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
 * Copy the member to its spool until it ends (*${ended}), or exceeds the size that may be kept. If the archive is damaged, the bytes before the damage are
 * kept, and *${cut} has the reason.
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
			/* Bytes that no longer fit go through the pipe, after those that do. */
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

	w.flags = (stream ? TT_WIRE_STREAM : 0u) | (cut->code ? TT_WIRE_CUT : 0u) |
	    (cut->code == TT_E_LIMIT ? TT_WIRE_LIMIT : 0u) | c->slot << TT_WIRE_SLOT;
	if (cut->code) {
		w.body = cut->msg;
		w.nbody = strlen(cut->msg);
	}
	if (kind == TT_WIRE_MEMBER_END)
		w.nkey = 0;
	return tt_unpack_tell(u, &w, fd, err);
}

/* Send the rest of a large member through a pipe, whose other end the parent hands to the analysing process. */
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
		size_t some = c->n - from < TT_UNPACK_COPY ? (size_t)(c->n - from) : TT_UNPACK_COPY;
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

int
tt_unpack_capture(struct unpack *u, struct level *l, struct tt_err *err)
{
	struct copying c = { .next = NULL };
	struct tt_err cut = { 0 };
	bool ended;
	int rc;

	u->rec.captures++;
	if (!u->o->whole && is_done(u, NULL))
		return TT_OK;
	rc = tt_unpack_await(u, &c.slot, err);
	if (rc != TT_OK)
		return rc;
	tt_hash_init(&c.hash);
	l->keep = false;
	l->tee_at = 0;
	c.fd = &u->slot[c.slot];
	/* Overwrite an earlier capture in the slot, so that no new pages of memory are needed. */
	rc = *c.fd >= 0 ? TT_OK : tt_spool_open(u->env, c.fd, err);
	TT_THEN(rc, spool_member(u, l, &c, u->o->whole, &ended, &cut, err));
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
