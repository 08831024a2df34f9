/**
 * tracetool info: what a capture is. Producer, versions, duration, threads, events by type, damage.
 */
#include "info.h"

#include <string.h>
#include <time.h>

#include "cmd.h"
#include "input.h"
#include "model/names.h"
#include "pass/pass.h"
#include "report.h"
#include "run/run.h"
#include "scrub.h"
#include "stat/num.h"
#include "view/view.h"

struct info_opts {
	struct input_opts in;
	struct report_opts out;
	bool scrub;
};

static const struct opt scrub_opt[] = {
	{ .name = "scrub", .set = opt_flag, .at = offsetof(struct info_opts, scrub),
	    .help = "print nothing, but write with -o a copy of one .raw or .data whose names are hashes, to be sent to others" },
	{ .name = NULL },
};

static const struct opt_group groups[] = {
	{ "Copy", scrub_opt, 0 },
	REPORT_GROUP(struct info_opts, out),
	INPUT_GROUPS(struct info_opts, in),
	{ NULL, NULL, 0 },
};

const struct verb verb_info = {
	.name = "info",
	.summary = "print producer, version, duration, threads, events and damage of captures",
	.operands = "FILE...",
	.about = "Print facts of captures: producer, versions, duration, threads, events by type, and whether anything is "
		 "damaged or missing. The whole input is read.",
	.examples = "  tracetool info game.mlpd\n"
		    "  tracetool info --format json *.mlpd\n",
	.group = groups,
	.operand_at = offsetof(struct info_opts, in.path),
};

/* --- tables ------------------------------------------------------------------- */

static const struct tt_col capture_col[] = {
	{ "path", "file", TT_UNIT_TEXT, "Name of the input, as given." },
	{ "format", "format", TT_UNIT_TEXT, "Format of the input." },
	{ "version", "version", TT_UNIT_TEXT, "Version of the file format." },
	{ "producer", "producer", TT_UNIT_TEXT, "Program that recorded the capture." },
	{ "started", "started", TT_UNIT_TEXT, "Wall clock at the start, UTC." },
	{ "duration_ns", "duration", TT_UNIT_NS, "From the first event to the last." },
	{ "bytes", "size", TT_UNIT_BYTES, "Bytes read, after decompression." },
	{ "events", "events", TT_UNIT_COUNT, "Events in the file, before any filter." },
	{ "chunks", "chunks", TT_UNIT_COUNT, "Number of parts that can be decoded alone." },
	{ "threads", "threads", TT_UNIT_COUNT, "Number of threads that wrote events or have names." },
	{ "pid", "process id", TT_UNIT_TEXT, "Process id of the recorded process." },
	{ "arch", "architecture", TT_UNIT_TEXT, "Architecture of the recorded process." },
	{ "pointer_size", "pointer size", TT_UNIT_COUNT, "Size of a pointer, in bytes." },
	{ "os", "system", TT_UNIT_TEXT, "Operating system of the recorded process." },
	{ "args", "recorded with", TT_UNIT_TEXT, "Options of the recorder." },
	{ "clock", "clock", TT_UNIT_PROSE,
	    "Source of the times: tsc or cntvct, the processor's counter; system or qpc, the system's clock." },
	{ "zero_ns", "clock at zero", TT_UNIT_COUNT,
	    "Event clock of the recorder at time 0 of this report, in ns." },
	{ "offset_ns", "offset", TT_UNIT_NS, "Offset added to the times of this input to put several inputs on one timeline." },
	{ "frame_marks", "frame marks", TT_UNIT_BOOL, "True if the file has frame marks." },
	{ "clean_end", "ended cleanly", TT_UNIT_BOOL, "True if the recorder was shut down in order; empty if later files hold that." },
	{ "flight", "flight recording", TT_UNIT_BOOL,
	    "True if the recorder held only the last seconds and wrote them now and then; empty if it wrote everything." },
	{ "dumps", "dumps", TT_UNIT_COUNT, "Number of dumps of a flight recorder; see capture_dumps." },
	{ "kept_from_ns", "kept from", TT_UNIT_NS, "Start of the span of the first dump." },
	{ "kept_ns", "kept span", TT_UNIT_NS, "Total time of the spans of all dumps." },
	{ "recording", "recording", TT_UNIT_TEXT, "For a recording that can rotate: its id, the same in all its files." },
	{ "rotated", "rotated", TT_UNIT_COUNT, "Number of earlier files of the recording; empty for the first." },
	{ "part", "part", TT_UNIT_TEXT, "For part of a recording that rotates: which of its files this is, and whether more follow." },
};

