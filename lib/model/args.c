/**
 * Reads the arguments of an event, and keeps those of zones that end in a later chunk.
 */
#include "model/args.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "model/event.h"

struct tt_args
tt_args_of(const struct tt_batch *b, size_t i)
{
	do
		i++;
	while (i < b->n && b->ev[i].kind == TT_EXT);
	struct tt_args a = { .ev = b->ev + i, .text = b->text.p, .ntext = b->text.n };
	while (i + a.n < b->n && b->ev[i + a.n].kind == TT_ARG)
		a.n++;
	return a;
}

const char *
tt_args_text(const struct tt_args *a, const struct tt_event *arg, size_t *n)
{
	*n = 0;
	if (arg->val > a->ntext || arg->dur > a->ntext - arg->val || arg->dur == 0)
		return "";
	*n = arg->dur;
	return a->text + arg->val;
}

static bool
has_text(const struct tt_event *arg)
{
	return arg->depth == TT_T_TEXT || arg->depth == TT_T_BLOB;
}

/* How much text a copy has. */
static size_t
text_bytes(const struct tt_args *a)
{
	size_t sum = 0, n;

	for (size_t i = 0; i < a->n; i++)
		if (has_text(&a->ev[i])) {
			tt_args_text(a, &a->ev[i], &n);
			sum += n;
		}
	return sum;
}

size_t
tt_args_bytes(const struct tt_args *a)
{
	return sizeof(struct tt_args_kept) + a->n * sizeof *a->ev + text_bytes(a);
}

struct tt_args_kept *
tt_args_keep(const struct tt_args *a, struct tt_mem *mem, struct tt_err *err)
{
	size_t bytes = tt_args_bytes(a);
	struct tt_args_kept *k = tt_mem_alloc(mem, bytes, err);

	if (!k)
		return NULL;
	struct tt_event *ev = (struct tt_event *)(k + 1);
	char *text = (char *)(ev + a->n);
	*k = (struct tt_args_kept){ .args = { .ev = ev, .n = a->n, .text = text }, .bytes = bytes };
	for (size_t i = 0; i < a->n; i++) {
		ev[i] = a->ev[i];
		if (!has_text(&ev[i]))
			continue;
		size_t n;
		const char *s = tt_args_text(a, &a->ev[i], &n);
		memcpy(text + k->args.ntext, s, n);
		ev[i].val = k->args.ntext;
		ev[i].dur = (uint32_t)n;
		k->args.ntext += n;
	}
	return k;
}

void
tt_args_free(struct tt_args_kept *list, struct tt_mem *mem)
{
	while (list) {
		struct tt_args_kept *next = list->next;
		tt_mem_free(mem, list, list->bytes);
		list = next;
	}
}
