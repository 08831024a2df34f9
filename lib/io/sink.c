/**
 * Writes output files that are complete or not written at all.
 */
#include "io/sink.h"

#include <string.h>

#include "base/buf.h"
#include "io/dest.h"
#include "io/pack.h"
#include "sys/sys.h"

/* Plain output goes to the system in pieces of about this size. */
#define BUFFER ((size_t)1 << 18)

/* Writes of at least this length are not copied: copying costs more than a call. */
#define DIRECT_WRITE_BYTES ((size_t)1 << 16)

struct tt_sink {
	struct tt_env *env;
	bool in_memory;
	struct tt_buf memory;         /* the bytes of an in_memory sink */
	struct tt_dest dest;
	struct tt_pack *pack;         /* NULL: not compressed */
	char *name;
	char *buffer;                 /* BUFFER bytes, for plain output; NULL: not allocated yet */
	size_t buffered;
	struct tt_err failed;         /* the error that every later call returns; code TT_OK: no error */
};

/* Free a sink whose destination is closed. */
static void
free_sink(struct tt_sink *s)
{
	struct tt_mem *mem = &s->env->mem;

	tt_buf_free(&s->memory);
	tt_mem_free(mem, s->buffer, BUFFER);
	if (s->name)
		tt_mem_free(mem, s->name, strlen(s->name) + 1);
	tt_mem_free(mem, s, sizeof *s);
}

static int
make(struct tt_env *env, const char *name, struct tt_sink **sink, struct tt_err *err)
{
	size_t n = strlen(name) + 1;
	struct tt_sink *s = tt_mem_alloc(&env->mem, sizeof *s, err);

	*sink = NULL;
	if (!s)
		return err ? err->code : TT_E_NOMEM;
	s->env = env;
	s->name = tt_mem_alloc(&env->mem, n, err);
	if (!s->name) {
		free_sink(s);
		return err ? err->code : TT_E_NOMEM;
	}
	memcpy(s->name, name, n);
	*sink = s;
	return TT_OK;
}

int
tt_sink_open(struct tt_env *env, const char *path, struct tt_sink **sink, struct tt_err *err)
{
	const struct tt_coding *coding = tt_pack_coding(path);
	struct tt_sink *s;
	int rc = make(env, path, sink, err);

	if (rc != TT_OK)
		return rc;
	s = *sink;
	rc = tt_dest_open(&s->dest, env, s->name, err);
	if (rc == TT_OK && coding) {
		rc = tt_pack_new(env, coding, &s->dest, &s->pack, err);
		if (rc != TT_OK)
			tt_dest_abort(&s->dest);
	}
	if (rc != TT_OK) {
		free_sink(s);
		*sink = NULL;
	}
	return rc;
}

int
tt_sink_open_mem(struct tt_env *env, struct tt_sink **sink, struct tt_err *err)
{
	int rc = make(env, "memory", sink, err);

	if (rc == TT_OK)
		(*sink)->in_memory = true;
	return rc;
}

const char *
tt_sink_mem_data(const struct tt_sink *s, size_t *n)
{
	*n = s->memory.n;
	return s->memory.p ? s->memory.p : "";
}

/* --- writing ------------------------------------------------------------ */

static int
flush(struct tt_sink *s, struct tt_err *err)
{
	size_t n = s->buffered;

	s->buffered = 0;
	return tt_dest_write(&s->dest, s->buffer, n, err);
}

static int
write_plain(struct tt_sink *s, const void *p, size_t n, struct tt_err *err)
{
	if (!s->buffer)
		s->buffer = tt_mem_alloc(&s->env->mem, BUFFER, err);
	if (!s->buffer)
		return err ? err->code : TT_E_NOMEM;
	if (n >= DIRECT_WRITE_BYTES || n > BUFFER - s->buffered) {
		int rc = flush(s, err);

		if (rc != TT_OK)
			return rc;
	}
	if (n >= DIRECT_WRITE_BYTES)
		return tt_dest_write(&s->dest, p, n, err);
	memcpy(s->buffer + s->buffered, p, n);
	s->buffered += n;
	return TT_OK;
}

