/**
 * Recognises compression and gives an input's decoded bytes.
 */
#include "io/src.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/encoding.h"
#include "base/setting.h"
#include "io/decode.h"
#include "io/raw.h"
#include "sys/sys.h"

#define HEAD_MAX 4096

/* Below this many decoded bytes no ratio is too large. */
#define RATIO_FROM (UINT64_C(64) << 20)

struct tt_src {
	struct tt_env *env;
	struct tt_raw raw;
	struct tt_decoder *dec;       /* NULL: the input is not compressed */
	struct tt_src *outer;         /* the source of the raw bytes; NULL: ${raw} has its own */
	struct tt_src_info info;
	char *name, *path;            /* path: NULL if the input has no path by which to find the file again */
	struct tt_sys_stat opened;           /* the file's attributes when it was opened */
	uint64_t nread;               /* decoded bytes read so far */
	uint64_t ndecoded;            /* decoded bytes read so far, including those only peeked at */
	struct tt_err damage;         /* the error after the decoded bytes; code TT_OK: no error so far */
	uint8_t head[HEAD_MAX];       /* the peeked bytes */
	size_t head_at, head_n;       /* offset and number of the bytes of head that are not read yet */
	bool peeked;
};

/* --- recognising -------------------------------------------------------- */

/* First bytes by which a coding is known; RFC 1952, the xz, zstd and lz4 format documents, bzip2. */
static const struct magic {
	enum tt_src_coding coding;
	size_t n;
	const char *bytes;
} magics[] = {
	{ TT_CODING_GZIP, 2, "\x1f\x8b" },      /* the method that follows may be damaged: zlib checks it */
	{ TT_CODING_XZ, 6, "\xfd" "7zXZ\0" },
	{ TT_CODING_ZSTD, 4, "\x28\xb5\x2f\xfd" },
	{ TT_CODING_LZ4, 4, "\x04\x22\x4d\x18" },
	{ TT_CODING_LZIP, 4, "LZIP" },
};

