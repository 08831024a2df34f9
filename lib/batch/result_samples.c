/**
 * Makes samples of the results of a batch.
 */
#include "batch/result_samples.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/env.h"
#include "base/order.h"
#include "batch/record.h"
#include "batch/result.h"
#include "gate/budget.h"

void
tt_batch_samples_init(struct tt_batch_samples *b, struct tt_env *env)
{
	b->env = env;
	tt_arena_init(&b->a, &env->mem);
	b->texts.a = &b->a;
}

void
tt_batch_samples_free(struct tt_batch_samples *b)
{
	if (!b->env)
		return;
	tt_mem_free(&b->env->mem, b->sample, b->cap * sizeof *b->sample);
	tt_mem_free(&b->env->mem, b->part, b->cappart * sizeof *b->part);
	tt_buf_free(&b->copy);
	tt_texts_free(&b->texts);
	tt_arena_free(&b->a);
}

static int
by_key(const void *a, const void *b)
{
	return strcmp(((const struct tt_fact *)a)->key, ((const struct tt_fact *)b)->key);
}

/* The value of the fact ${key}: the capture's own, else what its result says (such as the date); NULL if neither has it. */
static const char *
value_of(const struct tt_sample *s, const struct tt_result *r, const char *key)
{
	static const char *const said[] = { "format", "producer", "os", "arch", "date", "recording", NULL };
	const char *v = tt_sample_fact(s, key);

	for (size_t i = 0; !v && said[i]; i++) {
		if (strcmp(key, said[i]) == 0 && strcmp(r->type, "capture") == 0)
			v = json_string_value(json_object_get(r->doc, key));
	}
	return v;
}

/* Add the fact that names the sample's group. With a single key, only if the result has it. */
static int
add_group(struct tt_batch_samples *b, const struct tt_result *r, struct tt_sample *s, struct tt_err *err)
{
	if (b->ngroup == 0 || tt_sample_fact(s, b->by) || (b->ngroup == 1 && !value_of(s, r, b->by)))
		return TT_OK;

	struct tt_fact *fact = tt_arena_alloc(&b->a, (s->nfact + 1) * sizeof *fact, err);
	struct tt_buf text = { 0 };
	int rc = fact ? TT_OK : err->code;

	for (size_t i = 0; i < b->ngroup; i++) {
		const char *v = value_of(s, r, b->group[i]);

		tt_buf_printf(&text, "%s%s", i ? ", " : "", v ? v : "(unknown)");
	}
	TT_THEN(rc, tt_buf_error(&text, err));
	if (rc == TT_OK) {
		if (s->nfact)
			memcpy(fact, s->fact, s->nfact * sizeof *fact);
		fact[s->nfact].key = b->by;
		fact[s->nfact].value = tt_arena_text(&b->a, text.p, text.n, err);
		rc = fact[s->nfact++].value ? TT_OK : err->code;
		s->fact = fact;
		tt_sort(fact, s->nfact, by_key);
	}
	tt_buf_free(&text);
	return rc;
}

/* Set the sample's file, if the capture is a file of its own. */
static int
add_file(struct tt_batch_samples *b, struct tt_sample *s, struct tt_err *err)
{
	const struct tt_scheduler_file *f = b->files ? tt_batch_files_get(b->files, s->name, strlen(s->name)) : NULL;
	const char **file;

	if (!f)
		return TT_OK;
	file = tt_arena_alloc(&b->a, sizeof *file, err);
	if (!file)
		return err->code;
	*file = f->path;
	s->file = file;
	s->files = 1;
	return TT_OK;
}

/* Set the page that the batch made of the sample's capture, if it made one. */
static int
add_page(struct tt_batch_samples *b, const struct tt_result *r, struct tt_sample *s, struct tt_err *err)
{
	const char *page = tt_result_page(r);

	if (!*page)
		return TT_OK;
	s->page = tt_arena_text(&b->a, page, strlen(page), err);
	return s->page ? TT_OK : err->code;
}

/* Note which recording the sample ${s} is a file of. */
static int
add_part(struct tt_batch_samples *b, const struct tt_sample *s, const char *recording, struct tt_err *err)
{
	if (tt_mem_grow(&b->env->mem, &b->part, &b->cappart, b->npart + 1, sizeof *b->part, err) != TT_OK)
		return err->code;
	b->part[b->npart].key = s->name;
	b->part[b->npart].recording = tt_arena_text(&b->a, recording, strlen(recording), err);
	return b->part[b->npart++].recording ? TT_OK : err->code;
}

static int
by_recording(const void *a, const void *b)
{
	const struct tt_batch_part *x = a, *y = b;
	int c = strcmp(x->recording, y->recording);

	return c ? c : strcmp(x->key, y->key);
}

