/**
 * Sorts records with bounded memory; the contract is in sorter.h.
 */
#include "io/sorter.h"

#include <string.h>
#include <unistd.h>

#include "base/order.h"
#include "io/spool.h"

enum { LEAST_PIECE = 4096 };          /* of a run, read at once */

void
tt_sorter_init(struct tt_sorter *s, struct tt_env *env, const struct tt_sorter_form *form)
{
	*s = (struct tt_sorter){ .env = env, .form = form, .fd = -1 };
}

static void
free_records(struct tt_sorter *s)
{
	tt_mem_free(&s->env->mem, s->rec, s->cap * s->form->size);
	s->rec = NULL;
	s->n = s->cap = 0;
}

void
tt_sorter_free(struct tt_sorter *s)
{
	if (!s->env)
		return;
	free_records(s);
	tt_mem_free(&s->env->mem, s->run, s->caprun * sizeof *s->run);
	if (s->fd >= 0)
		close(s->fd);
	tt_sorter_init(s, s->env, s->form);
}

/* Sort those that wait, and join those of one key. */
static void
settle(struct tt_sorter *s)
{
	size_t size = s->form->size, n = 0;

	tt_sort_bytes(s->rec, s->n, size, s->form->compare);
	for (size_t i = 0; i < s->n; i++) {
		if (n > 0 && s->form->join(s->rec + (n - 1) * size, s->rec + i * size))
			continue;
		if (i != n)
			memcpy(s->rec + n * size, s->rec + i * size, size);
		n++;
	}
	s->n = n;
}

/* Write the records that are in memory as a run. */
static int
write_run(struct tt_sorter *s, struct tt_err *err)
{
	uint64_t bytes = s->n * s->form->size;
	int rc = tt_mem_grow(&s->env->mem, &s->run, &s->caprun, s->nrun + 1, sizeof *s->run, err);

	if (rc == TT_OK && s->fd < 0)
		rc = tt_spool_open(s->env, &s->fd, err);
	if (rc == TT_OK)
		rc = tt_spool_add(s->env, &s->fd, s->written, s->rec, bytes, err);
	if (rc != TT_OK)
		return rc;
	s->run[s->nrun++] = (struct tt_sorter_run){ s->written, s->written + bytes };
	s->written += bytes;
	s->n = 0;
	return TT_OK;
}

int
tt_sorter_add(struct tt_sorter *s, const void *rec, struct tt_err *err)
{
	size_t size = s->form->size, most = TT_SORTER_ROOM / size;
	int rc = TT_OK;

	if (s->n == most) {
		settle(s);
		/* Where few keys come again and again, they never go to disk. */
		if (s->n > most / 2)
			rc = write_run(s, err);
	}
	if (rc == TT_OK && s->n == s->cap) {
		size_t need = s->cap ? 2 * s->cap : 64;
		rc = tt_mem_grow(&s->env->mem, &s->rec, &s->cap, need < most ? need : most, size, err);
	}
	if (rc == TT_OK)
		memcpy(s->rec + s->n++ * size, rec, size);
	return rc;
}

int
tt_sorter_done(struct tt_sorter *s, struct tt_err *err)
{
	int rc = TT_OK;

	settle(s);
	if (s->nrun > 0 && s->n > 0)
		rc = write_run(s, err);
	if (s->nrun > 0)
		free_records(s);
	return rc;
}

/* --- reading -------------------------------------------------------------------------- */

/* A run, read a piece at a time. */
struct piece {
	const char *at, *end;         /* of what is in memory */
	uint64_t next, to;            /* of the rest, on disk */
	char *room;
};

struct tt_sorted {
	const struct tt_sorter *s;
	struct piece *piece;
	uint32_t *heap;               /* pieces that have records, the one with the first record at 0 */
	size_t nheap;
	size_t room;                  /* of a piece: whole records */
	char *text;                   /* of all pieces */
	char *rec;                    /* the record handed out */
};

void
tt_sorted_close(struct tt_sorted *d)
{
	struct tt_mem *mem;
	size_t n;

	if (!d)
		return;
	mem = &d->s->env->mem;
	n = d->s->nrun;
	tt_mem_free(mem, d->piece, (n + 1) * sizeof *d->piece);
	tt_mem_free(mem, d->heap, (n + 1) * sizeof *d->heap);
	tt_mem_free(mem, d->text, n * d->room);
	tt_mem_free(mem, d->rec, d->s->form->size);
	tt_mem_free(mem, d, sizeof *d);
}

