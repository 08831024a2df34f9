/**
 * Chrome JSON: the files into which the output is split, how each file begins, and the parts of records that all kinds of events share.
 */
#include "base/json.h"
#include "emit/json_args.h"
#include "base/setting.h"
#include "emit/chrome.h"
#include "emit/common.h"
#include "io/sink.h"

#include <inttypes.h>

#define MAX_PARTS 999

/* --- parts of records ---------------------------------------------------- */

char *
tt_chrome_put_head(char *p, const char *phase, uint32_t pid, uint32_t tid)
{
	p = CHROME_PUT(p, ",\n{\"ph\":\"");
	*p++ = *phase;
	p = CHROME_PUT(p, "\",\"pid\":");
	p = tt_put_u64(p, pid);
	p = CHROME_PUT(p, ",\"tid\":");
	p = tt_put_u64(p, tid);
	return CHROME_PUT(p, ",\"ts\":");
}

void
tt_chrome_args(const struct chrome *c, const char *const *name, const struct tt_args *args, struct tt_buf *out)
{
	if (args->n == 0 && !args->cut)
		return;
	tt_buf_text(out, ",\"args\":");
	tt_emit_args(args, name, c->own->blobs, out);
}

void
tt_chrome_flow(struct tt_buf *out, uint64_t id)
{
	tt_buf_printf(out, ",\"name\":\"flow\",\"cat\":\"flow\",\"id\":\"0x%" PRIx64 "\",\"bp\":\"e\"}", id);
}

/* --- files -------------------------------------------------------------- */

void
tt_chrome_meta(struct tt_json *j, uint32_t process, uint32_t tid, const char *name)
{
	j->gap = "\n";
	tt_json_open(j, NULL, "{");
	tt_json_text(j, "ph", "M");
	tt_json_u64(j, "pid", chrome_pid(process));
	if (tid)
		tt_json_u64(j, "tid", tid);
	tt_json_text(j, "name", name);
	tt_json_open(j, "args", "{");
}

static void
put_capture(const struct tt_capture *cap, struct tt_json *j)
{
	size_t n;
	const char *title = tt_capture_title(cap, &n);

	tt_chrome_meta(j, cap->process, 0, "process_name");
	tt_json_text_n(j, "name", n ? title : "(unnamed)", n ? n : 9);
	tt_json_close(j, "}}");
	tt_chrome_meta(j, cap->process, 0, "process_sort_index");
	tt_json_u64(j, "sort_index", chrome_pid(cap->process));
	tt_json_close(j, "}}");
}

int
tt_chrome_part_write(struct chrome_part *part, const struct tt_buf *b, struct tt_err *err)
{
	int rc = tt_buf_error(b, err);

	part->bytes += b->n;
	return rc == TT_OK ? tt_sink_write(part->sink, b->p, b->n, err) : rc;
}

static int
part_begin(struct chrome *c, struct chrome_part *part, struct tt_err *err)
{
	struct tt_buf *b = &c->scratch;
	struct tt_json j = { .out = b };

	b->n = 0;
	tt_json_open(&j, NULL, "{");
	tt_json_text(&j, "displayTimeUnit", "ns");
	tt_json_open(&j, "traceEvents", "[");
	for (size_t i = 0; i < c->e.m->ncap; i++)
		put_capture(c->e.m->cap[i], &j);
	return tt_chrome_part_write(part, b, err);
}

int
tt_chrome_turn(struct chrome *c, struct tt_err *err)
{
	struct chrome_part *part;
	int rc = TT_OK;

	if (c->npart == MAX_PARTS)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE,
		    "the output takes more than %d files of that size; raise %s", MAX_PARTS, tt_setting_name[TT_SETTING_SPLIT]);
	if (c->npart > 0)
		rc = tt_sink_flush_and_shrink(c->part[c->npart - 1].sink, err);
	if (rc != TT_OK)
		return rc;
	rc = tt_mem_grow(&c->e.env->mem, &c->part, &c->cappart, c->npart + 1, sizeof *c->part, err);
	if (rc != TT_OK)
		return rc;
	part = &c->part[c->npart++];
	*part = (struct chrome_part){ .first_ts = INT64_MAX, .last_ts = INT64_MIN };
	rc = tt_emit_open(&c->e, c->own->split ? c->npart : 0, &part->sink, err);
	return rc == TT_OK ? part_begin(c, part, err) : rc;
}

bool
tt_chrome_full(const struct chrome *c, size_t more)
{
	const struct chrome_part *part = &c->part[c->npart - 1];

	return c->own->split && part->first_ts <= part->last_ts && part->bytes + more > c->own->split;
}

void
tt_chrome_span(struct chrome *c, int64_t from, int64_t to)
{
	struct chrome_part *part = &c->part[c->npart - 1];

	if (from < part->first_ts)
		part->first_ts = from;
	if (to > part->last_ts)
		part->last_ts = to;
}

int
tt_chrome_put_in(struct chrome *c, struct chrome_part *part, const struct tt_thread *thread, const char *p, size_t n,
    struct tt_err *err)
{
	size_t byte = thread->index / 8;
	int rc = tt_mem_grow(&c->e.env->mem, &part->seen, &part->capseen, byte + 1, 1, err);

	if (rc != TT_OK)
		return rc;
	part->seen[byte] |= (uint8_t)(1u << thread->index % 8);
	part->bytes += n;
	return tt_sink_write(part->sink, p, n, err);
}

int
tt_chrome_put(struct chrome *c, const struct tt_thread *thread, const char *p, size_t n, struct tt_err *err)
{
	struct chrome_part *part = &c->part[c->npart - 1];
	int rc;

	if (n == 0)
		return TT_OK;
	rc = tt_mem_grow(&c->e.env->mem, &part->seen, &part->capseen, c->capalso, 1, err);
	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; i < c->capalso; i++) {
		part->seen[i] |= c->also[i];
		c->also[i] = 0;
	}
	return tt_chrome_put_in(c, part, thread, p, n, err);
}
