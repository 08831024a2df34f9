/**
 * tracetool recover --list: lists the rings in memory, the program of each, and what can be done with each.
 */
#include "verb_recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/order.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "cmd.h"
#include "out/table.h"
#include "ttc/rings.h"

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct ttc_ring_file *)a)->path, ((const struct ttc_ring_file *)b)->path);
}

static void
put_line(struct tt_buf *out, const char *label, const char *text)
{
	char line[4096];

	tt_utf8_line(line, sizeof line, text);
	tt_buf_printf(out, "  %-9s%s\n", label, line);
}

/* Append what can be done with a ring, such as "tracetool recover --remove-ring game.ttc". */
static void
put_advice(struct tt_buf *out, const struct ttc_ring_file *r)
{
	tt_buf_text(out, "  to do    ");
	if (r->user == TTC_RING_RUNS) {
		tt_buf_text(out, "nothing: the recorder removes it when the program ends\n");
		return;
	}
	if (!r->readable) {
		tt_buf_text(out, "list it as that user\n");
		return;
	}
	if (r->user == TTC_RING_UNKNOWN)
		tt_buf_text(out, "if the process is no recorder any more: ");
	tt_buf_text(out, r->has_head && r->capture_state == TTC_RING_CAPTURE_THERE ? "tracetool recover --remove-ring " : "rm ");
	tt_shell_quote(out, r->has_head && r->capture_state == TTC_RING_CAPTURE_THERE ? r->capture : r->path);
	if (r->has_head && r->capture_state == TTC_RING_CAPTURE_GONE)
		tt_buf_text(out, "; or, where the capture is now: tracetool recover --remove-ring CAPTURE");
	tt_buf_text(out, "\n");
}

static void
put_ring(struct tt_buf *out, const struct ttc_ring_file *r)
{
	static const char *const user[] = { [TTC_RING_ENDED] = "has ended", [TTC_RING_RUNS] = "runs", [TTC_RING_UNKNOWN] = "may run" };
	time_t s = (time_t)(r->wall_ns / 1000000000);
	char size[32], path[4096];
	struct tm tm;

	*tt_put_bytes(size, (int64_t)r->size) = '\0';
	tt_utf8_line(path, sizeof path, r->path);
	tt_buf_printf(out, "%s\n", path);
	put_line(out, "size", size);
	tt_buf_printf(out, "  program  %s: process %ld%s%s\n", user[r->user], r->pid, r->has_head && r->args[0] ? ", " : "", r->has_head ? r->args : "");
	if (r->wall_ns && gmtime_r(&s, &tm))
		tt_buf_printf(out, "  began    %04d-%02d-%02d %02d:%02d UTC\n", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min);
	if (r->has_head)
		put_line(out, "capture", r->capture);
	else if (r->readable)
		put_line(out, "capture", "not known: the ring has no head that can be read");
	else
		tt_buf_printf(out, "  capture  not known: user %lu may read the ring\n", (unsigned long)r->uid);
	if (r->has_head && r->capture_state == TTC_RING_CAPTURE_GONE)
		put_line(out, "", "is not there, or is another recording's by now");
	put_advice(out, r);
	tt_buf_text(out, "\n");
}

static void
put_sum(struct tt_buf *out, const struct ttc_rings *r)
{
	uint64_t all = 0, ended = 0, n = 0;
	char text[32];

	for (size_t i = 0; i < r->n; i++) {
		all += r->v[i].size;
		if (r->v[i].user == TTC_RING_ENDED)
			ended += r->v[i].size, n++;
	}
	if (r->n == 0) {
		tt_buf_text(out, "no ring in");
		for (size_t i = 0; i < r->nfolder; i++) {
			char line[4096];
			tt_utf8_line(line, sizeof line, r->folder[i]);
			tt_buf_printf(out, "%s %s", i ? "," : "", line);
		}
		tt_buf_text(out, "\n");
		return;
	}
	*tt_put_bytes(text, (int64_t)all) = '\0';
	tt_buf_printf(out, "%zu ring%s, %s", r->n, r->n == 1 ? "" : "s", text);
	*tt_put_bytes(text, (int64_t)ended) = '\0';
	tt_buf_printf(out, "; of programs that have ended: %llu, %s\n", (unsigned long long)n, text);
}

int
recover_list(struct app *app, const char *const *folder, struct tt_err *err)
{
	static const char *const all[] = { "/", NULL };
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct ttc_rings r = { .a = &app->arena };
	struct tt_buf out = { 0 };
	int rc = ttc_rings_add(&r, "/dev/shm", false, err);

	if (rc == TT_OK && runtime && runtime[0] == '/')
		rc = ttc_rings_add(&r, runtime, false, err);
	for (; rc == TT_OK && folder && *folder; folder++)
		rc = ttc_rings_add(&r, *folder, true, err);
	if (rc == TT_OK)
		pager_start(&app->pager);
	app->plan.read = all;         /* captures may be anywhere */
	TT_THEN(rc, app_confine(app, NULL, NULL, err));
	for (size_t i = 0; rc == TT_OK && i < r.n; i++)
		rc = ttc_ring_look(&app->arena, &r.v[i], err);
	TT_THEN(rc, app_seal(app, err));
	if (rc == TT_OK) {
		tt_sort(r.v, r.n, by_path);
		for (size_t i = 0; i < r.n; i++)
			put_ring(&out, &r.v[i]);
		put_sum(&out, &r);
		rc = app_show(app, &out, err);
	}
	tt_buf_free(&out);
	tt_mem_free(&app->env.mem, r.v, r.cap * sizeof *r.v);
	return rc;
}
