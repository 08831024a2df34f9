/**
 * Opens, commits and abandons the files of emitters, and writes the parts that several emitters share.
 */
#include "emit/common.h"

#include <math.h>
#include <string.h>

#include "base/order.h"
#include "collect/counters.h"
#include "io/sink.h"
#include "model/defs.h"
#include "view/counter.h"
#include "sys/sys.h"

static bool
has_choice(const struct tt_model *m)
{
	return m->filter.marker || m->filter.category;
}

static int
by_address(const void *a, const void *b)
{
	return TT_CMP(*(const uintptr_t *)a, *(const uintptr_t *)b);
}

/* List the counters that the filters leave out, once, because a counter has many values. */
static int
find_hidden(struct tt_emitting *s, struct tt_err *err)
{
	const struct tt_model *m = s->m;
	const struct tt_def *d;

	for (uint32_t p = 0; has_choice(m) && s->emit->rare && p < m->ncap; p++)
		for (size_t i = 0; m->cap[p]->defs && (d = tt_defs_at(m->cap[p]->defs, TT_DEF_COUNTER, i)); i++) {
			if (tt_counter_chosen(&m->filter, d, d->key))
				continue;
			if (tt_mem_grow(&s->env->mem, &s->hidden, &s->caphidden, s->nhidden + 1, sizeof *s->hidden, err) != TT_OK)
				return err->code;
			s->hidden[s->nhidden++] = d;
		}
	tt_sort(s->hidden, s->nhidden, by_address);
	return TT_OK;
}

int
tt_emit_begin(const struct tt_emit *e, const struct tt_emit_opts *o, const struct tt_model *m, void **state, struct tt_err *err)
{
	struct tt_emitting *s = tt_mem_alloc(&o->env->mem, e->state + e->own, err);
	int rc;

	*state = NULL;
	if (!s)
		return err->code;
	*s = (struct tt_emitting){ .emit = e, .o = *o, .env = o->env, .m = m };
	if (e->own) {
		s->o.own = (char *)s + e->state;
		if (o->own)
			memcpy((char *)s + e->state, o->own, e->own);
	}
	s->briefs = tt_mem_alloc(&s->env->mem, sizeof *s->briefs, err);
	rc = s->briefs ? TT_OK : err->code;
	if (s->briefs)
		tt_arena_init(&s->briefs->text, &s->env->mem);
	TT_THEN(rc, find_hidden(s, err));
	TT_THEN(rc, tt_briefs_make(s->briefs, m, err));
	TT_THEN(rc, e->begin(s, err));
	if (rc == TT_OK)
		*state = s;
	else
		tt_emit_end(s);
	return rc;
}

/* Store the path of file ${number} in ${path}: "game-001.json.gz" for "game.json.gz"; 0: o.path. The number goes before the emitter's whole suffix. */
static int
put_path(const struct tt_emitting *e, size_t number, struct tt_buf *path, struct tt_err *err)
{
	const struct tt_emit_opts *o = &e->o;
	size_t n;
	const char *suffix = tt_emit_suffix(e->emit, o->path, &n);

	path->n = 0;
	if (!suffix)
		suffix = o->path + strlen(o->path);
	if (number)
		tt_buf_printf(path, "%.*s-%03zu%s", (int)(suffix - o->path), o->path, number, suffix);
	else
		tt_buf_printf(path, "%s", o->path);
	return tt_buf_error(path, err);
}

/* Report files with higher numbers: an earlier run made more files, and reading all of them would mix both runs. */
static void
tell_older(const struct tt_emitting *s)
{
	struct tt_buf first = { 0 }, path = { 0 };
	size_t n = 0;

	for (struct tt_buf *b = &first; put_path(s, s->last + 1 + n, b, NULL) == TT_OK && tt_sys_exists(tt_buf_string(b)); b = &path)
		n++;
	if (n == 1)
		tt_log(s->env, TT_LOG_NORMAL, "%s is of an earlier run, which made more files: remove it", tt_buf_string(&first));
	else if (n > 1)
		tt_log(s->env, TT_LOG_NORMAL, "%s and the %zu after it are of an earlier run, which made more files: remove them",
		    tt_buf_string(&first), n - 1);
	tt_buf_free(&first);
	tt_buf_free(&path);
}

