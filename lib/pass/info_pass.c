/**
 * The pass "info": what a capture is. Producer, versions, duration, threads, events by type.
 */
#include <string.h>
#include <time.h>

#include "base/setting.h"
#include "model/names.h"
#include "pass/passes.h"
#include "stat/num.h"

static const struct tt_col capture_col[] = {
	{ "path", "file", TT_UNIT_TEXT, "Name of the input, as given." },
	{ "format", "format", TT_UNIT_TEXT, "Format of the input." },
	{ "version", "version", TT_UNIT_TEXT, "Version of the file format." },
	{ "producer", "producer", TT_UNIT_TEXT, "Program that recorded the capture." },
	{ "started", "started", TT_UNIT_TEXT, "Wall clock at the start, UTC." },
	{ "duration_ns", "duration", TT_UNIT_NS, "From the first event, or the recording's begin if the file says so, to the last." },
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
	{ "tid", "id", TT_UNIT_HEX, "Thread id from the recorder; the GPU has none." },
	{ "first_ns", "first event", TT_UNIT_NS, "Time of the thread's first event." },
	{ "last_ns", "last event", TT_UNIT_NS, "Time of the thread's last event." },
	{ "events", "events", TT_UNIT_COUNT, "Number of events of the thread; definitions that belong to no thread count for the main one." },
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

static const struct tt_col fact_col[] = {
	{ "key", "key", TT_UNIT_TEXT, "Key of the fact." },
	{ "value", "value", TT_UNIT_TEXT, "Value of the fact." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

static const struct tt_col candidate_col[] = {
	{ "option", "option", TT_UNIT_COMMAND, "Option that names the marker, quoted for a shell." },
	{ "thread", "thread", TT_UNIT_TEXT, "Thread on which the marker begins." },
	{ "begins", "begins", TT_UNIT_COUNT, "Number of begins found." },
	{ "every_ns", "every", TT_UNIT_NS, "Mean time from one begin to the next, without the longest tenth of these times, at most four." },
	{ "spread", "spread", TT_UNIT_PERCENT, "Standard deviation of these times as a share of their mean; small if the marker begins regularly." },
	{ "share", "share", TT_UNIT_PERCENT, "Share of the thread's time." },
};

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

/* Return the end of span ${i} of a flight recording: the time of its dump, or of the last event if there was no dump. */
static int64_t
kept_to(const struct tt_capture *k, size_t i)
{
	int64_t last = k->max_ts - k->offset_ns;

	if (k->covered_span[i].to < INT64_MAX)
		return k->covered_span[i].to - 1; /* the span includes the time of the dump */
	return last > k->covered_span[i].from ? last : k->covered_span[i].from;
}

/* Put four cells: whether the capture is a flight recording, its number of dumps, and the span that all threads have. */
static void
put_flight(const struct tt_capture *k, struct tt_cell *c)
{
	int64_t sum = 0;

	if (!k->is_flight)
		return;
	tt_cell_int(&c[0], true);
	tt_cell_int(&c[1], (int64_t)k->ncovered_span);
	if (k->ncovered_span == 0 || k->min_ts > k->max_ts)
		return;
	for (size_t i = 0; i < k->ncovered_span; i++)
		sum += kept_to(k, i) - k->covered_span[i].from;
	tt_cell_int(&c[2], k->covered_span[0].from + k->offset_ns);
	tt_cell_int(&c[3], sum);
}

const char *
tt_pass_rotation_text(const struct tt_capture *k, struct tt_report *r)
{
	const char *more = k->more_follow ? "; more follow" : k->clean_end ? "; the last" : "";
	char files[TT_FILES_TEXT];

	if (k->part == 0 && !k->more_follow)
		return NULL;
	tt_capture_files(k, files);
	return tt_text(r, "%s of a rotation%s", files, more);
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
		tt_cell_int(&c[5], k->max_ts - tt_capture_begin(k));
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
	tt_cell_int(&c[18], k->has_marks);
	if (!k->more_follow)
		tt_cell_int(&c[19], k->clean_end);
	if (k->part > 0)
		tt_cell_int(&c[25], k->part);
	put_flight(k, &c[20]);
	tt_cell_name(&c[24], recording_text(t->r, k));
	tt_cell_name(&c[26], tt_pass_rotation_text(k, t->r));
}

static void
captures(struct tt_making *k, struct tt_table *t)
{
	for (size_t i = 0; i < k->m->ncap; i++)
		capture_row(k->m, k->m->cap[i], t);
}

static void
threads(struct tt_making *k, struct tt_table *t)
{
	for (size_t i = 0; i < k->m->threads.n; i++) {
		const struct tt_thread *th = k->m->threads.t[i];
		struct tt_cell *c = tt_row(t);

		tt_cell_name(&c[0], th->name);
		tt_cell_name(&c[1], th->group);
		if (!tt_thread_is_gpu(th))
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

static bool
has_dumps(const struct tt_making *k)
{
	for (size_t i = 0; i < k->m->ncap; i++)
		if (k->m->cap[i]->is_flight && k->m->cap[i]->ncovered_span)
			return true;
	return false;
}

static void
dumps(struct tt_making *k, struct tt_table *t)
{
	for (size_t i = 0; i < k->m->ncap; i++) {
		const struct tt_capture *of = k->m->cap[i];

		for (size_t d = 0; of->is_flight && d < of->ncovered_span; d++) {
			int64_t from = of->covered_span[d].from, to = kept_to(of, d);
			struct tt_cell *c = tt_row(t);

			tt_cell_int(&c[0], (int64_t)d + 1);
			tt_cell_int(&c[1], from + of->offset_ns);
			tt_cell_int(&c[2], to + of->offset_ns);
			tt_cell_int(&c[3], to - from);
			tt_cell_int(&c[4], (int64_t)i + 1);
		}
	}
}

static void
events(struct tt_making *k, struct tt_table *t)
{
	for (size_t i = 0; i < k->m->ncap; i++) {
		const struct tt_capture *of = k->m->cap[i];

		for (unsigned tag = 0; tag < 256; tag++) {
			struct tt_cell *c;

			if (of->tally[tag] == 0)
				continue;
			c = tt_row(t);
			tt_cell_name(&c[0], of->tally_name ? of->tally_name(tag) : NULL);
			tt_cell_u64(&c[1], of->tally[tag]);
			tt_cell_u64(&c[2], i + 1);
		}
	}
}

static bool
has_facts(const struct tt_making *k)
{
	for (size_t i = 0; i < k->m->ncap; i++)
		if (k->m->cap[i]->meta)
			return true;
	return false;
}

static void
facts(struct tt_making *k, struct tt_table *t)
{
	for (size_t i = 0; i < k->m->ncap; i++) {
		for (const struct tt_meta *f = k->m->cap[i]->meta; f; f = f->next) {
			struct tt_cell *c = tt_row(t);

			tt_cell_text(&c[0], f->key);
			tt_cell_text(&c[1], f->value);
			tt_cell_u64(&c[2], i + 1);
		}
	}
}

const char *
tt_pass_frame_option(struct tt_report *r, const char *full)
{
	const char *text = "";
	size_t n = tt_name_bare(full);

	for (size_t part = 0;; full += part + 1, n -= part + 1) {
		const char *quote = memchr(full, '\'', n);

		part = quote ? (size_t)(quote - full) : n;
		text = tt_text(r, "%s%.*s%s", text, (int)part, full, quote ? "'\\''" : "");
		if (!quote)
			return tt_text(r, "%s '%s'", tt_setting_name[TT_SETTING_FRAME_MARKER], text);
	}
}

static bool
has_candidates(const struct tt_making *k)
{
	return !k->m->frames && k->m->ncandidate;
}

static void
candidates(struct tt_making *k, struct tt_table *t)
{
	for (size_t i = 0; i < k->m->ncandidate; i++) {
		const struct tt_candidate *of = &k->m->candidate[i];
		const char *option = tt_pass_frame_option(k->r, of->full);
		struct tt_cell *c = tt_row(t);

		tt_cell_text(&c[0], option);
		tt_cell_text(&c[1], of->thread->name);
		tt_cell_u64(&c[2], of->nbegins);
		tt_cell_int(&c[3], of->mean_period_ns);
		tt_cell_int(&c[4], tt_ratio((uint64_t)of->period_stddev_ns, 10000, (uint64_t)of->mean_period_ns));
		tt_cell_int(&c[5], of->share_e4);
	}
}

static const struct tt_pass_table tables[] = {
	{ "capture", "Capture", capture_col, TT_NCOL(capture_col), .always_whole = true, .shape = TT_FACTS, .make_rows = captures },
	{ "capture_layout", "Layout", tt_layout_col, TT_LAYOUT_COLUMNS, .always_whole = true, .shape = TT_FACTS, .needs = TT_NEEDS_CALLS,
	    .make_rows = tt_layout_make, .has_rows = tt_layout_has, .why_empty = "its format has one layout" },
	{ "capture_logs", "Logs", tt_logs_col, TT_LOGS_COLUMNS, .always_whole = true, .needs = TT_NEEDS_CALLS, .make_rows = tt_logs_make, .has_rows =
	    tt_logs_has, .why_empty = "no input has several logs", .why_no_budget = "a row is one of several logs in a file; use capture_layout" },
	{ "capture_unknown", "Messages of unknown types", tt_unknown_col, TT_UNKNOWN_COLUMNS, .always_whole = true,
	    .make_rows = tt_unknown_make, .has_rows = tt_unknown_has, .why_empty = "no message has an unknown type" },
	{ "capture_dumps", "Dumps of flight recordings", dump_col, TT_NCOL(dump_col), .make_rows = dumps, .has_rows = has_dumps,
	    .why_empty = "nothing here is a flight recording" },
	{ "capture_meta", "Facts", fact_col, TT_NCOL(fact_col), .always_whole = true, .make_rows = facts, .has_rows = has_facts, .why_empty =
	    "the capture holds no facts" },
	{ "capture_frame_markers", "Markers that may begin frames", candidate_col, TT_NCOL(candidate_col),
	    .always_whole = true, .needs = TT_NEEDS_CALLS | TT_NEEDS_CANDIDATES, .make_rows = candidates, .has_rows = has_candidates,
	    .why_empty = "frames are marked, or no marker begins regularly" },
	{ "capture_threads", "Threads", thread_col, TT_NCOL(thread_col), .needs = TT_NEEDS_CALLS, .make_rows = threads,
	    .why_empty = "the capture has no threads" },
	{ "capture_events", "Events by type", event_col, TT_NCOL(event_col), .needs = TT_NEEDS_TALLY, .make_rows = events, .sort = "events",
	    .why_empty = "the capture has no events" },
};

const struct tt_pass tt_pass_info = {
	.name = "info",
	.summary = "producer, versions, duration, threads and events of captures",
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
