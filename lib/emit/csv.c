/**
 * CSV: the raw events, or one table of a pass.
 *
 * Events: one record each, the same columns for all kinds; times from the first event of the
 * capture, in ns unless told otherwise, ids in hex, text quoted by RFC 4180. `value` is a number (bytes, count, counter value), ids and
 * words are in `detail`.
 */
#include <inttypes.h>
#include <string.h>

#include "emit/csv.h"
#include "base/option.h"
#include "emit/json_args.h"
#include "emit/common.h"
#include "emit/marker_text.h"
#include "emit/rare_record.h"
#include "io/sink.h"
#include "model/facts.h"
#include "pass/pass.h"
#include "view/view.h"

/* --- ready-made pieces --------------------------------------------------- */

void
tt_csv_put_sep(struct tt_buf *b, const struct csv *c)
{
	tt_buf_add(b, &c->form.csv_sep, 1);
}

char *
tt_csv_put_time(char *p, const struct csv *c, int64_t ns)
{
	return c->form.csv_time_digits ? tt_put_fixed(p, ns, c->form.csv_time_digits) : tt_put_i64(p, ns);
}

void
tt_csv_put_field(struct tt_buf *b, const struct csv *c, const char *s, size_t n)
{
	tt_csv_put_sep(b, c);
	if (n)
		tt_csv_field(b, s, n, &c->form);
}

void
tt_csv_put_brief(struct tt_buf *b, const struct csv *c, const char *s)
{
	s = s ? tt_emit_brief(&c->e, s) : "";
	tt_csv_put_field(b, c, s, strlen(s));
}

void
tt_csv_put_name(struct tt_buf *b, const struct csv *c, const struct tt_name *name)
{
	tt_csv_put_brief(b, c, tt_emit_marker(name));
	tt_csv_put_brief(b, c, tt_emit_category(c->e.m, name));
}

static void
zone_piece(const void *arg, const struct tt_name *name, uint64_t key, struct tt_buf *b)
{
	const struct csv *c = arg;
	const char rest[] = { c->form.csv_sep, c->form.csv_sep, c->form.csv_sep, '\n' };

	(void)key;
	tt_csv_put_name(b, c, name);
	tt_buf_add(b, rest, sizeof rest);
}

static void
alloc_piece(const void *arg, const char *class, struct tt_buf *b)
{
	const struct csv *c = arg;

	tt_csv_put_brief(b, c, class);
	tt_csv_put_field(b, c, "GC", 2);
	tt_csv_put_sep(b, c);
}

/* --- zones and allocations ------------------------------------------------ */

/* The state that the records of one chunk share. */
struct writer {
	const struct csv *c;
	const struct tt_view *v;
	const struct tt_pieces *pieces;
	struct tt_buf *out;
	struct tt_buf scratch;
	char ids[80];                 /* `,process,thread,tid,` */
	size_t nids;
};

char *
tt_csv_put_ids(char *p, const struct csv *c, uint32_t process, uint32_t thread, bool has_tid, uint64_t tid)
{
	*p++ = c->form.csv_sep;
	p = tt_put_u64(p, process + 1);
	*p++ = c->form.csv_sep;
	p = tt_put_u64(p, (uint64_t)thread + 1);
	*p++ = c->form.csv_sep;
	if (has_tid)
		p = tt_put_hex(p, tid);
	*p++ = c->form.csv_sep;
	return p;
}

static void
set_ids(struct writer *w)
{
	const struct tt_thread *t = w->v->thread;

	w->nids = (size_t)(tt_csv_put_ids(w->ids, w->c, w->v->cap->process, t->index, !tt_thread_is_gpu(t), t->tid) - w->ids);
}

/* Copy the first columns: ${kind} of ${n} bytes, and the ids. The caller has reserved CSV_NUMBERS bytes. */
static char *
put_start(const struct writer *w, char *p, const char *kind, size_t n)
{
	memcpy(p, kind, n);
	memcpy(p + n, w->ids, sizeof w->ids);
	return p + n + w->nids;
}

