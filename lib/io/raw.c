/**
 * Reads the bytes of a file, pipe or memory as they are.
 */
#include "io/raw.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "io/spool.h"
#include "sys/sys.h"

#define WIN_SIZE ((size_t)1 << 17)

/* Bytes of the first fetch: enough to recognise any format. */
#define FIRST_READ_BYTES ((size_t)4096)

/* A read of at least this many bytes goes straight to the caller's memory. */
#define DIRECT_MIN ((size_t)1 << 14)

static void
init(struct tt_raw *raw, struct tt_env *env)
{
	*raw = (struct tt_raw){ .env = env, .fd = -1, .spool = -1, .from_start = true };
}

/* Find out whether the input is a file with a size, and at which offset reading begins. */
static int
examine(struct tt_raw *raw, struct tt_err *err)
{
	struct tt_sys_stat st;
	int64_t at;

	if (tt_sys_stat_open(raw->fd, &st) != 0)
		return tt_fail_sys(err, errno, "cannot examine");
	if (st.kind == TT_KIND_FOLDER)
		return tt_fail(err, TT_E_IO, TT_NOWHERE, "is a directory");
	raw->size = UINT64_MAX;
	raw->buffer_size = WIN_SIZE;
	at = st.kind == TT_KIND_FILE ? tt_sys_offset(raw->fd) : -1;
	if (at < 0)
		return TT_OK;
	raw->regular = true;
	raw->base = (uint64_t)at;
	/* Files of /proc report size 0 but hold bytes: they are read until they end. */
	if (st.size > 0)
		raw->size = st.size > (uint64_t)at ? st.size - (uint64_t)at : 0;
	if (raw->size < WIN_SIZE)
		raw->buffer_size = raw->size > FIRST_READ_BYTES ? (size_t)raw->size : FIRST_READ_BYTES;
	tt_sys_will_read(raw->fd);
	return TT_OK;
}

int
tt_raw_open_fd(struct tt_raw *raw, struct tt_env *env, int fd, struct tt_err *err)
{
	int rc;

	init(raw, env);
	raw->fd = fd;
	rc = examine(raw, err);
	if (rc == TT_OK) {
		raw->buffer = tt_mem_alloc(&env->mem, raw->buffer_size, err);
		if (!raw->buffer)
			rc = err ? err->code : TT_E_NOMEM;
	}
	if (rc != TT_OK)
		tt_raw_close(raw);
	raw->win = raw->buffer;
	return rc;
}

void
tt_raw_open_mem(struct tt_raw *raw, struct tt_env *env, const void *p, size_t n)
{
	/* The whole input is in the window from the start: nothing is ever fetched. */
	init(raw, env);
	raw->win = p ? p : (const void *)"";
	raw->win_end = n;
	raw->size = raw->fetch_at = n;
}

int
tt_raw_open_supply(struct tt_raw *raw, struct tt_env *env, tt_raw_supply *supply, void *arg, struct tt_err *err)
{
	init(raw, env);
	raw->supply = supply;
	raw->supply_arg = arg;
	raw->size = UINT64_MAX;
	raw->buffer_size = WIN_SIZE;
	raw->buffer = tt_mem_alloc(&env->mem, raw->buffer_size, err);
	raw->win = raw->buffer;
	return raw->buffer ? TT_OK : err ? err->code : TT_E_NOMEM;
}

void
tt_raw_close(struct tt_raw *raw)
{
	if (raw->fd >= 0)
		tt_sys_close(raw->fd);
	if (raw->spool >= 0)
		tt_sys_close(raw->spool);
	tt_mem_free(&raw->env->mem, raw->buffer, raw->buffer_size);
	raw->fd = raw->spool = -1;
	raw->buffer = NULL;
}

uint64_t
tt_raw_ntaken(const struct tt_raw *raw)
{
	return raw->fetch_at - (raw->win_end - raw->win_at);
}

/* --- fetching ----------------------------------------------------------- */

