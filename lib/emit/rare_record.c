/**
 * Turns rare events into records of names and numbers, for emitters with tables.
 */
#include "emit/rare_record.h"

#include <string.h>

#include "collect/counters.h"
#include "emit/common.h"
#include "model/defs.h"

static void
set_number(struct tt_rare_record *r, enum tt_type type, uint64_t bits)
{
	*tt_put_value(r->value, type, bits) = '\0';
}

static void
set_id(struct tt_rare_record *r, uint64_t id)
{
	r->ndetail = (size_t)(tt_put_hex(r->id, id) - r->id);
	r->detail = r->id;
}

static void
set_detail(struct tt_rare_record *r, const char *text)
{
	r->detail = text;
	r->ndetail = strlen(text);
}

static void
set_name(struct tt_rare_record *r, const char *name)
{
	r->name = name;
	r->nname = strlen(name);
}

static void
set_class(struct tt_rare_record *r, const struct tt_model *m, const struct tt_view *v, uint64_t key)
{
	const struct tt_def *d = tt_defs_class(v->cap->defs, key, INT64_MAX);

	set_name(r, d && d->len ? tt_model_class(m, v->cap->process, key) : tt_emit_nameless_class(d, key, &r->own));
}

static const char *
pick(const char *const *list, size_t n, uint64_t i)
{
	return i < n && list[i] ? list[i] : "";
}
#define PICK(list, i) pick(list, sizeof(list) / sizeof *(list), i)

/* Fill in a counter; names, units and values are as in tables. */
static void
gather_counter(const struct tt_view *v, size_t i, uint64_t *unwritten, struct tt_rare_record *r)
{
	const struct tt_event *e = &v->b->ev[i], *a = tt_event_arg(v->b, i);
	const struct tt_def *d = tt_counter_def(v->cap, e);
	enum tt_type type = (enum tt_type)e->depth;
	uint64_t bits = e->val;

	set_name(r, tt_counter_called(d, e->dur, r->room));
	r->category = tt_counter_section(d);
	r->ncategory = strlen(r->category);
	if (type == TT_T_TEXT) {
		if (a && a->depth == TT_T_TEXT)
			r->detail = tt_event_text(v->b, a, &r->ndetail);
		return;
	}
	tt_counter_scale(d, &type, &bits);
	set_number(r, type, bits);
	set_detail(r, tt_counter_base(d).name);
	if (!r->value[0])
		++*unwritten;
}

static void
gather_sample(const struct tt_model *m, const struct tt_view *v, size_t i, struct tt_rare_record *r)
{
	const struct tt_event *e = &v->b->ev[i], *x = tt_event_ext(v->b, i);

	set_id(r, e->val);
	set_number(r, TT_T_U64, e->dur);
	if (!x)
		return;
	r->thread = (uint32_t)x->ts;
	/* The innermost frame is the last word. */
	if (e->dur > 0 && x->val <= v->b->nword && e->dur <= v->b->nword - x->val)
		r->marker = tt_emit_name(m, v->cap->process, v->b->word[x->val + e->dur - 1], &r->own);
}

/* Fill in an object's class, size and address; size 0: more references of an earlier object. */
static void
gather_object(const struct tt_model *m, const struct tt_view *v, size_t i, struct tt_rare_record *r)
{
	const struct tt_event *e = &v->b->ev[i], *x = tt_event_ext(v->b, i);

	set_id(r, e->val);
	if (!x)
		return;
	set_number(r, TT_T_U64, (uint64_t)x->ts);
	if (x->val < v->b->nword)
		set_class(r, m, v, v->b->word[x->val]);
}

const char *
tt_rare_args(const struct tt_args *args, char *value, char *room, size_t *n)
{
	const struct tt_event *detail = NULL;

	*value = '\0';
	*n = 0;
	for (const struct tt_event *a = args->ev, *end = a + args->n; a < end; a++) {
		if (a->depth <= TT_T_F64) {
			if (!*value)
				*tt_put_value(value, (enum tt_type)a->depth, a->val) = '\0';
		} else if (!detail || (detail->depth == TT_T_BLOB && a->depth != TT_T_BLOB)) {
			detail = a;
		}
	}
	if (!detail)
		return NULL;
	if (detail->depth == TT_T_TEXT)
		return tt_args_text(args, detail, n);
	if (detail->depth == TT_T_WORD) {
		*n = strlen(tt_word_text(detail->val));
		return tt_word_text(detail->val);
	}
	char *end = detail->depth == TT_T_PTR ? tt_put_hex(room, detail->val) : tt_put_u64(room, detail->dur);
	if (detail->depth == TT_T_BLOB) {
		memcpy(end, " bytes", 6);
		end += 6;
	}
	*n = (size_t)(end - room);
	return room;
}

static void
gather_args(const struct tt_view *v, size_t i, struct tt_rare_record *r)
{
	const struct tt_args args = tt_args_of(v->b, i);
	char value[sizeof r->value];
	size_t n;
	const char *detail = tt_rare_args(&args, value, r->id, &n);

	if (*value)
		memcpy(r->value, value, sizeof value);
	if (detail) {
		r->detail = detail;
		r->ndetail = n;
	}
}

