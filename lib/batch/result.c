/**
 * Writes and reads one line of results, with its checksum.
 */
#include "batch/result.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BEGIN "{\"key\":\""
#define BODY ",\"outcome\":\""
#define CRC ",\"crc\":\""
#define CRC_TAIL (sizeof CRC - 1 + 8 + 2)

/* The longest times of frames at 240, 120, 90, 60, 50, 40, 30, 20, 10 and 4 FPS, as tt_frame_limit() has it. */
const int64_t tt_frame_edge[TT_FRAME_ROWS] = { 4167667, 8334334, 11112112, 16667667, 20000000, 25000000, 33334334, 50000000, 100000000, 250000000,
	INT64_MAX };

static uint32_t
crc_of(const char *p, size_t n)
{
	return (uint32_t)crc32_z(crc32_z(0, NULL, 0), (const Bytef *)p, n);
}

int
tt_result_facts(struct tt_buf *b, json_t *facts, struct tt_err *err)
{
	struct tt_json j = { .out = b, .comma = true };
	const char *key;
	json_t *v;

	if (json_object_size(facts) == 0)
		return TT_OK;
	tt_json_open(&j, "meta", "{");
	json_object_foreach(facts, key, v)
		tt_json_text_n(&j, key, json_string_value(v) ? json_string_value(v) : "", json_string_length(v));
	tt_json_close(&j, "}");
	return tt_buf_error(b, err);
}

int
tt_result_compose(struct tt_buf *b, const struct tt_result_id *id, const char *body, size_t n, struct tt_err *err)
{
	int64_t s = id->file_mtime_ns / 1000000000, ns = id->file_mtime_ns % 1000000000;
	size_t start = b->n;

	if (ns < 0) {
		ns += 1000000000;
		s--;
	}
	tt_buf_text(b, "{\"key\":");
	tt_json_quote(b, id->key, id->nkey);
	tt_buf_printf(b, ",\"type\":\"%s\",\"by\":\"%016llx\",\"file_size\":%llu,\"file_mtime\":\"%lld.%09lld\"",
	    id->type, (unsigned long long)id->by, (unsigned long long)id->file_size, (long long)s, (long long)ns);
	if (id->has_content)
		tt_buf_printf(b, ",\"size\":%llu,\"hash\":\"%016llx\"", (unsigned long long)id->size,
		    (unsigned long long)id->hash);
	if (id->parts)
		tt_buf_printf(b, ",\"part\":%u,\"parts\":%u", id->part, id->parts);
	tt_buf_text(b, ",");
	tt_buf_add(b, body, n);
	if (id->facts)
		tt_buf_text(b, id->facts);
	tt_buf_printf(b, CRC "%08x\"}\n", crc_of(b->p + start, b->n - start));
	return tt_buf_error(b, err);
}

/* The closing quote of the JSON string that begins at ${from}, or 0. */
static size_t
string_end(const char *p, size_t n, size_t from)
{
	for (size_t i = from; i < n; i++) {
		if (p[i] == '\\')
			i++;
		else if (p[i] == '"')
			return i;
	}
	return 0;
}

const char *
tt_result_scan(const char *p, size_t n, size_t *nkey)
{
	const size_t begin = sizeof BEGIN - 1;
	char expected[CRC_TAIL + 1];
	size_t end;

	if (n < begin + 1 + CRC_TAIL || n > TT_RESULT_LINE_MAX || memcmp(p, BEGIN, begin) != 0)
		return NULL;
	snprintf(expected, sizeof expected, CRC "%08x\"}", crc_of(p, n - CRC_TAIL));
	if (memcmp(p + n - CRC_TAIL, expected, CRC_TAIL) != 0)
		return NULL;
	end = string_end(p, n - CRC_TAIL, begin);
	if (end == 0)
		return NULL;
	*nkey = end - begin;
	return p + begin;
}

