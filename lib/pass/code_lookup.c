/*
 * Code by address: the method, helper or symbol that an address of a sample belongs to.
 */
#include "collect/code.h"
#include "base/order.h"
#include "model/defs.h"
#include "model/model.h"
#include "pass/code_lookup.h"

#define SYMBOL_REACH 4096

const char *
tt_code_helper_kind(unsigned kind)
{
	static const char *const kinds[] = { "method", "method trampoline", "unbox trampoline", "interface trampoline",
		"generics trampoline", "specific trampoline", "helper", "monitor", "delegate invoke", "exception handling" };

	return kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "(other)";
}

static int
add(struct tt_codemap *c, struct tt_code_range v, struct tt_err *err)
{
	int rc;

	if (v.start == 0 || v.end <= v.start)
		return TT_OK;
	rc = tt_mem_grow(&c->m->env->mem, &c->v, &c->cap, c->n + 1, sizeof *c->v, err);
	if (rc == TT_OK)
		c->v[c->n++] = v;
	return rc;
}

/* Order by start, methods before helpers: helper code of one kind repeats what method records have. */
static int
by_start(const void *a, const void *b)
{
	const struct tt_code_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->helper != NULL) - (y->helper != NULL);
}

int
tt_codemap_init(struct tt_codemap *c, const struct tt_model *m, uint32_t process, struct tt_err *err)
{
	const struct tt_code *code = tt_code(m);
	const struct tt_capture *cap = m->cap[process];
	const struct tt_def *d;
	int rc = tt_defs_sort_symbols(cap->defs, err);

	*c = (struct tt_codemap){ .m = m, .process = process };
	for (size_t i = 0; rc == TT_OK && (d = tt_code_at(cap, i)); i++)
		rc = add(c, (struct tt_code_range){ d->a, d->a + d->b, d, NULL }, err);
	for (size_t i = 0; i < code->n && rc == TT_OK; i++) {
		const struct tt_code_helper *h = &code->helper[i];
		if (h->process == process)
			rc = add(c, (struct tt_code_range){ h->start, h->start + h->size, NULL, h }, err);
	}
	tt_sort(c->v, c->n, by_start);
	return rc;
}

void
tt_codemap_free(struct tt_codemap *c)
{
	if (c->m)
		tt_mem_free(&c->m->env->mem, c->v, c->cap * sizeof *c->v);
}

enum tt_code_kind
tt_codemap_name(const struct tt_codemap *c, uint64_t ip, const char **name)
{
	size_t lo = tt_lower_bound(k, 0, c->n, c->v[k].start <= ip);
	const struct tt_def *d;

	/* If starts are equal, the method comes first. */
	while (lo > 1 && c->v[lo - 2].start == c->v[lo - 1].start)
		lo--;
	if (lo > 0 && ip < c->v[lo - 1].end) {
		const struct tt_code_range *r = &c->v[lo - 1];
		if (r->method) {
			*name = tt_model_key(c->m, c->process, r->method->key)->shown;
			return TT_CODE_METHOD;
		}
		*name = *r->helper->name ? r->helper->name : tt_code_helper_kind(r->helper->kind);
		return TT_CODE_HELPER;
	}
	d = tt_defs_symbol(c->m->cap[c->process]->defs, ip, SYMBOL_REACH);
	*name = d && d->len ? d->text : "(unknown)";
	return d ? TT_CODE_SYMBOL : TT_CODE_UNKNOWN;
}
