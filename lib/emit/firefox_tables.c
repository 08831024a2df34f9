/**
 * firefox: values of columns, tables that all threads share, and facts.
 */
#include "emit/firefox.h"

#include <inttypes.h>
#include <stdio.h>

#include "emit/common.h"
#include "emit/stacks.h"
#include "io/sink.h"

/* --- values of columns ---------------------------------------------------------------------------------------------- */

int
tt_firefox_spill(struct firefox *d, struct tt_err *err)
{
	if (d->buf.n < 1 << 16)
		return TT_OK;
	tt_sink_write(d->sink, d->buf.p, d->buf.n, NULL);
	d->buf.n = 0;
	return tt_stopped(d->e.env) ? tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped") : TT_OK;
}

/* Begin the next value of a column. Returns room for at least FIREFOX_VALUE bytes, or NULL without memory. */
char *
tt_firefox_next_value(struct firefox *d)
{
	struct tt_json *j = &d->j;

	if (tt_buf_room(j->out, FIREFOX_VALUE, NULL) != TT_OK)
		return NULL;
	if (j->comma)
		j->out->p[j->out->n++] = ',';
	j->comma = true;
	return j->out->p + j->out->n;
}

void
tt_firefox_end_value(struct firefox *d, char *p)
{
	d->j.out->n = (size_t)(p - d->j.out->p);
}

void
tt_firefox_put_number(struct firefox *d, uint64_t v)
{
	char *p = tt_firefox_next_value(d);

	if (p)
		tt_firefox_end_value(d, tt_put_u64(p, v));
}

void
tt_firefox_put_word(struct firefox *d, const char *word)
{
	char *p = tt_firefox_next_value(d);

	if (p)
		tt_firefox_end_value(d, stpcpy(p, word));
}

/* Write ${ns} as ms. */
void
tt_firefox_put_ms(struct firefox *d, int64_t ns)
{
	char *p = tt_firefox_next_value(d);

	if (p)
		tt_firefox_end_value(d, tt_put_fixed(p, ns, 6));
}

/* Write the time ${ts} in ms since the begin of the profile. */
void
tt_firefox_put_time(struct firefox *d, int64_t ts)
{
	const uint64_t ns = ts > d->origin ? (uint64_t)ts - (uint64_t)d->origin : 0;

	tt_firefox_put_ms(d, ns < INT64_MAX ? (int64_t)ns : INT64_MAX);
}

/* Write a column of ${n} equal values. */
int
tt_firefox_put_same(struct firefox *d, const char *key, const char *word, uint64_t n, struct tt_err *err)
{
	int rc = TT_OK;

	tt_json_open(&d->j, key, "[");
	for (uint64_t i = 0; i < n && rc == TT_OK; i++) {
		tt_firefox_put_word(d, word);
		rc = tt_firefox_spill(d, err);
	}
	tt_json_close(&d->j, "]");
	return rc;
}

/* --- tables -------------------------------------------------------------------------------------------------------- */

static int
put_stacks(struct firefox *d, struct tt_err *err)
{
	const struct tt_stacks *s = d->stacks;
	int rc = TT_OK;

	d->j.gap = "\n";
	tt_json_open(&d->j, "stackTable", "{");
	tt_json_open(&d->j, "frame", "[");
	for (uint32_t i = 1; i < s->n && rc == TT_OK; i++)
		if (d->stack_of[i]) {
			tt_firefox_put_number(d, d->func_of[s->text[i]] - 1);
			rc = tt_firefox_spill(d, err);
		}
	tt_json_close(&d->j, "]");
	tt_json_open(&d->j, "prefix", "[");
	for (uint32_t i = 1; i < s->n && rc == TT_OK; i++)
		if (d->stack_of[i]) {
			const uint32_t up = d->stack_of[tt_stacks_up(s, i)];

			if (up)
				tt_firefox_put_number(d, up - 1);
			else
				tt_firefox_put_word(d, "null");
			rc = tt_firefox_spill(d, err);
		}
	tt_json_close(&d->j, "]");
	tt_json_u64(&d->j, "length", d->nstack);
	tt_json_close(&d->j, "}");
	return rc;
}

