/**
 * Runs a batch: what the scheduler calls, the progress, the totals at the end.
 */
#include "batch_opts.h"
#include "batch_state.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "batch/plan.h"
#include "cmd.h"
#include "io/spool.h"
#include "report_opts.h"

static bool
on_done(void *arg, size_t file, const char *key, size_t n, const uint64_t *hash)
{
	const struct batch *b = arg;

	return tt_batch_store_done(&b->out, &b->files.file[file], key, n, hash);
}

static int
on_line(void *arg, const char *line, size_t n, struct tt_err *err)
{
	struct batch *b = arg;

	return tt_batch_store_line(&b->out, line, n, err);
}

static int
on_same(void *arg, const struct tt_result_id *id, struct tt_err *err)
{
	struct batch *b = arg;

	return tt_batch_store_same(&b->out, id, err);
}

static void
on_say(void *arg, const char *line)
{
	struct batch *b = arg;

	ui_say(&b->app->ui, "%s", line);
}

static void
put_progress(const struct batch *b, const struct tt_scheduler_sum *s, char *to, size_t size)
{
	int64_t ns = ui_clock() - b->app->ui.start_ns;
	double seconds = (double)ns / 1e9, rate = seconds > 0 ? (double)s->bytes / seconds : 0;
	char done[40], total[40], left[48] = "";
	uint64_t eta = rate > 1 && s->total > s->bytes ? (uint64_t)((double)(s->total - s->bytes) / rate) + 1 : 0;

	*tt_put_bytes(done, (int64_t)s->bytes) = '\0';
	*tt_put_bytes(total, (int64_t)s->total) = '\0';
	if (eta)
		snprintf(left, sizeof left, ", %llu:%02llu left", (unsigned long long)(eta / 60), (unsigned long long)(eta % 60));
	snprintf(to, size, "%llu captures, %s of %s, %.0f MB/s%s, %llu failed", (unsigned long long)s->captures, done, total,
	    rate / 1e6, left, (unsigned long long)tt_scheduler_failures(s));
}

static void
on_tick(void *arg, const struct tt_scheduler_sum *s)
{
	struct batch *b = arg;
	int64_t now = ui_clock();
	char text[256];

	put_progress(b, s, text, sizeof text);
	ui_line(&b->app->ui, text);
	if (b->app->ui.bar || b->app->ui.opts.quiet || b->app->ui.opts.progress == UI_NEVER || b->o->log_ns == 0)
		return;
	if (b->logged_ns == 0)
		b->logged_ns = b->app->ui.start_ns;
	if (now - b->logged_ns < b->o->log_ns)
		return;
	b->logged_ns = now;
	ui_say(&b->app->ui, "%s", text);
}

/* Confine a worker process before it reads bytes of captures. */
static int
on_confine(void *arg, struct tt_env *env, bool scratch, struct tt_err *err)
{
	const struct batch *b = arg;
	const char *const here[] = { ".", NULL }, *const tmp[] = { tt_spool_dir(env), NULL };
	const struct tt_sandbox_plan plan = { .write = b->makes_files ? here : NULL, .scratch = scratch ? tmp : NULL,
		.sends_messages = true };

	env->sandbox = b->app->env.sandbox;
	return tt_sandbox_seal(env, &plan, err);
}

void
batch_say_end(struct batch *b, uint64_t all, uint64_t failures)
{
	const struct tt_scheduler_sum *s = &b->sum;
	const uint64_t now = tt_scheduler_failures(s);
	char spooled[40], lost[48] = "an unknown number of", archives[160] = "", kept[160] = "";

	size_t n = 0;

	*tt_put_bytes(spooled, (int64_t)s->spooled) = '\0';
	if (s->unended == 0)
		snprintf(lost, sizeof lost, "%llu", (unsigned long long)s->lost);
	if (s->archives > 0)
		snprintf(archives, sizeof archives, "; %llu archive%s damaged or failed, %s member%s not read",
		    (unsigned long long)s->archives, s->archives == 1 ? "" : "s", lost, s->lost == 1 && s->unended == 0 ? "" : "s");
	if (all > s->captures)
		n = (size_t)snprintf(kept, sizeof kept, "; earlier results of %llu capture%s kept", (unsigned long long)(all - s->captures),
		    all - s->captures == 1 ? "" : "s");
	if (failures > now)
		snprintf(kept + n, sizeof kept - n, "; of earlier runs, %llu damaged or failed", (unsigned long long)(failures - now));
	tt_log(&b->app->env, TT_LOG_NORMAL, "%llu capture%s: %llu ok, %llu damaged, %llu failed%s%s; %s handed over or spooled",
	    (unsigned long long)s->captures, s->captures == 1 ? "" : "s", (unsigned long long)s->ok, (unsigned long long)s->damaged,
	    (unsigned long long)s->failed, archives, kept, spooled);
	if (b->files.links + b->files.others > 0)
		tt_log(&b->app->env, TT_LOG_NORMAL, "passed over: %llu symbolic link%s, and %llu that %s neither file nor folder",
		    (unsigned long long)b->files.links, b->files.links == 1 ? "" : "s", (unsigned long long)b->files.others,
		    b->files.others == 1 ? "is" : "are");
}