void
tt_csv_put_args(struct tt_buf *b, const struct csv *c, const struct tt_args *args, const char *const *name, struct tt_buf *scratch)
{
	if (args->n == 0 && !args->cut) {
		tt_csv_put_sep(b, c);
		return;
	}
	scratch->n = 0;
	tt_emit_args(args, name, c->own->blobs, scratch);
	b->failed |= scratch->failed;
	tt_csv_put_field(b, c, scratch->p, scratch->n);
}

/* Write the last three columns of an instant, which differ from those of a zone. */
static void
put_args(struct writer *w, uint64_t key, const struct tt_args *args)
{
	char value[40], room[24];
	size_t n;
	const char *text = tt_rare_args(args, value, room, &n);
	const char *const *name = tt_model_key(w->c->e.m, w->v->cap->process, key)->arg;

	w->out->n -= 4;
	tt_csv_put_sep(w->out, w->c);
	tt_buf_text(w->out, value);
	tt_csv_put_field(w->out, w->c, text, n);
	tt_csv_put_args(w->out, w->c, args, name, &w->scratch);
	tt_buf_add(w->out, "\n", 1);
}

static int
put_zone(struct writer *w, const struct tt_slice *s, struct tt_err *err)
{
	struct tt_piece piece;
	char *p;
	int rc = tt_pieces_zone(w->pieces, s->key, &w->scratch, &piece, err);

	if (rc != TT_OK || !piece.s)
		return rc;
	rc = tt_buf_room(w->out, CSV_NUMBERS + piece.n + TT_FRAG_PAD, err);
	if (rc != TT_OK)
		return rc;
	p = put_start(w, w->out->p + w->out->n, "zone", 4);
	p = tt_csv_put_time(p, w->c, s->ts);
	*p++ = w->c->form.csv_sep;
	p = tt_csv_put_time(p, w->c, s->dur);
	*p++ = w->c->form.csv_sep;
	p = tt_put_u64(p, s->depth);
	p = tt_frag_copy(p, piece.s, piece.n);
	w->out->n = (size_t)(p - w->out->p);
	return TT_OK;
}

/* Write the zones from ${s} to ${end} without arguments. */
static __attribute__((noinline)) int
put_bare(struct writer *w, const struct tt_slice *s, const struct tt_slice *end, struct tt_err *err)
{
	int rc = TT_OK;

	for (; s < end && rc == TT_OK; s++)
		rc = put_zone(w, s, err);
	return rc;
}

/* Write the zones of the chunk; arguments are looked for only if a zone of the chunk has some. */
static int
put_zones(struct writer *w, struct tt_err *err)
{
	const struct tt_slice *from = w->v->slice, *end = from + w->v->nslice, *s = w->v->nargs ? from : end;
	int rc = TT_OK;

	for (; s < end && rc == TT_OK; s++) {
		const struct tt_args *args = tt_slice_args(w->v, s);
		if (!args)
			continue;
		rc = put_bare(w, from, s, err);
		size_t before = w->out->n;
		TT_THEN(rc, put_bare(w, s, s + 1, err));
		if (rc == TT_OK && w->out->n > before)
			put_args(w, s->key, args);
		from = s + 1;
	}
	return rc == TT_OK ? put_bare(w, from, end, err) : rc;
}

static int
put_alloc(struct writer *w, const struct tt_event *e, uint64_t bytes, struct tt_err *err)
{
	struct tt_piece piece;
	char *p;
	int rc = tt_pieces_alloc(w->pieces, e, &w->scratch, &piece, err);

	TT_THEN(rc, tt_buf_room(w->out, CSV_NUMBERS + piece.n + TT_FRAG_PAD, err));
	if (rc != TT_OK)
		return rc;
	p = put_start(w, w->out->p + w->out->n, "alloc", 5);
	p = tt_csv_put_time(p, w->c, e->ts);
	*p++ = w->c->form.csv_sep;
	*p++ = w->c->form.csv_sep;
	p = tt_frag_copy(p, piece.s, piece.n);
	p = tt_put_u64(p, bytes);
	*p++ = w->c->form.csv_sep;
	*p++ = w->c->form.csv_sep;
	*p++ = '\n';
	w->out->n = (size_t)(p - w->out->p);
	return TT_OK;
}