/* Write the table of functions, and a frame for each: frames would tell places in a function apart, which zones do not have. ${category} is by text. */
static int
put_functions(struct firefox *d, const uint32_t *category, struct tt_err *err)
{
	static const char *const frame_words[][2] = { { "address", "-1" }, { "inlineDepth", "0" }, { "subcategory", "0" }, { "nativeSymbol", "null" },
		{ "innerWindowID", "null" }, { "line", "null" }, { "column", "null" } };
	static const char *const func_words[][2] = { { "isJS", "false" }, { "relevantForJS", "false" }, { "resource", "-1" }, { "source", "null" },
		{ "lineNumber", "null" }, { "columnNumber", "null" } };
	struct tt_json *j = &d->j;
	uint32_t name;
	int rc = TT_OK;

	j->gap = "\n";
	tt_json_open(j, "frameTable", "{");
	tt_json_open(j, "func", "[");
	for (uint32_t i = 0; i < d->nfunc && rc == TT_OK; i++) {
		tt_firefox_put_number(d, i);
		rc = tt_firefox_spill(d, err);
	}
	tt_json_close(j, "]");
	tt_json_open(j, "category", "[");
	for (size_t i = 0; i < d->stacks->nname && rc == TT_OK; i++)
		if (d->func_of[i]) {
			tt_firefox_put_number(d, category[i]);
			rc = tt_firefox_spill(d, err);
		}
	tt_json_close(j, "]");
	for (size_t i = 0; i < sizeof frame_words / sizeof *frame_words && rc == TT_OK; i++)
		rc = tt_firefox_put_same(d, frame_words[i][0], frame_words[i][1], d->nfunc, err);
	tt_json_u64(j, "length", d->nfunc);
	tt_json_close(j, "}");
	j->gap = "\n";
	tt_json_open(j, "funcTable", "{");
	tt_json_open(j, "name", "[");
	for (size_t i = 0; i < d->stacks->nname && rc == TT_OK; i++)
		if (d->func_of[i]) {
			if ((rc = tt_firefox_number_string(d, d->stacks->name[i], &name, err)) == TT_OK)
				tt_firefox_put_number(d, name);
			rc = rc == TT_OK ? tt_firefox_spill(d, err) : rc;
		}
	tt_json_close(j, "]");
	for (size_t i = 0; i < sizeof func_words / sizeof *func_words && rc == TT_OK; i++)
		rc = tt_firefox_put_same(d, func_words[i][0], func_words[i][1], d->nfunc, err);
	tt_json_u64(j, "length", d->nfunc);
	tt_json_close(j, "}");
	return rc;
}

static int
put_strings(struct firefox *d, struct tt_err *err)
{
	int rc = TT_OK;

	d->j.gap = "\n";
	tt_json_open(&d->j, "stringArray", "[");
	for (size_t i = 0; i < d->nstring && rc == TT_OK; i++) {
		tt_json_text(&d->j, NULL, d->string[i]);
		rc = tt_firefox_spill(d, err);
	}
	tt_json_close(&d->j, "]");
	return rc;
}

int
tt_firefox_put_shared(struct firefox *d, struct tt_err *err)
{
	/* Empty tables of native code, which zones do not have. */
	static const char empty[] = ",\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},"
	    "\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[]},"
	    "\"sources\":{\"length\":0,\"id\":[],\"filename\":[],\"startLine\":[],\"startColumn\":[],\"sourceMapURL\":[]}";
	struct tt_mem *mem = &d->e.env->mem;
	const size_t size = d->stacks->nname * sizeof(uint32_t);
	uint32_t *category = tt_mem_alloc(mem, size, err);
	int rc = category ? TT_OK : err->code;

	for (size_t i = 0; i < d->nnamed && category; i++)
		if (d->named[i].text)
			category[d->named[i].text - 1] = d->named[i].category;
	tt_json_open(&d->j, "shared", "{");
	TT_THEN(rc, put_stacks(d, err));
	TT_THEN(rc, put_functions(d, category, err));
	tt_buf_text(d->j.out, empty);
	TT_THEN(rc, put_strings(d, err));
	tt_json_close(&d->j, "}");
	tt_mem_free(mem, category, size);
	return rc;
}

/* --- facts --------------------------------------------------------------------------------------------------------- */

/* Versions of the processed format and of Firefox's own format, which the profiler checks. */
enum { PROCESSED_VERSION = 63, GECKO_VERSION = 33 };

