/**
 * Walks over an archive in a process of its own and hands out its members.
 */
#include "batch/unpacker.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/setting.h"
#include "batch/split.h"
#include "batch/unpack.h"
#include "batch/wire.h"
#include "io/spool.h"
#include "model/format.h"

static int walk(struct unpack *u, struct level *l, struct tt_err *err);

/* The kind of a complaint about what could not be read because of ${rc}. */
static const char *
kind_of_failure(int rc)
{
	return rc == TT_E_LIMIT ? "limit" : rc == TT_E_UNKNOWN ? "unsupported" : "damaged";
}

/* Complain that the input u->key is not read, or not all of it. */
static int
complain(struct unpack *u, const char *kind, const char *why, struct tt_err *err)
{
	/* Names of sources are stripped from the message, which has the key in front. */
	static const char *const called[] = { "member: ", "archive: " };

	for (size_t i = 0; i < sizeof called / sizeof *called; i++)
		if (strncmp(why, called[i], strlen(called[i])) == 0)
			why += strlen(called[i]);
	return tt_unpack_complain(u, kind, err, "%.*s: %s", (int)u->key.n, u->key.p, why);
}

/* Fail if some bytes of ${src}, which was read to its end, were not compressed data; their content is lost. */
static int
garbage(const struct tt_src *src, struct tt_err *why)
{
	uint64_t n = tt_src_ngarbage(src);

	return n == 0 ? TT_OK : tt_fail(why, TT_E_DAMAGED, TT_NOWHERE, "%llu B after the compressed data were not read; members may be lost: "
	    "check the file (gzip -t)", (unsigned long long)n);
}

/*
 * If an archive cannot be read in order: copy its source, which is then closed, to one that can seek. ${why} tells what is wrong
 * with it, even with TT_OK: then the part that could be copied is used.
 */