static const char *
text_of(const json_t *doc, const char *name)
{
	const char *s = json_string_value(json_object_get(doc, name));

	return s ? s : "";
}

static uint64_t
number_of(const json_t *doc, const char *name)
{
	json_int_t v = json_integer_value(json_object_get(doc, name));

	return v > 0 ? (uint64_t)v : 0;
}

/* Find where the body begins. The key, which comes first, cannot contain the body's mark, because its quotes are escaped. */
static bool
find_body(const char *line, size_t n, struct tt_result *r)
{
	const char *p = memmem(line, n - CRC_TAIL, BODY, sizeof BODY - 1);

	if (!p)
		return false;
	r->body = p + 1;
	r->nbody = (size_t)(line + n - CRC_TAIL - r->body);
	return true;
}

static bool
is_one_of(const char *s, const char *const *list)
{
	for (; *list; list++) {
		if (strcmp(s, *list) == 0)
			return true;
	}
	return false;
}

int
tt_result_load(const char *line, size_t n, struct tt_result *r, struct tt_err *err)
{
	static const char *const types[] = { "capture", "archive", "file", "shard", "part", NULL };
	static const char *const outcomes[] = { "ok", "damaged", "failed", "skipped", NULL };
	json_error_t why;
	size_t nkey;

	memset(r, 0, sizeof *r);
	if (!tt_result_scan(line, n, &nkey) || !find_body(line, n, r))
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "not a whole line of results");
	r->doc = json_loadb(line, n, JSON_REJECT_DUPLICATES, &why);
	if (!r->doc)
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "not a line of results: %s", why.text);
	r->key = text_of(r->doc, "key");
	r->type = text_of(r->doc, "type");
	r->outcome = text_of(r->doc, "outcome");
	r->why = text_of(r->doc, "why");
	r->detail = text_of(r->doc, "detail");
	r->hash = text_of(r->doc, "hash");
	r->mtime = text_of(r->doc, "file_mtime");
	r->by = strtoull(text_of(r->doc, "by"), NULL, 16);
	r->file_size = number_of(r->doc, "file_size");
	r->size = number_of(r->doc, "size");
	r->part = (unsigned)number_of(r->doc, "part");
	r->parts = (unsigned)number_of(r->doc, "parts");
	if (is_one_of(r->type, types) && is_one_of(r->outcome, outcomes) && r->part <= r->parts)
		return TT_OK;
	tt_result_free(r);
	return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "a line of results of no known kind");
}

void
tt_result_free(struct tt_result *r)
{
	json_decref(r->doc);
	r->doc = NULL;
}

bool
tt_result_again(const struct tt_result *r)
{
	static const char *const passing[] = { "crashed", "timeout", "interrupted", "memory", "io", NULL };

	return is_one_of(r->why, passing);
}

bool
tt_result_unended(const struct tt_result *r)
{
	return strcmp(r->type, "archive") == 0 && strcmp(r->outcome, "failed") == 0 && (tt_result_again(r) || strcmp(r->why, "limit") == 0);
}

int
tt_result_rank(const struct tt_result *r)
{
	if (tt_result_again(r))
		return 0;
	return strcmp(r->outcome, "failed") == 0 ? 1 : strcmp(r->outcome, "damaged") == 0 ? 2 : 3;
}

const char *
tt_result_page(const struct tt_result *r)
{
	static const char suffix[] = ".html";
	const json_t *name;
	size_t i;

	json_array_foreach(json_object_get(r->doc, "files"), i, name) {
		const char *s = json_string_value(name);
		size_t n = s ? strlen(s) : 0;

		if (n >= sizeof suffix && strcmp(s + n - (sizeof suffix - 1), suffix) == 0)
			return s;
	}
	return "";
}

const char *
tt_result_detail(const struct tt_result *r)
{
	size_t n = strlen(r->key);

	return strncmp(r->detail, r->key, n) == 0 && strncmp(r->detail + n, ": ", 2) == 0 ? r->detail + n + 2 : r->detail;
}