/* Write the id of a process: its own, or its number if there are several captures, as these may have equal ids. */
void
tt_firefox_put_pid(struct firefox *d, uint32_t process)
{
	const struct tt_model *m = d->e.m;
	char text[24];

	*tt_put_i64(text, m->ncap == 1 && m->cap[0]->pid > 0 ? m->cap[0]->pid : (int64_t)process + 1) = '\0';
	tt_json_text(&d->j, "pid", text);
}

/*
 * Return the format's colour nearest to ${rgba}; for a category without a colour, choose one by its number ${i}. Grey is not used: the profiler takes the
 * first grey category for uncategorized. The values are Photon's.
 */
static const char *
color_of(uint32_t rgba, size_t i)
{
	static const struct { uint32_t rgb; const char *name; } have[] = { { 0x0060df, "blue" }, { 0x12bc00, "green" }, { 0xff9400, "orange" },
		{ 0xffe900, "yellow" }, { 0x6200a4, "purple" }, { 0x45a1ff, "lightblue" }, { 0xa47f00, "brown" }, { 0xed00b5, "magenta" },
		{ 0xd70022, "red" }, { 0xeb6e7d, "lightred" }, { 0x737373, "darkgrey" } };
	const size_t n = sizeof have / sizeof *have;
	const char *best = have[i % (n - 1)].name;
	unsigned smallest = UINT32_MAX;

	for (size_t k = 0; rgba && k < n; k++) {
		unsigned sum = 0;

		for (unsigned up = 0; up < 24; up += 8) {
			const int off = (int)(rgba >> (up + 8) & 255) - (int)(have[k].rgb >> up & 255);
			sum += (unsigned)(off * off);
		}
		if (sum < smallest) {
			smallest = sum;
			best = have[k].name;
		}
	}
	return best;
}

static void
put_category(struct tt_json *j, const char *name, const char *color)
{
	tt_json_open(j, NULL, "{");
	tt_json_text(j, "name", name);
	tt_json_text(j, "color", color);
	tt_json_open(j, "subcategories", "[");
	tt_json_text(j, NULL, "Other");
	tt_json_close(j, "]}");
}

static void
put_categories(struct firefox *d)
{
	static const char *const own[CATEGORIES][2] = { { "Other", "grey" }, { "Frame", "darkgrey" }, { "Allocation", "orange" }, { "Event", "lightblue" } };
	const struct tt_model *m = d->e.m;

	tt_json_open(&d->j, "categories", "[");
	for (size_t i = 0; i < CATEGORIES; i++)
		put_category(&d->j, own[i][0], own[i][1]);
	for (size_t i = 0; i < m->ncategory; i++)
		put_category(&d->j, m->category[i].name, color_of(m->category[i].rgba, i));
	tt_json_close(&d->j, "]");
}

/* Describe how the profiler shows the markers of each type. It shows markers without data everywhere; such are zones and instants without arguments. */
static void
put_schemas(struct firefox *d)
{
	static const struct { const char *type, *label, *more; const char *field[2][2]; } types[] = {
		{ "Zone", "{marker.name} {marker.data.arguments}", NULL, { { "arguments", "string" } } },
		{ "Instant", "{marker.name} {marker.data.arguments}", NULL, { { "arguments", "string" } } },
		{ "Event", "{marker.name} {marker.data.object}", NULL, { { "object", "string" } } },
		{ "Text", "{marker.data.counter}: {marker.data.value}", NULL, { { "counter", "string" }, { "value", "string" } } },
		{ "Allocation", "{marker.data.bytes} in {marker.data.objects}", NULL, { { "bytes", "bytes" }, { "objects", "integer" } } },
		{ "GC", "{marker.name}", "timeline-memory", { { NULL } } },
		{ "Frame", "Frame {marker.data.number}", "timeline-overview", { { "number", "integer" } } },
	};
	struct tt_json *j = &d->j;

	tt_json_open(j, "markerSchema", "[");
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		tt_json_open(j, NULL, "{");
		tt_json_text(j, "name", types[i].type);
		tt_json_text(j, "tableLabel", types[i].label);
		tt_json_text(j, "chartLabel", types[i].label);
		tt_json_text(j, "tooltipLabel", "{marker.name}");
		tt_json_open(j, "display", "[");
		tt_json_text(j, NULL, "marker-chart");
		tt_json_text(j, NULL, "marker-table");
		if (types[i].more)
			tt_json_text(j, NULL, types[i].more);
		tt_json_close(j, "]");
		tt_json_open(j, "fields", "[");
		for (size_t k = 0; k < 2 && types[i].field[k][0]; k++) {
			tt_json_open(j, NULL, "{");
			tt_json_text(j, "key", types[i].field[k][0]);
			tt_json_text(j, "label", types[i].field[k][0]);
			tt_json_text(j, "format", types[i].field[k][1]);
			tt_json_close(j, "}");
		}
		tt_json_close(j, "]}");
	}
	tt_json_close(j, "]");
}