static int
csv_chunk(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	const struct csv *c = state;
	struct writer w = { .c = c, .v = v, .out = out };
	int rc;

	if (c->pass)
		return TT_OK;
	w.pieces = &c->process[v->cap->process];
	set_ids(&w);
	rc = put_zones(&w, err);
	for (size_t i = 0; v->b->nalloc && i < v->b->n && rc == TT_OK; i++) {
		const struct tt_event *e = &v->b->ev[i];

		if (e->kind == TT_ALLOC && tt_emit_in_time(&c->e.m->filter, e->ts))
			rc = put_alloc(&w, e, tt_alloc_bytes(e), err);
	}
	tt_buf_free(&w.scratch);
	return rc == TT_OK ? tt_buf_error(out, err) : rc;
}

/* --- life -------------------------------------------------------------------- */

static const struct tt_csv_opts *
own_of(const struct tt_emit_opts *o)
{
	static const struct tt_csv_opts none;

	return o->own ? o->own : &none;
}

static bool
wants_events(const struct tt_csv_opts *o)
{
	return !o->table || strcmp(o->table, "events") == 0;
}

static unsigned
csv_needs(const struct tt_emit_opts *o)
{
	const struct tt_csv_opts *own = own_of(o);
	const struct tt_pass *pass;
	const struct tt_pass_table *t = wants_events(own) ? NULL : tt_pass_table_named(own->table, &pass);

	if (t)
		return pass->needs | t->needs;
	return wants_events(own) ? TT_NEEDS_SLICES | TT_NEEDS_TEXT | TT_NEEDS_ARGS | TT_NEEDS_HEAP | TT_NEEDS_APART : 0;
}

/* List the names of tables: "events", then those of the passes. */
static const char *
table_value(size_t i)
{
	return i == 0 ? "events" : tt_pass_table_id(i - 1);
}

static int
no_table(const char *id, struct tt_err *err)
{
	char list[400] = "";
	const char *name;

	for (size_t i = 0; (name = table_value(i)) != NULL; i++)
		if (strlen(list) + strlen(name) + 3 < sizeof list)
			stpcpy(stpcpy(list + strlen(list), i > 0 ? ", " : ""), name);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no table is called \"%s\"; there are: %s", id, list);
}

/* Write out c->scratch. */
static int
flush(struct csv *c, struct tt_err *err)
{
	int rc = tt_buf_error(&c->scratch, err);

	return rc == TT_OK ? tt_sink_write(c->sink, c->scratch.p, c->scratch.n, err) : rc;
}

static int
begin_events(struct csv *c, struct tt_err *err)
{
	static const char *const columns[] = { "kind", "process", "thread", "tid", "start_", "dur_", "depth", "name",
		"category", "value", "detail", "args" };
	const struct tt_pieces_form form = { zone_piece, alloc_piece, c };
	struct tt_mem *mem = &c->e.env->mem;
	int rc = TT_OK;

	c->process = tt_mem_alloc(mem, c->e.m->ncap * sizeof *c->process, err);
	c->tid = tt_mem_alloc(mem, c->e.m->threads.n * sizeof *c->tid, err);
	if (!c->process || !c->tid)
		return err ? err->code : TT_E_NOMEM;
	c->nprocess = c->e.m->ncap;
	for (; c->ntid < c->e.m->threads.n; c->ntid++)
		c->tid[c->ntid] = c->e.m->threads.t[c->ntid]->tid;
	for (size_t i = 0; i < c->nprocess && rc == TT_OK; i++)
		rc = tt_pieces_make(&c->process[i], &form, c->e.m, c->e.m->cap[i], err);
	c->scratch.n = 0;
	if (c->own->bom)
		tt_buf_text(&c->scratch, "\xef\xbb\xbf");
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		tt_buf_add(&c->scratch, &c->form.csv_sep, i > 0);
		tt_buf_text(&c->scratch, columns[i]);
		if (columns[i][strlen(columns[i]) - 1] == '_')
			tt_buf_text(&c->scratch, tt_csv_time_unit(c->form.csv_time_digits / 3));
	}
	tt_buf_text(&c->scratch, "\n");
	return rc == TT_OK ? flush(c, err) : rc;
}