/* True if there is "BZh", a level, and the mark of a first block or of an empty file's end: a text, too, may begin with "BZh9". */
static bool
is_bzip2(const uint8_t *p, size_t n)
{
	return n >= 10 && memcmp(p, "BZh", 3) == 0 && p[3] >= '1' && p[3] <= '9' &&
	    (memcmp(p + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 ||
	     memcmp(p + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

static enum tt_src_coding
recognise(const uint8_t *p, size_t n)
{
	uint64_t skip;

	/* If a skippable frame is longer than the peeked bytes, assume zstd, whose programs write such frames. */
	while ((skip = tt_skippable_frame_bytes(p, n)) > 0) {
		if (skip >= n)
			return TT_CODING_ZSTD;
		p += skip;
		n -= (size_t)skip;
	}
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
		/* A file cut inside its magic is reported as cut, if two bytes of the magic are there. */
		size_t have = n < magics[i].n ? n : magics[i].n;

		if (have >= 2 && memcmp(p, magics[i].bytes, have) == 0)
			return magics[i].coding;
	}
	return is_bzip2(p, n) ? TT_CODING_BZIP2 : TT_CODING_NONE;
}

/* --- opening ------------------------------------------------------------ */

static char *
copy_name(struct tt_env *env, const char *s, struct tt_err *err)
{
	size_t n = strlen(s) + 1;
	char *p = tt_mem_alloc(&env->mem, n, err);

	return p ? memcpy(p, s, n) : NULL;
}

static int
make(struct tt_env *env, const char *name, struct tt_src **src, struct tt_err *err)
{
	struct tt_src *s = tt_mem_alloc(&env->mem, sizeof *s, err);

	*src = NULL;
	if (!s)
		return err ? err->code : TT_E_NOMEM;
	s->env = env;
	s->raw.env = env;
	s->raw.fd = s->raw.spool = -1;
	s->name = copy_name(env, name, err);
	if (!s->name) {
		tt_src_close(s);
		return err ? err->code : TT_E_NOMEM;
	}
	s->info.name = s->name;
	*src = s;
	return TT_OK;
}

static int
make_decoder(struct tt_src *s, struct tt_err *err)
{
	switch (s->info.coding) {
	case TT_CODING_NONE:
		return TT_OK;
	case TT_CODING_GZIP:
		return tt_gzip_new(s->env, &s->raw, &s->dec, err);
	default:
		return tt_filter_new(s->env, &s->raw, s->info.coding, &s->dec, err);
	}
}

/* Recognise the coding of the raw bytes, which are open, and fill the info. */
static int
begin(struct tt_src *s, struct tt_err *err)
{
	struct tt_src_info *info = &s->info;
	const uint8_t *p;
	size_t n;
	int rc;

	/* A read error comes back when the bytes are asked for, unless there are none at all. */
	rc = tt_raw_peek(&s->raw, 10, &p, &n, err);
	if (rc < 0)
		return rc;
	/* The file is really empty, unlike files of /proc, which report size 0 and have content. */
	if (rc == TT_END && s->raw.regular)
		s->raw.size = 0;
	info->coding = recognise(p, n);
	info->raw_size = s->raw.size;
	info->can_rewind = tt_raw_can_rewind(&s->raw);
	info->seekable = info->coding == TT_CODING_NONE && s->raw.size != UINT64_MAX;
	info->size = info->seekable ? s->raw.size : UINT64_MAX;
	return make_decoder(s, err);
}

/* Finish opening, for all kinds of source: on failure, close the source and add its name to the message. */
static int
finish_open(struct tt_src **src, int rc, struct tt_err *err)
{
	TT_THEN(rc, begin(*src, err));
	if (rc != TT_OK) {
		if (err)
			tt_err_in(err, "%s", (*src)->name);
		tt_src_close(*src);
		*src = NULL;
	}
	return rc;
}

int
tt_src_open_fd(struct tt_env *env, int fd, const char *name, struct tt_src **src, struct tt_err *err)
{
	return tt_src_open_part(env, fd, UINT64_MAX, name, src, err);
}

int
tt_src_open_part(struct tt_env *env, int fd, uint64_t size, const char *name, struct tt_src **src, struct tt_err *err)
{
	int rc = make(env, name, src, err);

	if (rc != TT_OK) {
		tt_sys_close(fd);
		return rc;
	}
	rc = tt_raw_open_fd(&(*src)->raw, env, fd, err);
	if (rc == TT_OK && (*src)->raw.regular && size < (*src)->raw.size)
		(*src)->raw.size = size;
	if (rc == TT_OK && tt_sys_stat_open(fd, &(*src)->opened) != 0)
		rc = tt_fail_sys(err, errno, "cannot examine");
	return finish_open(src, rc, err);
}

int
tt_src_open_mem(struct tt_env *env, const void *p, size_t n, const char *name, struct tt_src **src,
    struct tt_err *err)
{
	int rc = make(env, name, src, err);

	if (rc != TT_OK)
		return rc;
	tt_raw_open_mem(&(*src)->raw, env, p, n);
	return finish_open(src, TT_OK, err);
}

int
tt_src_open_supply(struct tt_env *env, tt_raw_supply *supply, void *arg, const char *name, struct tt_src **src,
    struct tt_err *err)
{
	int rc = make(env, name, src, err);

	if (rc != TT_OK)
		return rc;
	return finish_open(src, tt_raw_open_supply(&(*src)->raw, env, supply, arg, err), err);
}

static int
read_outer(void *arg, void *p, size_t n, size_t *got, struct tt_err *err)
{
	return tt_src_read(arg, p, n, got, err);
}

int
tt_src_open_inside(struct tt_env *env, struct tt_src *outer, struct tt_src **src, struct tt_err *err)
{
	int rc = tt_src_open_supply(env, read_outer, outer, outer->name, src, err);

	if (rc == TT_OK)
		(*src)->outer = outer;
	return rc;
}

/* Open ${path}; a wait for the writer of a FIFO can be stopped. */
static int
open_path(const struct tt_env *env, const char *path, int *fd, struct tt_err *err)
{
	do {
		if (tt_stopped(env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		*fd = tt_sys_open(path, TT_OPEN_READ);
	} while (*fd < 0 && errno == EINTR);
	return *fd < 0 ? tt_fail_sys(err, errno, "%s", path) : TT_OK;
}

int
tt_src_open(struct tt_env *env, const char *path, struct tt_src **src, struct tt_err *err)
{
	int fd = -1, rc;

	*src = NULL;
	if (strcmp(path, "-") == 0) {
		/* A copy, so that closing it does not free descriptor 0 for some other file. */
		fd = tt_sys_duplicate(0);
		if (fd < 0)
			return tt_fail_sys(err, errno, "standard input");
		return tt_src_open_fd(env, fd, "standard input", src, err);
	}
	rc = open_path(env, path, &fd, err);
	if (rc != TT_OK)
		return rc;
	rc = tt_src_open_fd(env, fd, path, src, err);
	if (rc != TT_OK)
		return rc;
	(*src)->path = copy_name(env, path, err);
	if ((*src)->path)
		return TT_OK;
	tt_src_close(*src);
	*src = NULL;
	return err ? err->code : TT_E_NOMEM;
}

/* Undo the encoding of the text *${src}. */
static int
decode_text(struct tt_env *env, struct tt_src **src, struct tt_err *err)
{
	enum tt_encoding encoding;
	struct tt_src *inside;
	const uint8_t *p;
	size_t n;
	int rc = tt_src_peek(*src, &p, &n, NULL);

	/* An error comes back when the bytes are asked for. */
	if (rc != TT_OK || n == 0)
		return TT_OK;
	encoding = tt_encoding_of(p, n);
	if (encoding == TT_ENCODING_UTF8)
		return TT_OK;
	if (encoding == TT_ENCODING_UTF32)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: is UTF-32, which is not read: save it as UTF-8", (*src)->name);
	if (encoding == TT_ENCODING_UTF8_MARK) {
		(*src)->head_at += 3;
		(*src)->head_n -= 3;
		return TT_OK;
	}
	rc = tt_src_open_inside(env, *src, &inside, err);
	if (rc != TT_OK)
		return rc;
	*src = inside;
	return tt_utf16_new(env, &inside->raw, encoding == TT_ENCODING_UTF16BE, &inside->dec, err);
}

int
tt_src_open_text(struct tt_env *env, const char *path, struct tt_src **src, struct tt_err *err)
{
	struct tt_src *s;
	int rc = tt_src_open(env, path, &s, err);

	*src = NULL;
	if (rc != TT_OK)
		return rc;
	rc = decode_text(env, &s, err);
	if (rc == TT_OK)
		*src = s;
	else
		tt_src_close(s);
	return rc;
}

void
tt_src_close(struct tt_src *s)
{
	struct tt_env *env;

	if (!s)
		return;
	env = s->env;
	if (s->dec)
		s->dec->free(s->dec);
	tt_src_close(s->outer);
	tt_raw_close(&s->raw);
	if (s->name)
		tt_mem_free(&env->mem, s->name, strlen(s->name) + 1);
	if (s->path)
		tt_mem_free(&env->mem, s->path, strlen(s->path) + 1);
	tt_mem_free(&env->mem, s, sizeof *s);
}

const struct tt_src_info *
tt_src_info(const struct tt_src *s)
{
	return &s->info;
}

/* --- reading ------------------------------------------------------------ */

/* Fail if the input exceeds a limit. */
static int
check_limits(const struct tt_src *s, struct tt_err *err)
{
	const struct tt_env *env = s->env;
	uint64_t raw = s->info.raw_at;

	if (env->decoded_max && s->ndecoded > env->decoded_max)
		return tt_fail(err, TT_E_LIMIT, s->ndecoded,
		    "gives more than the %" PRIu64 " decoded bytes allowed; raise %s", env->decoded_max,
		    tt_setting_name[TT_SETTING_DECODED]);
	if (env->ratio_max && s->dec && s->ndecoded > RATIO_FROM && s->ndecoded / (raw ? raw : 1) >= env->ratio_max)
		return tt_fail(err, TT_E_LIMIT, s->ndecoded,
		    "%" PRIu64 " compressed bytes gave %" PRIu64 " decoded ones, over the ratio of %" PRIu64
		    " allowed; raise %s", raw, s->ndecoded, env->ratio_max, tt_setting_name[TT_SETTING_RATIO]);
	return TT_OK;
}

/* Read up to ${n} decoded bytes, as many as there are; return the reason for fewer only if there are none. */
static int
pull(struct tt_src *s, uint8_t *p, size_t n, size_t *got, struct tt_err *err)
{
	int rc = TT_OK;

	*got = 0;
	rc = check_limits(s, err);
	if (rc != TT_OK)
		return rc;
	while (*got < n) {
		size_t some = 0;

		rc = s->dec ? s->dec->read(s->dec, p + *got, n - *got, &some, &s->damage)
			    : tt_raw_read(&s->raw, p + *got, n - *got, &some, &s->damage);
		*got += some;
		if (rc != TT_OK)
			break;
	}
	if (rc < 0 && err)
		*err = s->damage;
	s->info.raw_at = s->outer ? s->outer->info.raw_at : tt_raw_ntaken(&s->raw);
	s->ndecoded += *got;
	return *got ? TT_OK : rc;
}

int
tt_src_peek(struct tt_src *s, const uint8_t **p, size_t *n, struct tt_err *err)
{
	int rc = TT_OK;

	if (!s->peeked) {
		rc = pull(s, s->head, sizeof s->head, &s->head_n, err);
		/* The error is not kept here: decoder and raw bytes return it again at each later call. */
		s->peeked = rc == TT_OK;
	}
	*p = s->head + s->head_at;
	*n = s->head_n;
	return rc < 0 ? rc : TT_OK;
}

int
tt_src_read(struct tt_src *s, void *p, size_t n, size_t *got, struct tt_err *err)
{
	size_t early = s->head_n < n ? s->head_n : n, more = 0;
	int rc = TT_OK;

	if (early)
		memcpy(p, s->head + s->head_at, early);
	s->head_at += early;
	s->head_n -= early;
	if (n > early)
		rc = pull(s, (uint8_t *)p + early, n - early, &more, err);
	*got = early + more;
	s->nread += *got;
	if (rc == TT_END)
		s->info.size = s->nread;
	return *got ? TT_OK : rc;
}

int
tt_src_pread(const struct tt_src *s, uint64_t at, void *p, size_t n, size_t *got, struct tt_err *err)
{
	*got = 0;
	if (!s->info.seekable)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "can only be read in order");
	return tt_raw_pread(&s->raw, at, p, n, got, err);
}

int
tt_src_spool(struct tt_src *s, struct tt_err *err)
{
	int rc = tt_raw_spool(&s->raw, err);

	s->info.can_rewind = tt_raw_can_rewind(&s->raw);
	return rc;
}

int
tt_src_rewind(struct tt_src *s, struct tt_err *err)
{
	int rc = tt_raw_rewind(&s->raw, err);

	if (rc == TT_OK && s->dec)
		rc = s->dec->rewind(s->dec, err);
	if (rc != TT_OK)
		return rc;
	s->nread = s->ndecoded = s->info.raw_at = 0;
	s->damage.code = TT_OK;
	s->head_at = s->head_n = 0;
	s->peeked = false;
	return TT_OK;
}

const struct tt_err *
tt_src_damage(const struct tt_src *s)
{
	return s->damage.code == TT_E_DAMAGED ? &s->damage : NULL;
}

int64_t
tt_src_mtime(const struct tt_src *s)
{
	return s->opened.kind == TT_KIND_FILE ? s->opened.mtime_ns : 0;
}

bool
tt_src_has_changed(const struct tt_src *s)
{
	struct tt_sys_stat now;

	if (!s->raw.regular)
		return false;
	if (tt_sys_stat_open(s->raw.fd, &now) != 0)
		return true;
	if (now.size != s->opened.size || now.mtime_ns != s->opened.mtime_ns)
		return true;
	/* Another file has the same name now. If the name is gone, the open file may still be unchanged. */
	return s->path && tt_sys_stat(s->path, &now) == 0 && !tt_sys_is_same(&now, &s->opened);
}

uint64_t
tt_src_nspooled(const struct tt_src *s)
{
	return s->raw.nspooled;
}

bool
tt_src_is_locked(const struct tt_src *s)
{
	bool other = s->raw.regular && tt_sys_lock(s->raw.fd, TT_LOCK_SHARED, false) != 0;

	if (s->raw.regular && !other)
		(void)tt_sys_lock(s->raw.fd, TT_LOCK_NONE, false);
	return other && errno == EWOULDBLOCK;
}

uint64_t
tt_src_ngarbage(const struct tt_src *s)
{
	return (s->dec ? s->dec->garbage : 0) + (s->outer ? tt_src_ngarbage(s->outer) : 0);
}