/* Refuse several files of one recording: they are not independent, so they would show too little noise. */
static int
check_parts(struct tt_batch_samples *b, struct tt_err *err)
{
	tt_sort(b->part, b->npart, by_recording);
	for (size_t i = 1; i < b->npart; i++)
		if (strcmp(b->part[i - 1].recording, b->part[i].recording) == 0)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s and %s are one recording: drop copies, join parts (tracetool recover)",
			    b->part[i - 1].key, b->part[i].key);
	return TT_OK;
}

/* Add the facts of --meta to a sample that could not be read, and so has none of its own. */
static int
add_facts(struct tt_batch_samples *b, const struct tt_result *r, struct tt_sample *s, struct tt_err *err)
{
	json_t *meta = json_object_get(r->doc, "meta"), *v;
	const char *key;

	s->fact = tt_arena_alloc(&b->a, (json_object_size(meta) + 1) * sizeof *s->fact, err);
	if (!s->fact)
		return err->code;
	json_object_foreach(meta, key, v) {
		struct tt_fact *f = &s->fact[s->nfact];
		const char *value = json_string_value(v);

		f->key = tt_arena_text(&b->a, key, strlen(key), err);
		f->value = f->key ? tt_arena_text(&b->a, value ? value : "", json_string_length(v), err) : NULL;
		if (!f->value)
			return err->code;
		s->nfact++;
	}
	tt_sort(s->fact, s->nfact, by_key);
	return add_group(b, r, s, err);
}

/* Add a capture without figures, because of ${detail}; rows count it. ${r}: its result, or NULL. */
static int
add_without(struct tt_batch_samples *b, const struct tt_result *r, const char *detail, struct tt_err *err)
{
	const struct tt_budget *budget = b->budget;
	const char *name = r ? r->key : "(no capture)", *why;
	struct tt_sample *s;

	if (tt_mem_grow(&b->env->mem, &b->sample, &b->cap, b->n + 1, sizeof *b->sample, err) != TT_OK)
		return err->code;
	s = &b->sample[b->n];
	*s = (struct tt_sample){ .session = "", .nvalue = budget->nmeasure, .without = true, .none = r == NULL };
	s->name = tt_arena_text(&b->a, name, strlen(name), err);
	why = s->name ? tt_arena_text(&b->a, detail, strlen(detail), err) : NULL;
	s->value = why ? tt_arena_alloc(&b->a, (s->nvalue + 1) * sizeof *s->value, err) : NULL;
	if (!s->value)
		return err->code;
	tt_values_without(NULL, false, why, budget->measure, budget->nmeasure, s->value);
	if (r && add_facts(b, r, s, err) != TT_OK)
		return err->code;
	b->n++;
	b->failed++;
	return TT_OK;
}

/* The largest number of complaints of an archive that are added beyond those with lines of their own. */
#define COMPLAINTS_MAX 1000

/* Add each member that could not be read and may be a capture as a capture without figures, as if it were a file of its own. */
static int
add_archive(struct tt_batch_samples *b, const struct tt_result *r, struct tt_err *err)
{
	const char *kind;
	json_t *c;
	int rc = strcmp(r->outcome, "failed") == 0 ? add_without(b, r, tt_result_detail(r), err) : TT_OK;

	json_object_foreach(json_object_get(r->doc, "complaints"), kind, c) {
		const json_t *first = json_object_get(c, "first");
		json_int_t n = json_integer_value(json_object_get(c, "n"));

		for (json_int_t i = 0; i < n && i < COMPLAINTS_MAX && tt_record_costs(kind) && rc == TT_OK; i++) {
			const char *line = json_string_value(json_array_get(json_array_get(first, (size_t)i), 1));

			rc = add_without(b, r, line ? line : "one more of its members could not be read", err);
		}
	}
	return rc;
}

/* Add a capture that has no figures, because it failed or no gate was asked for. Failures of other files do not matter to a gate. */
static int
add_unmeasured(struct tt_batch_samples *b, const struct tt_result *r, struct tt_err *err)
{
	if (strcmp(r->type, "archive") == 0)
		return strcmp(r->outcome, "ok") != 0 ? add_archive(b, r, err) : TT_OK;
	if (strcmp(r->type, "capture") != 0)
		return TT_OK;
	if (strcmp(r->outcome, "failed") == 0)
		return add_without(b, r, tt_result_detail(r), err);
	b->ungated++;
	return add_without(b, r, "its batch was run without a gate", err);
}

/* True if the value has a figure, with the values of single frames if it pools them, or a reason why there is none. */
static bool
has_figure(const struct tt_measure *x, const struct tt_value *v)
{
	return v->known ? !x->pooled || v->absent || v->each : v->why != NULL;
}

/* Fail unless the figures of ${r}, in ${s}, were made with this budget. */
static int
check_budget(struct tt_batch_samples *b, const struct tt_result *r, const struct tt_sample *s, struct tt_err *err)
{
	const struct tt_budget *budget = b->budget;
	const char *made = json_string_value(json_object_get(r->doc, "budget")), *now = b->settings;

	if (made && strcmp(made, now) != 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: its figures were made with another budget (%s, %s has %s): "
		    "give that one, or run the batch again", r->key, *made ? made : "no skip", budget->path, *now ? now : "no skip");
	for (size_t i = 0; i < s->nvalue; i++)
		if (!has_figure(&budget->measure[i], &s->value[i]))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: the budget of its batch had no row of %s%s, which %s has: "
			    "give that one, or run the batch again", r->key, budget->measure[i].key, budget->measure[i].pooled ? " over all frames" : "",
			    budget->path);
	return TT_OK;
}