static int
fetch(struct tt_sorted *d, struct piece *p, struct tt_err *err)
{
	uint64_t n = p->to - p->next;
	int rc;

	if (p->at < p->end || n == 0)
		return TT_OK;
	n = n < d->room ? n : d->room;
	rc = tt_spool_read(d->s->env, d->s->fd, d->s->form->what, p->next, p->room, (size_t)n, err);
	p->next += n;
	p->at = p->room;
	p->end = p->room + n;
	return rc;
}

static bool
is_before(const struct tt_sorted *d, uint32_t a, uint32_t b)
{
	int c = d->s->form->compare(d->piece[a].at, d->piece[b].at);

	return c ? c < 0 : a < b;
}

/* The piece at ${i} of the heap may come too early: move it down. */
static void
sift(struct tt_sorted *d, size_t i)
{
	for (size_t k; (k = 2 * i + 1) < d->nheap; i = k) {
		uint32_t was = d->heap[i];

		if (k + 1 < d->nheap && is_before(d, d->heap[k + 1], d->heap[k]))
			k++;
		if (!is_before(d, d->heap[k], was))
			return;
		d->heap[i] = d->heap[k];
		d->heap[k] = was;
	}
}

static int
begin(struct tt_sorted *d, struct tt_err *err)
{
	const struct tt_sorter *s = d->s;
	int rc = TT_OK;

	if (s->nrun == 0) {
		d->piece[0] = (struct piece){ .at = s->rec, .end = s->rec + s->n * s->form->size };
		d->nheap = s->n > 0;
	}
	for (size_t i = 0; i < s->nrun && rc == TT_OK; i++) {
		d->piece[i] = (struct piece){ .next = s->run[i].at, .to = s->run[i].end, .room = d->text + i * d->room };
		d->heap[d->nheap++] = (uint32_t)i;
		rc = fetch(d, &d->piece[i], err);
	}
	for (size_t i = d->nheap / 2; i-- > 0 && rc == TT_OK;)
		sift(d, i);
	return rc;
}

int
tt_sorted_open(const struct tt_sorter *s, struct tt_sorted **to, struct tt_err *err)
{
	struct tt_mem *mem = &s->env->mem;
	size_t size = s->form->size, share = s->nrun ? TT_SORTER_ROOM / s->nrun : 0;
	struct tt_sorted *d = *to = tt_mem_alloc(mem, sizeof *d, err);
	int rc;

	if (!d)
		return err->code;
	d->s = s;
	d->room = (share > LEAST_PIECE ? share : LEAST_PIECE) / size * size;
	d->piece = tt_mem_alloc(mem, (s->nrun + 1) * sizeof *d->piece, err);
	d->heap = tt_mem_alloc(mem, (s->nrun + 1) * sizeof *d->heap, err);
	d->text = tt_mem_alloc(mem, s->nrun * d->room, err);
	d->rec = tt_mem_alloc(mem, size, err);
	rc = d->piece && d->heap && d->text && d->rec ? begin(d, err) : err->code;
	if (rc == TT_OK)
		return TT_OK;
	tt_sorted_close(d);
	*to = NULL;
	return rc;
}

/* The first record goes. */
static int
drop_first(struct tt_sorted *d, struct tt_err *err)
{
	struct piece *p = &d->piece[d->heap[0]];
	int rc;

	p->at += d->s->form->size;
	rc = fetch(d, p, err);
	if (p->at == p->end)
		d->heap[0] = d->heap[--d->nheap];
	if (rc == TT_OK)
		sift(d, 0);
	return rc;
}

int
tt_sorted_next(struct tt_sorted *d, const void **rec, struct tt_err *err)
{
	int rc;

	*rec = NULL;
	if (d->nheap == 0)
		return TT_OK;
	memcpy(d->rec, d->piece[d->heap[0]].at, d->s->form->size);
	rc = drop_first(d, err);
	while (rc == TT_OK && d->nheap > 0 && d->s->form->join(d->rec, d->piece[d->heap[0]].at))
		rc = drop_first(d, err);
	*rec = rc == TT_OK ? d->rec : NULL;
	return rc;
}