int
tt_sink_write(struct tt_sink *s, const void *p, size_t n, struct tt_err *err)
{
	int rc;

	/* After a failed write bytes are missing, and nothing may follow the gap. */
	if (s->failed.code == TT_OK) {
		if (s->in_memory)
			tt_buf_add(&s->memory, p, n);
		rc = s->in_memory ? tt_buf_error(&s->memory, &s->failed) : n == 0 ? TT_OK :
		    s->pack ? tt_pack_write(s->pack, p, n, &s->failed) : write_plain(s, p, n, &s->failed);
		if (rc == TT_OK)
			return TT_OK;
	}
	if (err)
		*err = s->failed;
	return s->failed.code;
}

int
tt_sink_write_stamps(struct tt_sink *s, const void *p, size_t n, struct tt_err *err)
{
	if (s->failed.code == TT_OK)
		tt_pack_write_stamps(s->pack, p, n, &s->failed);
	if (err && s->failed.code != TT_OK)
		*err = s->failed;
	return s->failed.code;
}

int
tt_sink_flush_and_shrink(struct tt_sink *s, struct tt_err *err)
{
	if (s->failed.code == TT_OK && s->pack) {
		tt_pack_flush_and_shrink(s->pack, &s->failed);
	} else if (s->failed.code == TT_OK && !s->in_memory) {
		flush(s, &s->failed);
		tt_mem_free(&s->env->mem, s->buffer, BUFFER);
		s->buffer = NULL;
	}
	if (err && s->failed.code != TT_OK)
		*err = s->failed;
	return s->failed.code;
}

/* --- the end ------------------------------------------------------------ */

int
tt_sink_set_packets(struct tt_sink *s, const struct tt_forms *forms, bool *stamps, struct tt_err *err)
{
	int rc = TT_OK;

	*stamps = !s->pack && forms && !s->in_memory;
	if (*stamps)
		rc = tt_pack_new(s->env, &tt_coding_packets, &s->dest, &s->pack, err);
	if (rc == TT_OK && s->pack)
		tt_pack_set_packets(s->pack, forms);
	return rc;
}

void
tt_sink_set_database(struct tt_sink *s)
{
	s->dest.database = !s->pack;
}

int
tt_sink_commit(struct tt_sink *s, struct tt_err *err)
{
	int rc = s->failed.code;

	if (rc != TT_OK && err)
		*err = s->failed;
	if (rc == TT_OK && !s->in_memory)
		rc = s->pack ? tt_pack_finish(s->pack, err) : flush(s, err);
	tt_pack_free(s->pack);
	s->pack = NULL;
	if (rc == TT_OK && !s->in_memory)
		rc = tt_dest_commit(&s->dest, err);
	else if (!s->in_memory)
		tt_dest_abort(&s->dest);
	free_sink(s);
	return rc;
}

int
tt_sink_commit_all(struct tt_sink **sink, size_t n, int rc, struct tt_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (rc == TT_OK)
			rc = sink[i] ? tt_sink_commit(sink[i], err) : TT_OK;
		else
			tt_sink_abort(sink[i]);
	return rc;
}

void
tt_sink_abort(struct tt_sink *s)
{
	if (!s)
		return;
	tt_pack_free(s->pack);
	if (!s->in_memory)
		tt_dest_abort(&s->dest);
	free_sink(s);
}

const char *
tt_path_suffix(const char *path, size_t *n)
{
	const struct tt_coding *coding = tt_pack_coding(path);
	size_t end = strlen(path) - (coding ? strlen(coding->suffix) : 0);

	*n = 0;
	for (size_t i = end; i > 1 && !tt_sys_is_separator(path[i - 1]); i--) {
		/* A dot at the beginning of a file name begins no suffix. */
		if (path[i - 1] == '.' && !tt_sys_is_separator(path[i - 2])) {
			*n = end - (i - 1);
			return path + i - 1;
		}
	}
	return NULL;
}