/* Call pread(), again after EINTR; TT_END at the end of the file. */
static int
pread_some(const struct tt_env *env, int fd, uint64_t at, void *p, size_t n, size_t *got, struct tt_err *err)
{
	for (;;) {
		int64_t r;

		if (tt_stopped(env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		r = tt_sys_pread(fd, p, n, at);
		if (r >= 0) {
			*got = (size_t)r;
			return r ? TT_OK : TT_END;
		}
		if (errno != EINTR)
			return tt_fail_sys(err, errno, "cannot read at byte %" PRIu64, at);
	}
}

/* Call read(), again after EINTR, and wait if another process made the descriptor non-blocking. */
static int
read_some(const struct tt_raw *raw, void *p, size_t n, size_t *got, struct tt_err *err)
{
	for (;;) {
		int64_t r;

		if (tt_stopped(raw->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		r = tt_sys_read(raw->fd, p, n);
		if (r >= 0) {
			*got = (size_t)r;
			return r ? TT_OK : TT_END;
		}
		if (errno == EAGAIN)
			tt_sys_wait_readable(raw->fd);
		else if (errno != EINTR)
			return tt_fail_sys(err, errno, "cannot read at byte %" PRIu64, raw->fetch_at);
	}
}

static int
fetch_file(const struct tt_raw *raw, void *p, size_t n, size_t *got, struct tt_err *err)
{
	if (raw->fetch_at >= raw->size)
		return TT_END;
	if (n > raw->size - raw->fetch_at)
		n = (size_t)(raw->size - raw->fetch_at);
	return pread_some(raw->env, raw->fd, raw->base + raw->fetch_at, p, n, got, err);
}

static int
fetch_pipe(struct tt_raw *raw, void *p, size_t n, size_t *got, struct tt_err *err)
{
	int rc;

	if (raw->spool >= 0 && raw->fetch_at < raw->nspooled) {
		if (n > raw->nspooled - raw->fetch_at)
			n = (size_t)(raw->nspooled - raw->fetch_at);
		rc = pread_some(raw->env, raw->spool, raw->fetch_at, p, n, got, err);
		/* We wrote these bytes to the spool: if they are missing, the disk has failed. */
		return rc == TT_END ? tt_fail_sys(err, EIO, "cannot read the spool") : rc;
	}
	if (raw->failed.code) {
		if (err)
			*err = raw->failed;
		return raw->failed.code;
	}
	rc = raw->supply ? raw->supply(raw->supply_arg, p, n, got, &raw->failed) : read_some(raw, p, n, got, &raw->failed);
	if (rc == TT_OK && raw->spool >= 0) {
		rc = tt_spool_add(raw->env, &raw->spool, raw->nspooled, p, *got, &raw->failed);
		if (rc == TT_OK)
			raw->nspooled += *got;
	}
	if (rc < 0 && err)
		*err = raw->failed;
	return rc;
}

/* Fetch up to ${n} bytes to ${p}. */
static int
fetch(struct tt_raw *raw, void *p, size_t n, size_t *got, struct tt_err *err)
{
	int rc;

	*got = 0;
	if (raw->fd < 0 && !raw->supply)
		return TT_END;
	if (!raw->regular) {
		rc = fetch_pipe(raw, p, n, got, err);
	} else if (raw->failed.code) {
		if (err)
			*err = raw->failed;
		return raw->failed.code;
	} else {
		rc = fetch_file(raw, p, n, got, &raw->failed);
		if (rc < 0 && err)
			*err = raw->failed;
	}
	if (rc != TT_OK)
		*got = 0;
	raw->fetch_at += *got;
	return rc;
}

/* --- the window --------------------------------------------------------- */

/* Fetch more into the window; if it has no room for ${min} bytes, first move its bytes to the front. */
static int
fill(struct tt_raw *raw, size_t min, struct tt_err *err)
{
	size_t left = raw->win_end - raw->win_at, got, room;
	int rc;

	if (raw->buffer && raw->buffer_size - raw->win_at < min + 1) {
		memmove(raw->buffer, raw->buffer + raw->win_at, left);
		raw->win_at = 0;
		raw->win_end = left;
		raw->from_start = false;
	}
	/* The first read is small, since a probe for the format may be all that the caller wants. */
	room = raw->fetch_at == 0 ? FIRST_READ_BYTES : raw->buffer_size - raw->win_end;
	rc = fetch(raw, raw->buffer ? raw->buffer + raw->win_end : NULL, room, &got, err);
	raw->win_end += got;
	return rc;
}

int
tt_raw_peek(struct tt_raw *raw, size_t min, const uint8_t **p, size_t *n, struct tt_err *err)
{
	int rc = TT_OK;

	while (rc == TT_OK && raw->win_end - raw->win_at < min)
		rc = fill(raw, min, err);
	*p = raw->win + raw->win_at;
	*n = raw->win_end - raw->win_at;
	/* First give out the bytes that are there, and the error at the next call. */
	return *n ? TT_OK : rc;
}

void
tt_raw_take(struct tt_raw *raw, size_t n)
{
	raw->win_at += n;
}

int
tt_raw_take_rest(struct tt_raw *raw, uint64_t *total, bool *zeros, struct tt_err *err)
{
	const uint8_t *p;
	size_t n;
	int rc;

	*total = 0;
	while ((rc = tt_raw_peek(raw, 1, &p, &n, err)) == TT_OK) {
		for (size_t i = 0; *zeros && i < n; i++)
			*zeros = p[i] == 0;
		*total += n;
		tt_raw_take(raw, n);
	}
	return rc;
}

int
tt_raw_read(struct tt_raw *raw, void *p, size_t n, size_t *got, struct tt_err *err)
{
	const uint8_t *from;
	size_t have;
	int rc;

	if (raw->win_at == raw->win_end && n >= DIRECT_MIN) {
		raw->from_start = false;
		return fetch(raw, p, n, got, err);
	}
	*got = 0;
	rc = tt_raw_peek(raw, 1, &from, &have, err);
	if (rc != TT_OK)
		return rc;
	*got = have < n ? have : n;
	memcpy(p, from, *got);
	tt_raw_take(raw, *got);
	return TT_OK;
}

int
tt_raw_pread(const struct tt_raw *raw, uint64_t at, void *p, size_t n, size_t *got, struct tt_err *err)
{
	uint8_t *to = p;

	*got = 0;
	if (at >= raw->size)
		return TT_OK;
	if (n > raw->size - at)
		n = (size_t)(raw->size - at);
	if (raw->fd < 0) {
		memcpy(to, raw->win + at, n);
		*got = n;
		return TT_OK;
	}
	while (*got < n) {
		size_t some = 0;
		int rc =
		    pread_some(raw->env, raw->fd, raw->base + at + *got, to + *got, n - *got, &some, err);

		if (rc == TT_END)
			break;
		if (rc != TT_OK)
			return rc;
		*got += some;
	}
	return TT_OK;
}

/* --- going back --------------------------------------------------------- */

bool
tt_raw_can_rewind(const struct tt_raw *raw)
{
	return (raw->fd < 0 && !raw->supply) || raw->regular || raw->spool >= 0;
}

int
tt_raw_spool(struct tt_raw *raw, struct tt_err *err)
{
	int rc;

	if (tt_raw_can_rewind(raw))
		return TT_OK;
	if (!raw->from_start)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "cannot keep a pipe that has been read already");
	rc = tt_spool_open(raw->env, &raw->spool, err);
	if (rc != TT_OK)
		return rc;
	/* The bytes in the window were fetched before the spool existed. */
	rc = tt_spool_add(raw->env, &raw->spool, 0, raw->win, raw->win_end, err);
	if (rc != TT_OK) {
		tt_sys_close(raw->spool);
		raw->spool = -1;
		return rc;
	}
	raw->nspooled = raw->win_end;
	return TT_OK;
}

int
tt_raw_rewind(struct tt_raw *raw, struct tt_err *err)
{
	if (!tt_raw_can_rewind(raw))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "a pipe that was not kept cannot be read again");
	raw->win_at = 0;
	if (raw->fd < 0 && !raw->supply)
		return TT_OK;
	raw->win_end = 0;
	raw->fetch_at = 0;
	raw->from_start = true;
	if (raw->regular)
		raw->failed.code = TT_OK;
	return TT_OK;
}
