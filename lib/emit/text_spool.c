/**
 * Keeps texts in a temporary file until they are needed.
 */
#include "emit/text_spool.h"

#include <inttypes.h>
#include <string.h>

#include "base/setting.h"
#include "io/spool.h"
#include "sys/sys.h"

enum { UNIT = 16, PENDING = 1 << 16, WINDOW = 1 << 13 };

int
tt_text_spool_write(const struct tt_env *env, uint64_t *used, int *fd, uint64_t at, const void *p, size_t n, struct tt_err *err)
{
	int rc = TT_OK;

	if (n > env->spool_max || *used > env->spool_max - n)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE,
		    "the output needs more than the %" PRIu64 " bytes of temporary files allowed; raise %s",
		    env->spool_max, tt_setting_name[TT_SETTING_SPOOL]);
	*used += n;
	if (*fd < 0)
		rc = tt_spool_open(env, fd, err);
	return rc == TT_OK ? tt_spool_add(env, fd, at, p, n, err) : rc;
}

void
tt_text_spool_init(struct tt_text_spool *a, struct tt_env *env, uint64_t *used)
{
	*a = (struct tt_text_spool){ .env = env, .used = used, .fd = -1 };
}

void
tt_text_spool_free(struct tt_text_spool *a)
{
	if (!a->env)
		return;
	if (a->fd >= 0)
		tt_sys_close(a->fd);
	tt_buf_free(&a->pending);
	tt_buf_free(&a->window);
	tt_text_spool_init(a, a->env, a->used);
}

static int
flush(struct tt_text_spool *a, struct tt_err *err)
{
	int rc = tt_text_spool_write(a->env, a->used, &a->fd, a->written, a->pending.p, a->pending.n, err);

	if (rc == TT_OK) {
		a->written += a->pending.n;
		a->pending.n = 0;
	}
	return rc;
}

int
tt_text_spool_put(struct tt_text_spool *a, const char *p, size_t n, uint32_t *place, struct tt_err *err)
{
	static const char zero[UNIT];
	uint64_t at = (a->written + a->pending.n) / UNIT;
	uint32_t size = (uint32_t)n;
	int rc;

	if (n > UINT32_MAX || at >= UINT32_MAX)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE,
		    "the B/E form has more than 64 GiB of arguments to put aside; convert a part (%s), or the other form",
		    tt_setting_name[TT_SETTING_TIME]);
	*place = (uint32_t)at + 1;
	tt_buf_add(&a->pending, &size, sizeof size);
	tt_buf_add(&a->pending, p, n);
	tt_buf_add(&a->pending, zero, -a->pending.n % UNIT);
	rc = tt_buf_error(&a->pending, err);
	return rc == TT_OK && a->pending.n >= PENDING ? flush(a, err) : rc;
}

/* Move the window to ${at}, which is in the spool. */
static int
move_window(struct tt_text_spool *a, uint64_t at, struct tt_err *err)
{
	const size_t n = a->written - at < WINDOW ? (size_t)(a->written - at) : WINDOW;
	int rc;

	a->window.n = 0;
	rc = tt_buf_room(&a->window, WINDOW, err);
	TT_THEN(rc, tt_spool_read(a->env, a->fd, "arguments", at, a->window.p, n, err));
	if (rc == TT_OK) {
		a->window.n = n;
		a->window_at = at;
	}
	return rc;
}

static int
read_at(struct tt_text_spool *a, char *to, size_t n, uint64_t at, struct tt_err *err)
{
	int rc = TT_OK;

	if (at >= a->written) {
		memcpy(to, a->pending.p + (at - a->written), n);
		return TT_OK;
	}
	if (n > WINDOW)
		return tt_spool_read(a->env, a->fd, "arguments", at, to, n, err);
	if (at < a->window_at || n > a->window.n || at - a->window_at > a->window.n - n)
		rc = move_window(a, at, err);
	if (rc == TT_OK)
		memcpy(to, a->window.p + (at - a->window_at), n);
	return rc;
}

int
tt_text_spool_get(struct tt_text_spool *a, uint32_t place, struct tt_buf *to, struct tt_err *err)
{
	uint64_t at = (uint64_t)(place - 1) * UNIT;
	uint32_t n;
	int rc = read_at(a, (char *)&n, sizeof n, at, err);

	TT_THEN(rc, tt_buf_room(to, n, err));
	TT_THEN(rc, read_at(a, to->p + to->n, n, at + sizeof n, err));
	if (rc == TT_OK)
		to->n += n;
	return rc;
}