int
tt_emit_commit(void *state, struct tt_err *err)
{
	struct tt_emitting *s = state;
	const size_t n = s->nsink;
	int rc;

	s->nsink = 0;
	rc = tt_sink_commit_all(s->sink, n, TT_OK, err);
	if (rc == TT_OK && s->o.numbered)
		*s->o.numbered = s->last;
	if (rc == TT_OK && s->last)
		tell_older(s);
	if (rc == TT_OK)
		tt_briefs_tell(s);
	return rc;
}

void
tt_emit_end(void *state)
{
	struct tt_emitting *s = state;
	struct tt_mem *mem;

	if (!s)
		return;
	mem = &s->env->mem;
	/* Abort sinks first: threads that compress may still read the emitter's state (its forms of packets). */
	for (size_t i = 0; i < s->nsink; i++)
		tt_sink_abort(s->sink[i]);
	if (s->emit->end)
		s->emit->end(s);
	if (s->briefs)
		tt_briefs_free(s->briefs, mem);
	tt_mem_free(mem, s->briefs, sizeof *s->briefs);
	tt_mem_free(mem, s->sink, s->capsink * sizeof *s->sink);
	tt_mem_free(mem, s->hidden, s->caphidden * sizeof *s->hidden);
	tt_mem_free(mem, s, s->emit->state + s->emit->own);
}

int
tt_emit_open(struct tt_emitting *e, size_t number, struct tt_sink **sink, struct tt_err *err)
{
	const struct tt_emit_opts *o = &e->o;
	struct tt_buf path = { 0 };
	int rc = tt_mem_grow(&e->env->mem, &e->sink, &e->capsink, e->nsink + 1, sizeof *e->sink, err);

	TT_THEN(rc, put_path(e, number, &path, err));
	/* tt_buf_printf() has ended the path with a NUL. */
	TT_THEN(rc, o->open ? o->open(o->open_arg, path.p, sink, err) : tt_sink_open(e->env, path.p, sink, err));
	if (rc == TT_OK)
		e->sink[e->nsink++] = *sink;
	e->last = number > e->last ? number : e->last;
	tt_buf_free(&path);
	return rc;
}

int
tt_out_begin(void *state, struct tt_err *err)
{
	struct tt_out *o = state;

	return tt_emit_open(&o->e, 0, &o->sink, err);
}

void
tt_out_end(void *state)
{
	struct tt_out *o = state;

	tt_buf_free(&o->buf);
}

void
tt_out_flush(struct tt_out *o)
{
	tt_sink_write(o->sink, o->buf.p, o->buf.n, NULL);
	o->buf.n = 0;
}

int
tt_out_error(struct tt_out *o, struct tt_err *err)
{
	int rc = tt_buf_error(&o->buf, err);

	tt_out_flush(o);
	return rc == TT_OK ? tt_sink_write(o->sink, "", 0, err) : rc;
}

void
tt_buf_json_fact(struct tt_buf *b, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	tt_buf_text(b, ",\"");
	tt_buf_json(b, key, strlen(key));
	tt_buf_text(b, "\":\"");
	tt_buf_json(b, value, strlen(value));
	tt_buf_text(b, "\"");
}

int64_t
tt_emit_origin(const struct tt_model *m)
{
	int64_t first = INT64_MAX;

	if (m->min_ts < m->max_ts)
		return m->min_ts;
	for (size_t i = 0; i < m->threads.n; i++) {
		const struct tt_thread *t = m->threads.t[i];

		if (t->first_ts <= t->last_ts && t->first_ts < first)
			first = t->first_ts;
	}
	return first != INT64_MAX ? first : m->min_ts <= m->max_ts ? m->min_ts : 0;
}

const struct tt_event *
tt_event_ext(const struct tt_batch *b, size_t i)
{
	return i + 1 < b->n && b->ev[i + 1].kind == TT_EXT ? &b->ev[i + 1] : NULL;
}

/* Counters without a definition are named by a few letters, which are compared at each event. */
bool
tt_emit_counter_shown(const struct tt_emitting *e, const struct tt_view *v, const struct tt_event *of)
{
	const struct tt_def *d;
	size_t at;

	if (!has_choice(e->m))
		return true;
	if (!(d = tt_counter_def(v->cap, of)))
		return tt_counter_chosen(&e->m->filter, NULL, of->dur);
	at = tt_lower_bound(i, 0, e->nhidden, (uintptr_t)e->hidden[i] < (uintptr_t)d);
	return at == e->nhidden || e->hidden[at] != d;
}