static const char *const gc_phases[] = { [TT_GC_START] = "start", [TT_GC_END] = "end", [TT_GC_PRE_STOP] = "stopping",
	[TT_GC_STOPPED] = "stopped", [TT_GC_PRE_RESTART] = "restarting", [TT_GC_RESTARTED] = "restarted",
	[TT_GC_LOCKS_TAKEN] = "locks taken", [TT_GC_LOCKS_RELEASED] = "locks released" };
static const char *const flows[] = { "begin", "parallel", "end", "sequential" };
static const char *const handles[] = { "weak", "weak tracking", "normal", "pinned" };
static const char *const clauses[] = { "catch", "filter", "finally", NULL, "fault" };
static const char *const monitors[] = { NULL, "contended", "acquired", "failed" };
static const char *const syncs[] = { "periodic", "world stop", "world start" };
static const char *const coverages[] = { "assembly", "method", "statement", "class" };

static const char *const kinds[TT_KINDS] = { [TT_SAMPLE] = "sample", [TT_INSTANT] = "instant", [TT_COUNTER] = "counter",
	[TT_FRAME] = "frame", [TT_FLOW] = "flow", [TT_GC] = "gc", [TT_GC_HEAP] = "gc_heap", [TT_GC_MOVE] = "gc_move",
	[TT_HANDLE] = "handle", [TT_FINALIZE] = "finalize", [TT_THROW] = "throw", [TT_CLAUSE] = "clause",
	[TT_MONITOR] = "monitor", [TT_HEAP_SHOT] = "heap_shot", [TT_HEAP_OBJECT] = "heap_object",
	[TT_HEAP_ROOT] = "heap_root", [TT_ROOT] = "root", [TT_JIT_CODE] = "jit_code", [TT_COVERAGE] = "coverage",
	[TT_THREAD] = "thread", [TT_META] = "meta", [TT_SYNC] = "sync", [TT_GAP] = "gap" };

bool
tt_rare_record(const struct tt_emitting *to, const struct tt_view *v, size_t i, uint64_t *unwritten, struct tt_rare_record *r)
{
	const struct tt_model *m = to->m;
	const struct tt_event *e = &v->b->ev[i];
	bool end = (e->flags & TT_F_END) != 0;

	if (e->kind >= TT_KINDS || !kinds[e->kind] || !tt_emit_in_time(&m->filter, e->ts) || !tt_emit_by_thread(v, i))
		return false;
	*r = (struct tt_rare_record){ .kind = kinds[e->kind], .thread = v->thread->index };

	switch ((enum tt_kind)e->kind) {
	case TT_COUNTER:
		if (!tt_emit_counter_shown(to, v, e))
			return false;
		gather_counter(v, i, unwritten, r);
		break;
	case TT_SAMPLE:
		gather_sample(m, v, i, r);
		return r->marker ? r->marker->wanted : !m->filter.marker && !m->filter.category;
	case TT_INSTANT:
		r->marker = tt_emit_name(m, v->cap->process, e->val, &r->own);
		gather_args(v, i, r);
		r->args = tt_args_of(v->b, i);
		return r->marker->wanted;
	case TT_CLAUSE:
		r->marker = tt_emit_name(m, v->cap->process, e->val, &r->own);
		set_number(r, TT_T_U64, e->dur);
		set_detail(r, PICK(clauses, e->depth));
		return r->marker->wanted;
	case TT_GC:
		set_name(r, PICK(gc_phases, e->val));
		set_number(r, TT_T_U64, e->dur);
		break;
	case TT_GC_HEAP:
	case TT_GC_MOVE:
		set_number(r, TT_T_U64, e->val);
		break;
	case TT_FLOW:
		set_name(r, PICK(flows, e->depth));
		set_id(r, e->val);
		break;
	case TT_HANDLE:
		set_name(r, end ? "destroyed" : "created");
		r->category = PICK(handles, e->depth);
		r->ncategory = strlen(r->category);
		set_id(r, e->val);
		break;
	case TT_MONITOR:
		set_name(r, PICK(monitors, e->depth));
		set_id(r, e->val);
		break;
	case TT_SYNC:
		set_name(r, PICK(syncs, e->depth));
		break;
	case TT_HEAP_OBJECT:
		gather_object(m, v, i, r);
		break;
	case TT_COVERAGE:
		set_name(r, PICK(coverages, e->depth));
		gather_args(v, i, r);
		break;
	case TT_THREAD:
	case TT_FINALIZE:
	case TT_HEAP_SHOT:
		set_name(r, end ? "end" : "start");
		set_id(r, e->val);
		break;
	case TT_ROOT:
		set_name(r, end ? "unregistered" : "registered");
		gather_args(v, i, r);
		if (!r->detail)
			set_id(r, e->val);
		break;
	case TT_JIT_CODE:
		set_number(r, TT_T_U64, e->dur);
		gather_args(v, i, r);
		break;
	case TT_FRAME:
		if (e->val)
			set_number(r, TT_T_U64, e->val);
		break;
	case TT_GAP:
		return !(e->flags & (TT_F_POPPED | TT_F_END));
	default:
		set_id(r, e->val);
		break;
	}
	return true;
}