static int
spool_archive(struct unpack *u, struct tt_src **src, enum tt_archive_kind kind, struct tt_err *why)
{
	struct tt_err err = { 0 };
	uint64_t n = 0;
	int rc, fd = -1;
	size_t got;

	if (kind == TT_ARCHIVE_TAR || tt_src_info(*src)->seekable)
		return TT_OK;
	rc = tt_spool_open(u->env, &fd, &err);
	while (rc == TT_OK && (rc = tt_src_read(*src, u->copy, TT_UNPACK_COPY, &got, &err)) == TT_OK) {
		rc = tt_spool_add(u->env, &fd, n, u->copy, got, &err);
		n += got;
	}
	if (rc < 0)
		*why = err;
	else
		garbage(*src, why);
	tt_src_close(*src);
	*src = NULL;
	u->rec.spooled += n;
	/* The first part of a cut archive may still hold members. */
	if (rc == TT_END || rc == TT_E_DAMAGED)
		return lseek(fd, 0, SEEK_SET) == 0 ? tt_src_open_fd(u->env, fd, "archive", src, &err) == TT_OK ? TT_OK :
		    (*why = err, err.code) : tt_fail_sys(why, errno, "cannot seek in a spool");
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Go into an archive that is a member; ${src} gives its decoded bytes, and is closed. */
static int
nested(struct unpack *u, struct level *outer, struct tt_src *src, enum tt_archive_kind kind, struct tt_err *err)
{
	struct level l = { .kind = kind, .depth = outer->depth + 1, .src = src, .key_n = u->key.n };
	struct tt_err why = { 0 };
	int rc, complaint = TT_OK;

	if (l.depth > u->o->depth) {
		tt_src_close(src);
		return tt_unpack_complain(u, "limit", err, "%.*s: an archive nested %u deep is not opened; raise %s",
		    (int)u->key.n, u->key.p, l.depth, tt_setting_name[TT_SETTING_NESTING]);
	}
	rc = spool_archive(u, &l.src, kind, &why);
	if (rc == TT_E_STOPPED || rc == TT_E_NOMEM || rc == TT_E_IO) {
		/* This is no fault of the archive, which is to be tried again. */
		*err = why;
		return rc;
	}
	if (why.code)
		complaint = complain(u, kind_of_failure(why.code), why.msg, err);
	if (rc == TT_OK && complaint == TT_OK)
		complaint = walk(u, &l, err);
	tt_src_close(l.src);
	return complaint;
}

/* True if damage may have changed the member's kind, and the archive has a checksum that would show it. */
static bool
doubtful(const struct level *l, const char *kind)
{
	return l->kind != TT_ARCHIVE_TAR && (strcmp(kind, "other") == 0 || strcmp(kind, "text") == 0);
}

/* A member that is neither capture nor archive is counted, and reported if its name says that it should be one. */
static int
other(struct unpack *u, struct level *l, bool packed, const uint8_t *head, size_t n, struct tt_err *err)
{
	const char *kind = l->m.kind == TT_MEMBER_LINK ? "link" : tt_unpack_kind_of(head, n);
	struct tt_err why;
	int rc = tt_record_kind(&u->rec, kind, err);
	int odd = tt_unpack_missed(u->o->formats, l->m.path, strlen(l->m.path), packed, head, n, &why);

	if (odd == TT_OK && doubtful(l, kind))
		odd = tt_unpack_check(u, l, &why);
	if (odd == TT_E_STOPPED || odd == TT_E_NOMEM || u->gone.code) {
		*err = u->gone.code ? u->gone : why;
		return err->code;
	}
	return rc == TT_OK && odd != TT_OK ? complain(u, kind_of_failure(odd), why.msg, err) : rc;
}

/* Find the member's kind, and handle it. u->key is the member's. */
static int
member(struct unpack *u, struct level *l, struct tt_err *err)
{
	struct tt_unpack_member arg = { u, l };
	const struct tt_format *f;
	enum tt_archive_kind kind;
	struct tt_err why = { 0 };
	struct tt_src *src;
	const uint8_t *head;
	bool packed;
	size_t n;
	int rc;

	l->keep = true;
	l->tee_n = l->tee_at = 0;
	l->given = 0;
	l->taken_before = tt_archive_ntaken(l->ar);
	rc = tt_src_open_supply(u->env, tt_unpack_more, &arg, "member", &src, &why);
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
		return complain(u, kind_of_failure(rc), why.msg, err);
	if (u->o->format || tt_format_pick(u->o->formats, head, n, &f, &why) == TT_OK) {
		tt_src_close(src);
		return tt_unpack_capture(u, l, err);
	}
	packed = tt_src_info(src)->coding != TT_CODING_NONE;
	kind = tt_unpack_probe(u->env, &src, l->m.path, strlen(l->m.path), &head, &n);
	if (kind == TT_ARCHIVE_NONE) {
		rc = other(u, l, packed, head, n, err);
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

/* True if shards share the members of the outermost archive: a tar whose headers can be read without the data between them. */
static bool
is_shared(const struct unpack *u, enum tt_archive_kind kind)
{
	const struct tt_src_info *in = tt_src_info(u->file);

	return u->o->shard.count > 1 && (kind == TT_ARCHIVE_ZIP || (kind == TT_ARCHIVE_TAR && in->coding == TT_CODING_NONE && in->seekable));
}

/* True if the member at hand, u->key, belongs to this shard: by its offset, so that shards have equally many bytes; if that is not known, by its name. */
static bool
is_mine(const struct unpack *u, const struct level *l)
{
	if (l->m.at == UINT64_MAX)
		return tt_shard_owns(&u->o->shard, u->key.p, u->key.n);
	return tt_split_stretch(l->m.at, tt_src_info(u->file)->size, u->o->shard.count) == u->o->shard.index;
}

/* Bytes of a tar, from a member's header on, that distinguish it from a member of the same name and size. */
#define LISTED ((size_t)1024)

/* Add the member at hand to the hash of the listing, which shows if an archive was replaced by one of the same length between two shards. */
static void
list_member(struct unpack *u, const struct level *l)
{
	const struct tt_member *m = &l->m;
	uint8_t head[LISTED];
	struct tt_err ignored;
	size_t got = 0;

	if (m->at == UINT64_MAX || (l->kind == TT_ARCHIVE_TAR && tt_src_pread(u->file, m->at, head, sizeof head, &got, &ignored) != TT_OK)) {
		u->unlisted = true;
		return;
	}
	tt_hash_add(&u->listing, m->path, strlen(m->path) + 1);
	tt_hash_add(&u->listing, &m->size, sizeof m->size);
	tt_hash_add(&u->listing, &m->at, sizeof m->at);
	tt_hash_add(&u->listing, &m->crc, sizeof m->crc);
	tt_hash_add(&u->listing, head, got);
}

/* Handle one member of any kind. */
static int
one_member(struct unpack *u, struct level *l, bool sharded, struct tt_err *err)
{
	static const char *const kind_name[] = { [TT_MEMBER_DIRECTORY] = "directory", [TT_MEMBER_LINK] = "link",
		[TT_MEMBER_DEVICE] = "device", [TT_MEMBER_ENCRYPTED] = "encrypted" };
	/* A link with bytes may be marked as a link by mistake. */
	bool bytes = l->m.kind == TT_MEMBER_FILE || (l->m.kind == TT_MEMBER_LINK && l->m.size > 0);
	uint32_t ordinal = 1;
	int rc = TT_OK;

	if (bytes)
		rc = tt_unpack_ordinal(&u->env->mem, &l->names, l->m.path, &ordinal, err);
	TT_THEN(rc, tt_key_member(&u->key, l->m.path, ordinal, err));
	if (rc != TT_OK)
		return rc;
	if (sharded && !is_mine(u, l))
		return TT_OK;
	u->rec.members++;
	if (tt_unpack_odd(l->m.path))
		rc = tt_unpack_complain(u, "name", err, "%.*s: an odd name; nothing is written under it", (int)u->key.n, u->key.p);
	if (rc == TT_OK && l->m.kind == TT_MEMBER_ENCRYPTED)
		rc = tt_unpack_complain(u, "encrypted", err, "%.*s: encrypted: not read", (int)u->key.n, u->key.p);
	if (rc == TT_OK && l->m.remark)
		rc = tt_unpack_complain(u, "joined", err, "%.*s: %s", (int)u->key.n, u->key.p, l->m.remark);
	if (rc != TT_OK)
		return rc;
	if (!bytes)
		return tt_record_kind(&u->rec, kind_name[l->m.kind], err);
	if (l->m.size == 0)
		return other(u, l, false, NULL, 0, err);
	rc = member(u, l, err);
	if (rc == TT_OK && tt_archive_local_name(l->ar)) {
		u->key.n = l->key_n;
		rc = tt_key_member(&u->key, l->m.path, ordinal, err);
		TT_THEN(rc, tt_unpack_complain(u, "name", err, "%.*s: the header in front of it calls it \"%s\"", (int)u->key.n, u->key.p,
		    tt_archive_local_name(l->ar)));
	}
	return rc;
}

static void
free_level(struct unpack *u, struct level *l)
{
	tt_archive_close(l->ar);
	l->ar = NULL;
	tt_mem_free(&u->env->mem, l->tee, TT_UNPACK_TEE);
	tt_mem_free(&u->env->mem, l->names.v, l->names.cap * sizeof *l->names.v);
	tt_map_free(&l->names.at, &u->env->mem);
}

/*
 * True if this shard reports the damage of an archive that several shards read: the shard of the member before the damage does, because a shard
 * that reads this member's data words the damage differently from one that skips it.
 */
static bool
tells(const struct unpack *u, const struct level *l, bool sharded)
{
	return !sharded || is_mine(u, l);
}

/* Handle all members of l->src, up to the end (TT_END) or an error in ${why}. */
static int
members(struct unpack *u, struct level *l, bool sharded, struct tt_err *why, struct tt_err *err)
{
	bool empty = true;

	for (;;) {
		int rc;

		u->key.n = l->key_n;
		rc = tt_archive_next(l->ar, &l->m, why);
		if (rc == TT_END && empty && tells(u, l, sharded))
			rc = tt_unpack_complain(u, "empty", err, "%.*s: an empty %s: it has no members", (int)u->key.n, u->key.p,
			    tt_archive_name[l->kind]) == TT_OK ? TT_END : err->code;
		empty = false;
		u->unlisted = u->unlisted || (sharded && rc == TT_E_DAMAGED);
		if (rc == TT_E_DAMAGED)
			rc = tells(u, l, sharded) ? complain(u, l->m.has_all_members ? "directory" : kind_of_failure(rc), why->msg, err) : TT_OK;
		else if (rc != TT_OK)
			return rc;
		else if (++u->index > u->o->members_max)
			return tt_fail(why, TT_E_LIMIT, TT_NOWHERE, "more than %llu member%s; raise %s",
			    (unsigned long long)u->o->members_max, u->o->members_max == 1 ? "" : "s", tt_setting_name[TT_SETTING_MEMBERS]);
		else {
			u->top_index += l->depth == 0;
			if (sharded)
				list_member(u, l);
			rc = one_member(u, l, sharded, err);
		}
		TT_THEN(rc, tt_unpack_alive(u, err));
		if (rc != TT_OK) {
			why->code = TT_OK;
			return rc;
		}
	}
}

/* Handle the error ${why} after which an archive cannot be read on; in the outermost archive, it ends the unpacker's work. */
static int
give_up(struct unpack *u, const struct level *l, bool sharded, const struct tt_err *why, struct tt_err *err)
{
	u->key.n = l->key_n;
	if (why->code == TT_E_STOPPED || why->code == TT_E_NOMEM || (why->code == TT_E_IO && l->depth > 0)) {
		*err = *why;
		return why->code;
	}
	if (strstr(why->msg, TT_ARCHIVE_ENCRYPTED))
		return tt_unpack_complain(u, "encrypted", err, "%.*s: %s", (int)u->key.n, u->key.p, why->msg);
	if (l->depth > 0 || why->code == TT_E_DAMAGED)
		return tells(u, l, sharded) ? complain(u, kind_of_failure(why->code), why->msg, err) : TT_OK;
	return tt_record_fail(&u->rec, why->code, why->msg, err);
}

static int
walk(struct unpack *u, struct level *l, struct tt_err *err)
{
	bool sharded = l->depth == 0 && is_shared(u, l->kind);
	struct tt_err why = { 0 };
	int rc;

	l->tee = tt_mem_alloc(&u->env->mem, TT_UNPACK_TEE, err);
	if (!l->tee)
		return err->code;
	rc = tt_archive_open(u->env, l->src, l->kind, &l->ar, &why);
	if (l->depth == 0)
		u->top = l;
	TT_THEN(rc, members(u, l, sharded, &why, err));
	if (rc == TT_END && sharded && !u->unlisted)
		u->rec.listing = tt_hash_value(&u->listing);
	if (rc != TT_END && why.code)
		rc = give_up(u, l, sharded, &why, err);
	else if (rc == TT_END && garbage(l->src, &why) != TT_OK)
		rc = give_up(u, l, sharded, &why, err);
	free_level(u, l);
	return rc == TT_END ? TT_OK : rc;
}

/* Keep what was read so far after a failure of the system (such as a full disk under the spool) or of memory. */
static int
keep(struct unpack *u, int rc, struct tt_err *err)
{
	struct tt_err ignored;

	if (rc == TT_E_NOMEM)
		tt_fail(err, rc, TT_NOWHERE, "no more memory for its unpacker; raise %s", tt_setting_name[TT_SETTING_UNPACK_MEMORY]);
	return rc == TT_E_NOMEM || (rc == TT_E_IO && !u->gone.code) ? tt_record_fail(&u->rec, rc, err->msg, &ignored) : rc;
}

int
tt_unpack(struct tt_env *env, const struct tt_unpack_opts *o, struct tt_src *src, enum tt_archive_kind kind,
    const char *key, size_t n, int sock, struct tt_err *err)
{
	struct unpack u = { .env = env, .o = o, .sock = sock, .file = src };
	struct level l = { .kind = kind, .src = src };
	struct tt_err why = { 0 };
	struct tt_buf body = { 0 };
	int rc;

	tt_buf_add(&u.key, key, n);
	rc = tt_buf_error(&u.key, err);
	l.key_n = n;
	for (size_t i = 0; i < sizeof u.slot / sizeof u.slot[0]; i++)
		u.slot[i] = -1;
	u.copy = tt_mem_alloc(&env->mem, TT_UNPACK_COPY, err);
	if (!u.copy)
		rc = err->code;
	TT_THEN(rc, tt_unpack_tell(&u, &(struct tt_wire){ .kind = TT_WIRE_ARCHIVE, .body = tt_archive_name[kind],
	    .nbody = strlen(tt_archive_name[kind]) }, -1, err));
	tt_record_begin(&u.rec, tt_archive_name[kind]);
	tt_hash_init(&u.listing);
	if (rc == TT_OK) {
		rc = spool_archive(&u, &l.src, kind, &why);
		u.file = l.src;
	}
	if (rc == TT_OK && why.code && tells(&u, &l, is_shared(&u, kind)))
		rc = complain(&u, kind_of_failure(why.code), why.msg, err);
	if (rc == TT_OK)
		rc = walk(&u, &l, err);
	else if (why.code && rc != TT_E_STOPPED && rc != TT_E_NOMEM)
		rc = tt_record_fail(&u.rec, rc, why.msg, err);
	rc = keep(&u, rc, err);
	TT_THEN(rc, tt_record_put(&u.rec, &body, err));
	TT_THEN(rc, tt_unpack_tell(&u, &(struct tt_wire){ .kind = TT_WIRE_END, .body = body.p, .nbody = body.n }, -1, err));
	for (size_t i = 0; i < sizeof u.slot / sizeof u.slot[0]; i++) {
		if (u.slot[i] >= 0)
			close(u.slot[i]);
	}
	tt_mem_free(&env->mem, u.copy, TT_UNPACK_COPY);
	tt_buf_free(&u.key);
	tt_buf_free(&body);
	tt_record_free(&u.rec);
	tt_src_close(l.src);
	return rc;
}