bool
tt_emit_by_thread(const struct tt_view *v, size_t i)
{
	const struct tt_event *e = &v->b->ev[i], *x;

	switch ((enum tt_kind)e->kind) {
	case TT_SAMPLE:
		x = tt_event_ext(v->b, i);
		return !v->m->keep_thread || (x && (uint64_t)x->ts < v->m->threads.n && v->m->keep_thread[x->ts]);
	case TT_COUNTER:
	case TT_GC_HEAP:
	case TT_FRAME:
		return true;
	default:
		return !v->skipped;
	}
}

const uint64_t *
tt_emit_stack(const struct tt_view *v, size_t i, size_t *n)
{
	const struct tt_event *e = &v->b->ev[i], *x = tt_event_ext(v->b, i);
	bool sample = e->kind == TT_SAMPLE;
	uint64_t count = sample ? e->dur : x ? x->dur : 0;

	*n = 0;
	if (!x || (!sample && !(e->flags & TT_F_STACK)) || x->val > v->b->nword || count > v->b->nword - x->val)
		return NULL;
	while (count > 0 && !v->m->filter.wrappers &&
	    tt_model_key(v->m, v->cap->process, v->b->word[x->val + count - 1])->is_alloc_wrapper)
		count--;
	*n = (size_t)count;
	return v->b->word + x->val;
}

const struct tt_event *
tt_event_arg(const struct tt_batch *b, size_t i)
{
	size_t at = i + 1;

	while (at < b->n && b->ev[at].kind == TT_EXT)
		at++;
	return at < b->n && b->ev[at].kind == TT_ARG ? &b->ev[at] : NULL;
}

const char *
tt_event_text(const struct tt_batch *b, const struct tt_event *arg, size_t *n)
{
	*n = 0;
	if (arg->val > b->text.n || arg->dur > b->text.n - arg->val || arg->dur == 0)
		return "";
	*n = arg->dur;
	return b->text.p + arg->val;
}

const char *
tt_capture_title(const struct tt_capture *c, size_t *n)
{
	const char *path = tt_sys_base_name(c->path);
	const struct tt_def *d;

	if (c->title) {
		*n = strlen(c->title);
		return c->title;
	}
	/* Mono names the first domain after the program. */
	for (size_t i = 0; (d = tt_defs_at(c->defs, TT_DEF_DOMAIN, i)) != NULL; i++) {
		if (d->len) {
			*n = d->len;
			return d->text;
		}
	}
	*n = strlen(path);
	return path;
}

bool
tt_value_finite(enum tt_type type, uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof d);
	return type != TT_T_F64 || isfinite(d);
}

/* Print as JavaScript and Python spell it. */
static char *
put_not_finite(char *p, double d)
{
	return stpcpy(p, isnan(d) ? "NaN" : d > 0 ? "Infinity" : "-Infinity");
}

const char *
tt_word_text(uint64_t bits)
{
	return bits == TT_W_TRUE ? "true" : bits == TT_W_FALSE ? "false" : "null";
}

char *
tt_put_value(char *p, enum tt_type type, uint64_t bits)
{
	double d;

	switch (type) {
	case TT_T_I64:
		return tt_put_i64(p, (int64_t)bits);
	case TT_T_U64:
		return tt_put_u64(p, bits);
	case TT_T_F64:
		memcpy(&d, &bits, sizeof d);
		return isfinite(d) ? tt_put_double(p, d) : put_not_finite(p, d);
	default:
		return p;
	}
}

const struct tt_name *
tt_emit_name(const struct tt_model *m, uint32_t process, uint64_t key, struct tt_nameless *own)
{
	const struct tt_name *name = tt_model_key(m, process, key);

	if (name->is_defined || key >= TT_KEY_SPECIAL || strcmp(name->full, "(unknown)") != 0)
		return name;
	own->name = *name;
	memcpy(own->text, "(unknown ", 9);
	char *p = tt_put_hex(own->text + 9, key);
	memcpy(p, ")", 2);
	own->name.full = own->name.shown = own->text;
	return &own->name;
}

const char *
tt_emit_nameless_class(const struct tt_def *d, uint64_t key, struct tt_nameless *own)
{
	char *p = stpcpy(own->text, d ? "(unnamed class " : "(unknown class ");

	memcpy(tt_put_hex(p, key), ")", 2);
	return own->text;
}