#define COPIES_NAMED 5

/* Leave out a copy, or a part, of another capture: as a sample it would show too little noise. */
static int
leave_out(struct tt_batch_samples *b, const struct tt_result *r, struct tt_err *err)
{
	if (b->copies++ >= COPIES_NAMED)
		return TT_OK;
	tt_buf_printf(&b->copy, "%s%s", b->copies > 1 ? ", " : "", r->key);
	return tt_buf_error(&b->copy, err);
}

/* *${note}: a remark on the captures that were left out, or NULL. */
static int
copies_note(struct tt_batch_samples *b, const char **note, struct tt_err *err)
{
	*note = NULL;
	if (b->copies == 0)
		return TT_OK;
	*note = tt_arena_printf(&b->a, err, "%zu of the captures %s, and not judged: %s%s", b->copies, b->copies == 1 ?
	    "is of the same recording as another, or a part of it" : "are of the same recordings as others, or parts of them",
	    tt_buf_string(&b->copy), b->copies > COPIES_NAMED ? ", ..." : "");
	return *note ? TT_OK : err->code;
}

int
tt_batch_samples_add(struct tt_batch_samples *b, const struct tt_result *r, struct tt_err *err)
{
	const json_t *json = json_object_get(r->doc, "sample"), *recording = json_object_get(r->doc, "recording");
	const struct tt_budget *budget = b->budget;
	struct tt_sample *s;
	int rc;

	if (r->copy || r->held)
		return leave_out(b, r, err);
	if (!json)
		return add_unmeasured(b, r, err);
	if (tt_mem_grow(&b->env->mem, &b->sample, &b->cap, b->n + 1, sizeof *b->sample, err) != TT_OK)
		return err->code;
	s = &b->sample[b->n];
	const struct tt_sample_reader how = { .x = budget->measure, .n = budget->nmeasure, .detail = TT_SAMPLE_WHOLE, .texts = &b->texts, .a = &b->a };
	rc = tt_sample_parse(&how, json, s, err);
	if (rc != TT_OK)
		return tt_err_in(err, "%s", r->key);
	if (check_budget(b, r, s, err) != TT_OK)
		return err->code;
	s->name = tt_arena_text(&b->a, r->key, strlen(r->key), err);
	if (!s->name)
		return err->code;
	/* An output that could not be made does not damage the figures. */
	if (strcmp(r->outcome, "ok") != 0 && strcmp(r->why, "unsuited") != 0 && !s->damaged) {
		s->damaged = true;
		s->damage = tt_arena_text(&b->a, tt_result_detail(r), strlen(tt_result_detail(r)), err);
	}
	rc = add_group(b, r, s, err);
	TT_THEN(rc, add_file(b, s, err));
	TT_THEN(rc, add_page(b, r, s, err));
	if (rc == TT_OK && json_is_string(recording))
		rc = add_part(b, s, json_string_value(recording), err);
	b->n += rc == TT_OK;
	return rc;
}

/*
 * If there are groups, put captures that could not be read and lack the grouping fact into a group of their own, in which no row can be judged: they may
 * belong to any group.
 */
static int
add_unknown(struct tt_batch_samples *b, struct tt_err *err)
{
	static const char unknown[] = "(unknown)";
	bool groups = false;

	for (size_t i = 0; i < b->n && !groups; i++)
		groups = b->by && tt_sample_fact(&b->sample[i], b->by);
	for (size_t i = 0; i < b->n && groups; i++) {
		struct tt_sample *s = &b->sample[i];
		struct tt_fact *fact;

		if (!s->without || tt_sample_fact(s, b->by))
			continue;
		fact = tt_arena_alloc(&b->a, (s->nfact + 1) * sizeof *fact, err);
		if (!fact)
			return err->code;
		if (s->nfact)
			memcpy(fact, s->fact, s->nfact * sizeof *fact);
		fact[s->nfact++] = (struct tt_fact){ b->by, unknown };
		s->fact = fact;
		tt_sort(fact, s->nfact, by_key);
	}
	return TT_OK;
}

int
tt_batch_samples_end(struct tt_batch_samples *b, bool captures, const char **note, struct tt_err *err)
{
	int rc = b->n == 0 && !captures ? add_without(b, NULL, "there is no capture", err) : TT_OK;

	*note = NULL;
	if (rc != TT_OK || b->n == 0 || (b->ungated && b->n == b->failed))
		return rc;
	rc = check_parts(b, err);
	TT_THEN(rc, add_unknown(b, err));
	return rc == TT_OK ? copies_note(b, note, err) : rc;
}