/* Append the facts of --meta to results of files that could not be read. If a key occurs twice, its last fact counts, as for captures. */
static void
put_facts(const struct tt_list *meta, struct tt_buf *to)
{
	struct tt_json j = { .out = to, .comma = true };

	if (meta->n)
		tt_json_open(&j, "meta", "{");
	for (size_t i = 0; i < meta->n; i++) {
		size_t n = strcspn(meta->v[i], "="), k = i + 1;

		while (k < meta->n && strncmp(meta->v[k], meta->v[i], n + 1) != 0)
			k++;
		if (k < meta->n)
			continue;
		tt_json_key_n(&j, meta->v[i], n);
		tt_json_quote(to, meta->v[i] + n + 1, strlen(meta->v[i] + n + 1));
	}
	if (meta->n)
		tt_json_close(&j, "}");
}

/* Return the scheduler's options; ${facts} are those of --meta. */
static struct tt_scheduler_opts
many_of(struct batch *b, const struct tt_one_opts *one, struct tt_buf *facts, uint64_t memory, int dir)
{
	const struct batch_opts *o = b->o;

	return (struct tt_scheduler_opts){ .one = one, .facts = tt_buf_string(facts), .file = b->files.file, .nfile = b->files.n, .shard = o->shard,
		.jobs = b->app->env.jobs, .depth = (unsigned)o->depth, .members_max = o->members_max,
		.capture_memory = memory, .unpack_memory = o->unpack_memory, .capture_ns = o->capture_ns,
		.failures_max = o->sum.failures, .by = b->out.by, .dir = dir, .verify = o->verify,
		.done = o->resume ? on_done : NULL, .line = on_line, .same = on_same, .say = on_say, .tick = on_tick,
		.confine = on_confine, .arg = b };
}

/* Print what the batch will cost. */
static int
print_plan(struct batch *b, const struct tt_scheduler_opts *many, struct tt_err *err)
{
	const struct batch_opts *o = b->o;
	const struct tt_batch_plan_opts plan = { .files = &b->files, .many = many, .divide = !o->in.format,
		.shards = tt_opts_given(&o->given, "shard") || o->shard_count ? o->shard.count : 0 };
	const struct report_opts ro = { .form = o->sum.form, .width = -1, .csv_safe = o->sum.csv_safe };
	struct tt_buf text = { 0 };
	struct tt_report r;
	int rc;

	tt_report_init(&r, &b->app->env.mem);
	rc = tt_batch_plan(&b->app->env, &plan, &r, &b->app->arena, err);
	TT_THEN(rc, report_render(b->app, &ro, &r, &text, err));
	TT_THEN(rc, app_show(b->app, &text, err));
	tt_buf_free(&text);
	tt_report_free(&r);
	return rc;
}

int
batch_work(struct batch *b, const struct tt_one_opts *one, uint64_t memory, int dir, struct tt_err *err)
{
	const struct batch_opts *o = b->o;
	struct tt_buf facts = { 0 };
	int rc;

	put_facts(&b->o->in.meta, &facts);
	const struct tt_scheduler_opts many = many_of(b, one, &facts, memory, dir);

	rc = tt_buf_error(&facts, err);
	if (rc == TT_OK && o->plan) {
		rc = print_plan(b, &many, err);
		tt_buf_free(&facts);
		return rc == TT_OK ? TT_END : rc;
	}
	TT_THEN(rc, tt_scheduler_run(&b->app->env, &many, &b->sum, err));
	tt_buf_free(&facts);
	ui_erase(&b->app->ui);
	if (rc != TT_OK)
		batch_say_end(b, 0, 0);
	if (rc == TT_E_LIMIT && o->sum.failures != UINT64_MAX && tt_scheduler_failures(&b->sum) > o->sum.failures) {
		ui_say(&b->app->ui, "%s%s", err->msg, o->dir ? "; --resume continues; if one archive exceeds --max-failures, raise it" : "");
		b->app->verdict = tt_verdict_exit(TT_FOUND_WORSE);
		return TT_END;
	}
	return rc;
}