static void
csv_end(void *state)
{
	struct csv *c = state;
	struct tt_mem *mem = &c->e.env->mem;

	for (size_t i = 0; i < c->nprocess; i++)
		tt_pieces_free(&c->process[i]);
	tt_mem_free(mem, c->process, c->e.m->ncap * sizeof *c->process);
	tt_mem_free(mem, c->tid, c->ntid * sizeof *c->tid);
	tt_buf_free(&c->scratch);
}

static int
csv_begin(void *state, struct tt_err *err)
{
	struct csv *c = state;
	int rc;

	c->own = c->e.o.own;
	c->form = (struct tt_render_opts){ .form = TT_RENDER_CSV, .csv_sep = c->own->sep ? c->own->sep : ',', .csv_bom = c->own->bom,
		.csv_safe = c->own->safe, .csv_time_digits = c->own->time_unit > 1 ? 3 * (unsigned)(c->own->time_unit - 1) : 0, .generator = c->e.o.generator };
	if (!wants_events(c->own) && !tt_pass_table_named(c->own->table, &c->pass))
		return no_table(c->own->table, err);
	rc = tt_emit_open(&c->e, 0, &c->sink, err);
	return rc == TT_OK && !c->pass ? begin_events(c, err) : rc;
}

static int
csv_write(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err)
{
	struct csv *c = state;

	(void)v;
	return tt_sink_write(c->sink, p, n, err);
}

/* Make the table, grouped if it has groups of that kind. */
static void
make_table(struct csv *c, struct tt_views *view, struct tt_report *r)
{
	struct tt_pass_opts opts = tt_pass_defaults;

	c->table[0] = c->own->table;
	opts.table = c->table;
	opts.group = (enum tt_group)c->own->group;
	tt_pass_report(c->pass, view, &opts, r);
	opts.only_ungrouped_by = opts.group;
	opts.group = TT_GROUP_NONE;
	if (opts.only_ungrouped_by)
		tt_pass_report(c->pass, view, &opts, r);
}

/* Log the notes of the report, for which CSV has no place. */
static void
tell_notes(struct csv *c, struct tt_report *r)
{
	enum tt_group group = (enum tt_group)c->own->group;

	tt_filter_notes(c->e.m, group, r);
	if (group)
		tt_group_note(group, r);
	for (const struct tt_note *n = r->note; n && r->err.code == TT_OK; n = n->next)
		tt_log(c->e.env, TT_LOG_NORMAL, "%s", n->text);
}

static int
write_on(void *sink, const char *p, size_t n, struct tt_err *err)
{
	return tt_sink_write(sink, p, n, err);
}

static int
write_table(struct csv *c, struct tt_err *err)
{
	struct tt_render_opts form = c->form;
	struct tt_views view;
	struct tt_report r;
	int rc;

	tt_report_init(&r, &c->e.env->mem);
	tt_view_init(&view, c->e.m);
	make_table(c, &view, &r);
	tell_notes(c, &r);
	c->scratch.n = 0;
	tt_report_select(&r, c->table);
	form.write = write_on;
	form.arg = c->sink;
	rc = tt_render(&r, &form, &c->scratch, err);
	TT_THEN(rc, flush(c, err));
	tt_report_free(&r);
	tt_view_free(&view);
	return rc;
}

/* Labels and other facts, after all events: kind "fact", the key as the name, the value as detail. */
static int
write_facts(struct csv *c, struct tt_err *err)
{
	struct tt_facts facts = { 0 };
	struct tt_buf *b = &c->scratch;
	int rc = tt_facts_list(c->e.m, &c->e.env->mem, &facts, err);

	b->n = 0;
	for (size_t i = 0; i < facts.n && rc == TT_OK; i++) {
		const struct tt_fact *f = &facts.f[i];
		const char sep[] = { c->form.csv_sep, c->form.csv_sep, c->form.csv_sep, c->form.csv_sep };
		char start[32];

		if (!tt_emit_in_time(&c->e.m->filter, f->ts))
			continue;
		*tt_csv_put_time(start, c, f->ts) = '\0';
		tt_buf_printf(b, "fact%c%" PRIu32 "%.3s%s%.2s", c->form.csv_sep, f->process + 1, sep, start, sep);
		tt_csv_put_field(b, c, f->key, f->nkey);
		tt_buf_add(b, sep, 2);
		tt_csv_put_field(b, c, f->value, f->nvalue);
		tt_buf_add(b, sep, 1);
		tt_buf_text(b, "\n");
	}
	TT_THEN(rc, flush(c, err));
	tt_facts_free(&facts, &c->e.env->mem);
	return rc;
}

