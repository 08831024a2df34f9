/**
 * Fuzz target: any names, zones and events for the Firefox Profiler: valid JSON, columns of one length, indexes within their tables, times that do
 * not run backwards.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit_kit.h"
#include "io/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void
need(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static const json_t *
get(const json_t *j, const char *key)
{
	const json_t *v = json_object_get(j, key);

	need(v != NULL, key);
	return v;
}

/* The rows of a table, all of whose columns have as many. */
static size_t
rows(const json_t *table)
{
	const size_t n = (size_t)json_integer_value(get(table, "length"));
	const char *key;
	json_t *column;

	json_object_foreach((json_t *)(uintptr_t)table, key, column)
		if (json_is_array(column))
			need(json_array_size(column) == n, key);
	return n;
}

/* Each value is a row of another table of ${n} rows; or null, or -1. */
static void
check_indexes(const json_t *column, size_t n, bool may_be_none)
{
	size_t i;
	json_t *v;

	json_array_foreach((json_t *)(uintptr_t)column, i, v) {
		const bool none = json_is_null(v) || json_integer_value(v) == -1;

		need(none ? may_be_none : json_is_integer(v) && json_integer_value(v) >= 0 && (size_t)json_integer_value(v) < n,
		    "an index is outside its table");
	}
}

static void
check_times(const json_t *column)
{
	double last = 0;
	size_t i;
	json_t *v;

	json_array_foreach((json_t *)(uintptr_t)column, i, v) {
		if (json_is_null(v))
			continue;
		need(json_is_number(v) && json_number_value(v) >= last, "times run backwards");
		last = json_number_value(v);
	}
}

static void
check_thread(const json_t *t, size_t nstack, size_t nstring, size_t ncategory)
{
	const json_t *samples = get(t, "samples"), *markers = get(t, "markers"), *allocs = json_object_get(t, "jsAllocations");

	rows(samples);
	check_indexes(get(samples, "stack"), nstack, true);
	check_times(get(samples, "time"));
	rows(markers);
	check_indexes(get(markers, "name"), nstring, false);
	check_indexes(get(markers, "category"), ncategory, false);
	check_indexes(get(markers, "phase"), 2, false);
	check_times(get(markers, "startTime"));
	if (allocs) {
		rows(allocs);
		check_indexes(get(allocs, "stack"), nstack, true);
		check_times(get(allocs, "time"));
	}
}

static void
check(const json_t *j)
{
	const json_t *shared = get(j, "shared"), *threads = get(j, "threads"), *counters = get(j, "counters");
	const size_t nstack = rows(get(shared, "stackTable")), nframe = rows(get(shared, "frameTable")), nfunc = rows(get(shared, "funcTable"));
	const size_t nstring = json_array_size(get(shared, "stringArray")), ncategory = json_array_size(get(get(j, "meta"), "categories"));
	const json_t *prefix = get(get(shared, "stackTable"), "prefix");
	size_t i;
	json_t *v;

	check_indexes(get(get(shared, "stackTable"), "frame"), nframe, false);
	json_array_foreach((json_t *)(uintptr_t)prefix, i, v)
		need(json_is_null(v) || (json_integer_value(v) >= 0 && (size_t)json_integer_value(v) < i), "a stack comes before the one it is in");
	check_indexes(get(get(shared, "frameTable"), "func"), nfunc, false);
	check_indexes(get(get(shared, "frameTable"), "category"), ncategory, false);
	check_indexes(get(get(shared, "funcTable"), "name"), nstring, false);
	need(json_array_size(threads) > 0, "there is no thread");
	json_array_foreach((json_t *)(uintptr_t)threads, i, v)
		check_thread(v, nstack, nstring, ncategory);
	json_array_foreach((json_t *)(uintptr_t)counters, i, v) {
		rows(get(v, "samples"));
		need((size_t)json_integer_value(get(v, "mainThreadIndex")) < json_array_size(threads), "a counter's thread is none");
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct kit k;
	json_error_t e;
	const char *text;
	size_t len;

	/* The time of one input is bounded by its length alone. */
	if (n > 1 << 16)
		return 0;
	kit_fuzz(&k, "firefox", p, n);
	text = tt_sink_mem_data(k.sink[0], &len);
	/* kit_fuzz() put a NUL behind it. */
	json_t *j = json_loadb(text, len - 1, JSON_REJECT_DUPLICATES, &e);
	if (!j)
		fprintf(stderr, "%s at byte %d: %.100s\n", e.text, e.position, text + (e.position > 60 ? e.position - 60 : 0));
	need(j != NULL, "it is no JSON");
	check(j);
	json_decref(j);
	kit_free(&k);
	return 0;
}
