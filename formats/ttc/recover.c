/**
 * Recovers captures: opens the files of a recording together with the contents of their rings, and writes everything as one capture.
 */
#include "ttc/recover.h"

#include <errno.h>
#include <string.h>

#include "base/arena_text.h"
#include "io/sink.h"
#include "sys/sys.h"
#include "ttc/ttc.h"

extern const struct tt_format tt_format_ttc;

int
ttc_part_open(struct tt_env *env, const char *path, struct ttc_part *p, struct tt_err *err)
{
	const uint8_t *head;
	size_t n;
	int rc;

	*p = (struct ttc_part){ .cap = { .path = path } };
	rc = tt_src_open(env, path, &p->src, err);
	tt_arena_init(&p->cap.arena, &env->mem);
	TT_THEN(rc, tt_src_peek(p->src, &head, &n, err));
	if (rc == TT_OK && tt_format_ttc.probe(head, n) == 0)
		rc = tt_fail(err, TT_E_UNKNOWN, 0, "not a capture of tracetool's recorders");
	if (rc == TT_OK && !tt_src_info(p->src)->seekable)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "recover wants the capture as a plain file, as the recorder left it");
	TT_THEN(rc, tt_format_ttc.open(env, p->src, &p->cap, (void **)&p->m, err));
	if (rc != TT_OK && p->src)
		tt_err_in(err, "%s", path);
	return rc;
}

void
ttc_part_close(struct ttc_part *p)
{
	tt_format_ttc.close(p->m);
	if (p->src)
		tt_src_close(p->src);
	tt_arena_free(&p->cap.arena);
}

int
ttc_parts_order(const struct ttc_part *p, struct ttc **m, size_t n, struct tt_err *err)
{
	for (size_t i = 0; i < n; i++) {
		struct ttc *x = p[i].m;
		size_t at = i;
		if (memcmp(x->head.run, p[0].m->head.run, sizeof x->head.run) != 0)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s and %s are not files of one recording", p[0].cap.path, p[i].cap.path);
		for (; at > 0 && m[at - 1]->head.part > x->head.part; at--)
			m[at] = m[at - 1];
		m[at] = x;
	}
	for (size_t i = 1; i < n; i++)
		if (m[i]->head.part <= ttc_last_part(m[i - 1]))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s and %s have the same file of one recording: leave copies out",
			    m[i - 1]->cap->path, m[i]->cap->path);
	return TT_OK;
}

static int
write_out(void *arg, const void *p, size_t n, struct tt_err *err)
{
	return tt_sink_write(arg, p, n, err);
}

int
ttc_write_capture(struct tt_env *env, struct ttc *const *part, size_t n, const char *out, bool remove_ring, struct tt_err *err)
{
	struct ttc_copied done;
	struct tt_sink *sink;
	int rc = tt_sink_open(env, out, &sink, err);

	if (rc != TT_OK)
		return rc;
	rc = ttc_copy(part, n, write_out, sink, &done, err);
	if (rc != TT_OK) {
		tt_sink_abort(sink);
		return rc;
	}
	rc = tt_sink_commit(sink, err);
	if (rc != TT_OK)
		return rc;
	tt_log(env, TT_LOG_NORMAL, "%s: %llu chunk%s, %llu of them from %s%s", out,
	    (unsigned long long)done.nchunks, done.nchunks == 1 ? "" : "s", (unsigned long long)done.nfrom_ring,
	    done.ring ? done.ring : "its ring (there is none)", done.is_ring_of_other ? " (another user's: not read)" : "");
	if (remove_ring && done.ring && !done.is_ring_of_other && tt_sys_remove(done.ring) != 0)
		return tt_fail_sys(err, errno, "%s", done.ring);
	return TT_OK;
}

int
ttc_recover(struct tt_env *env, const char *path, struct ttc_mended *what, struct tt_err *err)
{
	struct ttc_part p;
	int rc = ttc_part_open(env, path, &p, err);

	*what = (struct ttc_mended){ 0 };
	if (rc == TT_OK) {
		what->ring = p.m->ring != NULL;
		what->running = p.m->is_ring_live;
		if (what->ring && !what->running)
			rc = ttc_write_capture(env, &p.m, 1, path, true, err);
	}
	ttc_part_close(&p);
	return rc;
}