/* Write a line of the profiler's "more info", unless its value is empty. */
static void
put_entry(struct tt_json *j, const char *label, const char *value)
{
	if (!value || !*value)
		return;
	tt_json_open(j, NULL, "{");
	tt_json_text(j, "label", label);
	tt_json_text(j, "format", "string");
	tt_json_text(j, "value", value);
	tt_json_close(j, "}");
}

static void
put_capture(struct tt_json *j, const struct tt_capture *c)
{
	tt_json_open(j, NULL, "{");
	tt_json_text(j, "label", c->path);
	tt_json_open(j, "entries", "[");
	put_entry(j, "format", c->format);
	put_entry(j, "version", c->version);
	put_entry(j, "producer", c->producer);
	put_entry(j, "arguments", c->args);
	put_entry(j, "architecture", c->arch);
	put_entry(j, "system", c->os);
	for (const struct tt_meta *k = c->meta; k; k = k->next)
		put_entry(j, k->key, k->value);
	tt_json_close(j, "]}");
}

/* Write where the data came from, and what was lost. */
static void
put_extra(struct firefox *d)
{
	const struct tt_model *m = d->e.m;
	struct tt_json *j = &d->j;
	char text[200];

	tt_json_open(j, "extra", "[");
	tt_json_open(j, NULL, "{");
	tt_json_text(j, "label", d->e.o.generator ? d->e.o.generator : "tracetool");
	tt_json_open(j, "entries", "[");
	put_entry(j, "caveat", tt_model_caveat(m));
	for (unsigned i = 0; i < TT_LOST_KINDS; i++)
		if (m->loss->e[i].n) {
			snprintf(text, sizeof text, "%s: %" PRIu64 ", %" PRIu64 " bytes", tt_severity_name[tt_loss_info[i].severity], m->loss->e[i].n,
			    m->loss->e[i].bytes);
			put_entry(j, tt_loss_info_of(m->loss, i).text, text);
		}
	tt_json_close(j, "]}");
	for (size_t i = 0; i < m->ncap; i++)
		put_capture(j, m->cap[i]);
	tt_json_close(j, "]");
}

void
tt_firefox_put_meta(struct firefox *d)
{
	const struct tt_model *m = d->e.m;
	const struct tt_capture *c = m->cap[0];
	struct tt_json *j = &d->j;
	size_t n;
	const char *title = tt_capture_title(c, &n);

	tt_json_open(j, "meta", "{");
	tt_json_u64(j, "preprocessedProfileVersion", PROCESSED_VERSION);
	tt_json_u64(j, "version", GECKO_VERSION);
	tt_json_text_n(j, "product", title, n);
	tt_json_text(j, "importedFrom", "tracetool");
	tt_json_key(j, "interval");
	j->comma = false;
	tt_firefox_put_ms(d, d->slice_ns);
	tt_json_key(j, "startTime");
	j->comma = false;
	tt_firefox_put_ms(d, c->wall_ns > 0 ? c->wall_ns : 0);
	tt_json_u64(j, "profilingStartTime", 0);
	tt_json_key(j, "profilingEndTime");
	j->comma = false;
	tt_firefox_put_time(d, d->max_ts);
	for (size_t i = 0; i < 2; i++)
		tt_json_u64(j, (const char *const[]){ "processType", "stackwalk" }[i], 0);
	for (size_t i = 0; i < 5; i++)
		tt_json_bool(j, (const char *const[]){ "symbolicated", "symbolicationNotSupported", "usesOnlyOneStackType", "sourceCodeIsNotOnSearchfox",
		    "keepProfileThreadOrder" }[i], true);
	if (*c->args)
		tt_json_text(j, "arguments", c->args);
	if (*c->os)
		tt_json_text(j, "oscpu", c->os);
	tt_json_raw(j, "sampleUnits", "{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}");
	put_categories(d);
	put_schemas(d);
	put_extra(d);
	tt_json_close(j, "}");
	j->gap = "\n";
	tt_json_open(j, "libs", "[");
	tt_json_close(j, "]");
}