/* Names of threads, after all events: kind "thread", name "name", the thread's group as category and its name as detail. */
static int
write_threads(struct csv *c, struct tt_err *err)
{
	const struct tt_model *m = c->e.m;
	struct tt_buf *b = &c->scratch;
	char ids[80];

	b->n = 0;
	for (size_t i = 0; i < m->threads.n; i++) {
		const struct tt_thread *t = m->threads.t[i];
		const char sep[] = { c->form.csv_sep, c->form.csv_sep, c->form.csv_sep, '\0' };

		if (m->keep_thread && !m->keep_thread[i])
			continue;
		*tt_csv_put_ids(ids, c, t->process, t->index, !tt_thread_is_gpu(t), t->tid) = '\0';
		tt_buf_printf(b, "thread%s%sname", ids, sep);
		tt_csv_put_field(b, c, t->group, strlen(t->group));
		tt_csv_put_sep(b, c);
		tt_csv_put_field(b, c, t->own_name, strlen(t->own_name));
		tt_buf_printf(b, "%.1s\n", sep);
	}
	return flush(c, err);
}

static int
csv_finish(void *state, struct tt_err *err)
{
	struct csv *c = state;

	if (c->unwritten)
		tt_loss_add(c->e.m->loss, TT_LOST_VALUES, c->unwritten, 0, TT_NOWHERE);
	if (c->pass)
		return write_table(c, err);
	int rc = write_threads(c, err);
	return rc == TT_OK ? write_facts(c, err) : rc;
}

static const char *const suffixes[] = { ".csv", NULL };

#define AT(f) offsetof(struct tt_csv_opts, f)

static const struct tt_option options[] = {
	TT_OPTION_BLOBS(AT(blobs)),
	{ .name = "table", .arg = "ID", .kind = TT_OPTION_TABLE, .at = AT(table), .value = table_value, .is_positional = true,
	    .help = "write this table (see tracetool list metrics) instead of the events; for the outputs that follow, like {format}" },
	{ .name = "group-by", .arg = "KEY", .kind = TT_OPTION_CHOICE, .at = AT(group), .value = tt_group_key, .needs_option = "table",
	    .help = "group the rows of the table by thread, assembly, namespace or domain" },
	{ .name = "csv-sep", .arg = "CHAR", .kind = TT_OPTION_CHAR, .at = AT(sep), .chars = ",;|\t",
	    .help = "use this separator: , ; | or tab" },
	{ .name = "time-unit", .arg = "UNIT", .kind = TT_OPTION_CHOICE, .at = AT(time_unit), .value = tt_csv_time_unit,
	    .help = "write times in ns (the default), us, ms or s, and name their columns so" },
	{ .name = "csv-bom", .at = AT(bom), .help = "begin with a byte order mark, which Excel needs to see UTF-8" },
	{ .name = "csv-safe", .at = AT(safe), .help = "put a ' before text that a spreadsheet would run as a formula" },
	{ .name = NULL },
};

const struct tt_emit tt_emit_csv = {
	.name = "csv",
	.summary = "comma-separated values: all events, or one table",
	.suffix = suffixes,
	.option = options,
	.own = sizeof(struct tt_csv_opts),
	.state = sizeof(struct csv),
	.needs = TT_NEEDS_SLICES | TT_NEEDS_TEXT | TT_NEEDS_ARGS | TT_NEEDS_HEAP | TT_NEEDS_APART,
	.needs_for = csv_needs,
	.begin = csv_begin,
	.chunk = csv_chunk,
	.rare = tt_csv_rare,
	.write = csv_write,
	.finish = csv_finish,
	.end = csv_end,
};