static const struct tt_col thread_col[] = {
	{ "thread", "thread", TT_UNIT_TEXT, "Name of the thread." },
	{ "group", "group", TT_UNIT_TEXT, "Group of threads from the engine." },
	{ "tid", "id", TT_UNIT_HEX, "Thread id from the recorder." },
	{ "first_ns", "first event", TT_UNIT_NS, "Time of the thread's first event." },
	{ "last_ns", "last event", TT_UNIT_NS, "Time of the thread's last event." },
	{ "events", "events", TT_UNIT_COUNT, "Number of events of the thread." },
	{ "calls", "calls", TT_UNIT_COUNT, "Number of begun zones, without zones that tracetool makes itself." },
	{ "allocs", "allocations", TT_UNIT_COUNT, "Number of objects allocated." },
	{ "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes allocated." },
	{ "open", "open at end", TT_UNIT_COUNT, "Number of zones still open at the end." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

static const struct tt_col dump_col[] = {
	{ "dump", "dump", TT_UNIT_COUNT, "Number of the dump of a flight recording, from 1." },
	{ "from_ns", "from", TT_UNIT_NS,
	    "Start of the span in which all threads were kept; other commands leave out the time between spans." },
	{ "to_ns", "to", TT_UNIT_NS, "Time at which the dump was written, or of the last event." },
	{ "kept_ns", "span", TT_UNIT_NS, "Length of the span; if nothing is missing, it begins where the previous span ended." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

static const struct tt_col event_col[] = {
	{ "type", "event", TT_UNIT_TEXT, "Name of the type in the format." },
	{ "events", "count", TT_UNIT_COUNT, "Number of events of this type." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

static const struct tt_col meta_col[] = {
	{ "key", "key", TT_UNIT_TEXT, "Key of the fact." },
	{ "value", "value", TT_UNIT_TEXT, "Value of the fact." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

static const struct tt_col likely_col[] = {
	{ "option", "option", TT_UNIT_COMMAND, "Option that names the marker, quoted for a shell." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread on which the marker begins." },
	{ "begins", "begins", TT_UNIT_COUNT, "Number of begins found." },
	{ "every_ns", "every", TT_UNIT_NS, "Mean time from one begin to the next, without the longest tenth of these times, at most four." },
	{ "spread", "spread", TT_UNIT_PERCENT, "Standard deviation of these times as a share of their mean; small if the marker begins regularly." },
	{ "share", "share", TT_UNIT_PERCENT, "Share of the thread's time." },
};

enum { T_CAPTURE, T_DUMP, T_THREAD, T_EVENT, T_META, T_LIKELY, T_N };
static const struct tt_pass_table table[T_N] = {
	[T_CAPTURE] = { .id = "capture", .title = "Capture", .col = capture_col, .ncol = TT_NCOL(capture_col) },
	[T_DUMP] = { .id = "capture_dumps", .title = "Dumps of flight recordings", .col = dump_col, .ncol = TT_NCOL(dump_col) },
	[T_THREAD] = { .id = "capture_threads", .title = "Threads", .col = thread_col, .ncol = TT_NCOL(thread_col) },
	[T_EVENT] = { .id = "capture_events", .title = "Events by type", .col = event_col, .ncol = TT_NCOL(event_col) },
	[T_META] = { .id = "capture_meta", .title = "Facts", .col = meta_col, .ncol = TT_NCOL(meta_col) },
	[T_LIKELY] = { .id = "capture_frame_markers", .title = "Markers that may begin frames", .col = likely_col, .ncol = TT_NCOL(likely_col) },
};

const struct tt_pass_table *
info_tables(size_t *n)
{
	*n = T_N;
	return table;
}

static struct tt_table *
new_table(struct tt_report *r, int which)
{
	return tt_report_table(r, table[which].id, table[which].title, table[which].col, table[which].ncol);
}

/* "2026-11-20 07:11:05 UTC", or NULL. */
static const char *
wall_text(struct tt_report *r, int64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / 1000000000);
	struct tm tm;

	if (wall_ns == 0 || !gmtime_r(&s, &tm))
		return NULL;
	return tt_text(r, "%04d-%02d-%02d %02d:%02d:%02d UTC", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
	    tm.tm_min, tm.tm_sec);
}

static uint64_t
threads_of(const struct tt_model *m, uint32_t process)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->threads.n; i++)
		n += m->threads.t[i]->process == process;
	return n;
}

static const char *
recording_text(struct tt_report *r, const struct tt_capture *k)
{
	char text[TT_RECORDING_TEXT];

	return tt_capture_recording(k, text) ? tt_text(r, "%s", text) : NULL;
}

/* The end of the span ${i} of a flight recording; without a dump of its own that is the last event. */
static int64_t
kept_to(const struct tt_capture *k, size_t i)
{
	int64_t last = k->max_ts - k->offset_ns;

	if (k->kept[i].to < INT64_MAX)
		return k->kept[i].to - 1;     /* it includes the time of the dump */
	return last > k->kept[i].from ? last : k->kept[i].from;
}

/* Four cells: is it a flight recording, of how many dumps, and what do all threads have of it? */
static void
put_flight(const struct tt_capture *k, struct tt_cell *c)
{
	int64_t sum = 0;

	if (!k->flight)
		return;
	tt_cell_int(&c[0], true);
	tt_cell_int(&c[1], (int64_t)k->nkept);
	if (k->nkept == 0 || k->min_ts > k->max_ts)
		return;
	for (size_t i = 0; i < k->nkept; i++)
		sum += kept_to(k, i) - k->kept[i].from;
	tt_cell_int(&c[2], k->kept[0].from + k->offset_ns);
	tt_cell_int(&c[3], sum);
}

/* "file 2 of a rotation; more follow", or NULL. */
static const char *
part_text(struct tt_report *r, const struct tt_capture *k)
{
	const char *more = k->more_follow ? "; more follow" : k->clean_end ? "; the last" : "";
	unsigned first = k->part + 1, last = k->part_last + 1;

	if (first == 1 && !k->more_follow)
		return NULL;
	return first < last ? tt_text(r, "files %u to %u of a rotation%s", first, last, more) :
	    tt_text(r, "file %u of a rotation%s", first, more);
}

static void
capture_row(const struct tt_model *m, const struct tt_capture *k, struct tt_table *t)
{
	struct tt_cell *c = tt_row(t);

	tt_cell_name(&c[0], k->path);
	tt_cell_name(&c[1], k->format);
	tt_cell_name(&c[2], k->version);
	tt_cell_name(&c[3], k->producer);
	tt_cell_name(&c[4], wall_text(t->r, k->wall_ns));
	if (k->max_ts >= k->min_ts)
		tt_cell_int(&c[5], k->max_ts - k->min_ts);
	tt_cell_u64(&c[6], k->bytes);
	tt_cell_u64(&c[7], k->nevent);
	tt_cell_u64(&c[8], k->nchunk);
	tt_cell_u64(&c[9], threads_of(m, k->process));
	if (k->pid > 0)
		tt_cell_text(&c[10], tt_text(t->r, "%lld", (long long)k->pid));
	tt_cell_name(&c[11], k->arch);
	if (k->pointer_size)
		tt_cell_int(&c[12], k->pointer_size);
	tt_cell_name(&c[13], k->os);
	tt_cell_name(&c[14], k->args);
	tt_cell_name(&c[15], k->clock);
	tt_cell_int(&c[16], k->zero_ns);
	if (m->ncap > 1)
		tt_cell_int(&c[17], k->offset_ns);
	tt_cell_int(&c[18], k->marked);
	if (!k->more_follow)
		tt_cell_int(&c[19], k->clean_end);
	if (k->part > 0)
		tt_cell_int(&c[25], k->part);
	put_flight(k, &c[20]);
	tt_cell_name(&c[24], recording_text(t->r, k));
	tt_cell_name(&c[26], part_text(t->r, k));
}

void
info_summary(const struct tt_model *m, struct tt_report *r)
{
	struct tt_table *t = new_table(r, T_CAPTURE);

	t->facts = true;
	for (size_t i = 0; i < m->ncap; i++)
		capture_row(m, m->cap[i], t);
}

static void
thread_rows(const struct tt_model *m, struct tt_report *r)
{
	struct tt_table *t = new_table(r, T_THREAD);

	for (size_t i = 0; i < m->threads.n; i++) {
		const struct tt_thread *th = m->threads.t[i];
		struct tt_cell *c = tt_row(t);

		tt_cell_name(&c[0], th->name);
		tt_cell_name(&c[1], th->group);
		tt_cell_u64(&c[2], th->tid);
		if (th->first_ts <= th->last_ts) {
			tt_cell_int(&c[3], th->first_ts);
			tt_cell_int(&c[4], th->last_ts);
		}
		tt_cell_u64(&c[5], th->nevent);
		tt_cell_u64(&c[6], th->ncall);
		tt_cell_u64(&c[7], th->nalloc);
		tt_cell_u64(&c[8], th->alloc_b);
		tt_cell_u64(&c[9], th->open_at_end);
		tt_cell_int(&c[10], (int64_t)th->process + 1);
	}
}

static void
dump_rows(const struct tt_model *m, struct tt_report *r)
{
	struct tt_table *t = NULL;

	for (size_t i = 0; i < m->ncap; i++) {
		const struct tt_capture *k = m->cap[i];

		for (size_t d = 0; d < k->nkept; d++) {
			int64_t from = k->kept[d].from, to = kept_to(k, d);
			struct tt_cell *c;

			t = t ? t : new_table(r, T_DUMP);
			c = tt_row(t);
			tt_cell_int(&c[0], (int64_t)d + 1);
			tt_cell_int(&c[1], from + k->offset_ns);
			tt_cell_int(&c[2], to + k->offset_ns);
			tt_cell_int(&c[3], to - from);
			tt_cell_int(&c[4], (int64_t)i + 1);
		}
	}
}

static void
event_rows(const struct tt_model *m, struct tt_report *r)
{
	struct tt_table *t = new_table(r, T_EVENT);

	for (size_t i = 0; i < m->ncap; i++) {
		const struct tt_capture *k = m->cap[i];

		for (unsigned tag = 0; tag < 256; tag++) {
			struct tt_cell *c;

			if (k->tally[tag] == 0)
				continue;
			c = tt_row(t);
			tt_cell_name(&c[0], k->tally_name ? k->tally_name(tag) : NULL);
			tt_cell_u64(&c[1], k->tally[tag]);
			tt_cell_u64(&c[2], i + 1);
		}
	}
	tt_table_sort(t, "events", &r->err);
}

static void
meta_rows(const struct tt_model *m, struct tt_report *r)
{
	struct tt_table *t = NULL;

	for (size_t i = 0; i < m->ncap; i++) {
		for (const struct tt_meta *f = m->cap[i]->meta; f; f = f->next) {
			struct tt_cell *c;

			if (!t)
				t = new_table(r, T_META);
			c = tt_row(t);
			tt_cell_text(&c[0], f->key);
			tt_cell_text(&c[1], f->value);
			tt_cell_u64(&c[2], i + 1);
		}
	}
}

const char *
info_frame_option(struct tt_report *r, const char *full)
{
	const char *text = "";
	size_t n = tt_name_bare(full);

	for (size_t part = 0;; full += part + 1, n -= part + 1) {
		const char *quote = memchr(full, '\'', n);

		part = quote ? (size_t)(quote - full) : n;
		text = tt_text(r, "%s%.*s%s", text, (int)part, full, quote ? "'\\''" : "");
		if (!quote)
			return tt_text(r, "--frame-marker '%s'", text);
	}
}

/* Where no frame is marked: which markers may begin frames. */
static void
likely_rows(const struct tt_model *m, struct tt_report *r)
{
	struct tt_table *t;

	if (m->frames || m->ncandidate == 0)
		return;
	t = new_table(r, T_LIKELY);
	for (size_t i = 0; i < m->ncandidate; i++) {
		const struct tt_candidate *k = &m->candidate[i];
		const char *option = info_frame_option(r, k->full);
		struct tt_cell *c = tt_row(t);

		tt_cell_text(&c[0], option);
		tt_cell_text(&c[1], k->thread->name);
		tt_cell_u64(&c[2], k->begins);
		tt_cell_int(&c[3], k->every);
		tt_cell_int(&c[4], tt_ratio((uint64_t)k->spread, 10000, (uint64_t)k->every));
		tt_cell_int(&c[5], k->share_e4);
	}
}

void
info_capture(const struct tt_model *m, struct tt_report *r)
{
	info_summary(m, r);
	meta_rows(m, r);
	likely_rows(m, r);
}

/* The ledger, as the pass of that name tells it. */
static void
loss_rows(struct tt_views *view, struct tt_report *r)
{
	const struct tt_pass_opts po = { 0 };
	const struct tt_pass *loss;

	tt_pass_table_named("loss", &loss);
	tt_pass_report(loss, view, &po, r);
}

static int
info(struct app *app, const struct info_opts *o, struct tt_err *err)
{
	struct tt_run_opts run;
	struct tt_model *m = NULL;
	struct tt_views view = { 0 };
	struct tt_report r;
	int rc = input_setup(app, &o->in, &run, err);

	if (rc == TT_OK && o->out.output && input_is(&o->in, o->out.output))
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: is both an input and the output", o->out.output);
	if (rc != TT_OK)
		return rc;
	report_pager(app, &o->out);
	rc = input_confine(app, &o->in, o->out.output, NULL, &run, err);
	if (rc != TT_OK)
		return rc;
	run.needs = TT_NEEDS_TALLY | TT_NEEDS_CALLS | TT_NEEDS_CANDIDATES;
	tt_report_init(&r, &app->env.mem);
	rc = tt_run(&app->env, &run, &m, err);
	ui_erase(&app->ui);
	if (rc == TT_OK) {
		tt_view_init(&view, m);
		report_notes(app, m, &r);
		info_summary(m, &r);
		dump_rows(m, &r);
		meta_rows(m, &r);
		likely_rows(m, &r);
		thread_rows(m, &r);
		event_rows(m, &r);
		loss_rows(&view, &r);
		rc = report_write(app, &o->out, &r, err);
	}
	tt_report_free(&r);
	tt_view_free(&view);
	tt_model_free(m);
	return rc;
}

/* Options that would leave a part out. */
static int
check_whole(const struct input_opts *in, struct tt_err *err)
{
	const struct { const char *name; bool given; } part[] = {
		{ "time", in->from != INT64_MIN || in->to != INT64_MAX }, { "frames", in->has_frames }, { "from-label", in->from_label },
		{ "to-label", in->to_label }, { "thread", in->thread.n }, { "category", in->category.n }, { "marker", in->marker.n },
		{ "min-duration", in->min_dur }, { "depth", in->depth }, { "no-wait", in->no_wait },
		{ "player-only", in->player_only },
	};

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].given)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "info describes the whole of a capture: --%s is for stats and convert",
			    part[i].name);
	return TT_OK;
}

/* Options of a report, which has no part in a copy. */
static int
check_copy(const struct info_opts *o, struct tt_err *err)
{
	const struct { const char *name; bool given; } of[] = {
		{ "format", o->out.form != -1 }, { "csv-safe", o->out.csv_safe }, { "width", o->out.width != -1 }, { "meta", o->in.meta.n },
		{ "input-format", o->in.format }, { "align", o->in.align }, { "wrappers", o->in.wrappers }, { "names", o->in.names },
		{ "frame-marker", o->in.frame_marker }, { "frame-thread", o->in.frame_thread }, { "wait", o->in.wait.n },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (of[i].given)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--scrub prints nothing, and changes nothing but names: it does not go with --%s",
			    of[i].name);
	return TT_OK;
}

int
run_info(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct info_opts o = { .scrub = false };
	struct tt_run_opts run;
	int rc;

	input_defaults(&o.in);
	report_defaults(&o.out);
	rc = app_parse(app, &verb_info, &o, &o.in.ui, argc, argv, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	rc = check_whole(&o.in, err);
	if (rc == TT_OK && o.scrub)
		rc = check_copy(&o, err);
	if (rc == TT_OK && o.scrub)
		rc = input_setup(app, &o.in, &run, err);
	if (rc == TT_OK && o.scrub)
		return scrub_capture(app, &o.in.path, o.out.output, o.in.tmpdir, err);
	return rc != TT_OK ? rc : info(app, &o, err);
}
