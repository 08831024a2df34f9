/**
 * Sorts records with bounded memory.
 */
#include "io/sorter.h"

#include <string.h>

#include "base/order.h"
#include "io/spool.h"
#include "sys/sys.h"

enum { MIN_READ_BYTES = 4096 };          /* the fewest bytes of a run that are read at once */
enum { DOUBLED = 9, MIN_CAP = 8 };  /* how often the room for records in memory doubles; records that it has at first, at least */
enum { MIN_KEYED = 256, LARGEST = 256 };     /* records are sorted by keys if there are at least this many, and none has more bytes than this */

void
tt_sorter_init(struct tt_sorter *s, struct tt_env *env, const struct tt_sorter_form *form)
{
	*s = (struct tt_sorter){ .env = env, .form = form, .fd = -1 };
}

static void
free_records(struct tt_sorter *s)
{
	tt_mem_free(&s->env->mem, s->rec, s->cap * s->form->size);
	tt_mem_free(&s->env->mem, s->place, s->capplace * sizeof *s->place);
	s->rec = NULL;
	s->place = NULL;
	s->n = s->cap = s->capplace = 0;
}

void
tt_sorter_free(struct tt_sorter *s)
{
	if (!s->env)
		return;
	free_records(s);
	tt_mem_free(&s->env->mem, s->run, s->caprun * sizeof *s->run);
	if (s->fd >= 0)
		tt_sys_close(s->fd);
	tt_sorter_init(s, s->env, s->form);
}

/* Put the records in the order of their sorted places ${p}. */
static void
move(const struct tt_sorter *s, struct tt_place *p)
{
	const size_t size = s->form->size;
	char one[LARGEST];

	for (size_t i = 0, k, from; i < s->n; i++) {
		if (p[i].index == i)
			continue;
		memcpy(one, s->rec + i * size, size);
		for (k = i; (from = p[k].index) != i; k = from) {
			memcpy(s->rec + k * size, s->rec + from * size, size);
			p[k].index = k;
		}
		memcpy(s->rec + k * size, one, size);
		p[k].index = k;
	}
}

/* Sort the records ${from} to ${end} - 1 and join equal ones. The result begins at ${to}; returns its end. */
static size_t
settle_some(struct tt_sorter *s, size_t to, size_t from, size_t end)
{
	const size_t size = s->form->size, first = to;

	tt_sort_bytes(s->rec + from * size, end - from, size, s->form->compare);
	for (size_t i = from; i < end; i++) {
		if (to > first && s->form->join(s->rec + (to - 1) * size, s->rec + i * size))
			continue;
		if (i != to)
			memcpy(s->rec + to * size, s->rec + i * size, size);
		to++;
	}
	return to;
}

static int
settle_by_key(struct tt_sorter *s, struct tt_err *err)
{
	const size_t size = s->form->size, n = s->n;
	struct tt_place *p;
	size_t to = 0;

	if (tt_mem_grow(&s->env->mem, &s->place, &s->capplace, 2 * n, sizeof *s->place, err) != TT_OK)
		return err->code;
	for (size_t i = 0; i < n; i++)
		s->place[i] = (struct tt_place){ s->form->key(s->rec + i * size), i };
	p = tt_places_sort(s->place, n);
	move(s, p);
	/* Most keys have only one record. */
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && p[end].key == p[i].key;)
			end++;
		if (end > i + 1)
			to = settle_some(s, to, i, end);
		else if (to != i)
			memcpy(s->rec + to * size, s->rec + i * size, size);
		to += end == i + 1;
	}
	s->n = to;
	return TT_OK;
}

/* Sort the records in memory and join equal ones. */
static int
settle(struct tt_sorter *s, struct tt_err *err)
{
	if (s->form->key && s->n >= MIN_KEYED && s->form->size <= LARGEST)
		return settle_by_key(s, err);
	s->n = settle_some(s, 0, 0, s->n);
	return TT_OK;
}

/* Write the records that are in memory as a run. */
static int
write_run(struct tt_sorter *s, struct tt_err *err)
{
	uint64_t bytes = s->n * s->form->size;
	int rc = tt_mem_grow(&s->env->mem, &s->run, &s->caprun, s->nrun + 1, sizeof *s->run, err);

	if (rc == TT_OK && s->fd < 0)
		rc = tt_spool_open(s->env, &s->fd, err);
	TT_THEN(rc, tt_spool_add(s->env, &s->fd, s->written, s->rec, (size_t)bytes, err));
	if (rc != TT_OK)
		return rc;
	s->run[s->nrun++] = (struct tt_sorter_run){ s->written, s->written + bytes };
	s->written += bytes;
	s->n = 0;
	return TT_OK;
}

/* Return the first capacity in records: doubled DOUBLED times, it takes nearly TT_SORTER_BYTES bytes, and no more. */
static size_t
least_cap(size_t size)
{
	const size_t n = (TT_SORTER_BYTES >> DOUBLED) / size;

	return n < MIN_CAP ? MIN_CAP : n;
}

int
tt_sorter_add(struct tt_sorter *s, const void *rec, struct tt_err *err)
{
	const size_t size = s->form->size, first = least_cap(size), most = first << DOUBLED;
	int rc = TT_OK;

	if (s->n == most) {
		rc = settle(s, err);
		/* If few records are left after joining, keep them in memory: few keys that repeat never go to disk. */
		if (rc == TT_OK && s->n > most / 2)
			rc = write_run(s, err);
	}
	if (rc == TT_OK && s->n == s->cap)
		rc = tt_mem_grow(&s->env->mem, &s->rec, &s->cap, s->cap ? 2 * s->cap : first, size, err);
	if (rc == TT_OK)
		memcpy(s->rec + s->n++ * size, rec, size);
	return rc;
}

int
tt_sorter_done(struct tt_sorter *s, struct tt_err *err)
{
	int rc = settle(s, err);

	if (rc == TT_OK && s->nrun > 0 && s->n > 0)
		rc = write_run(s, err);
	if (s->nrun > 0)
		free_records(s);
	tt_mem_free(&s->env->mem, s->place, s->capplace * sizeof *s->place);
	s->place = NULL;
	s->capplace = 0;
	return rc;
}

/* --- reading -------------------------------------------------------------------------- */

/* A run, read a piece at a time. */
struct piece {
	const char *next_rec, *end;   /* the bytes in memory that are left */
	uint64_t key;                 /* of the record at ${next_rec} */
	uint64_t spool_at, spool_end; /* range in the spool of the rest of the run */
	char *buffer;
};

struct tt_sorted {
	const struct tt_sorter *s;
	struct piece *piece;
	uint32_t *heap;               /* heap of the pieces that have records left; at 0 the piece with the first record */
	size_t nheap;
	uint64_t second_key;          /* the lowest key in all pieces but heap[0] */
	size_t piece_bytes;           /* bytes of memory for a piece: whole records */
	char *text;                   /* the memory of all pieces */
	char *rec;                    /* the record handed out, if it was joined from several */
	uint64_t key;                 /* of the record handed out */
	bool is_in_place;             /* true: the first record was handed out in place, and is dropped at the next call */
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
	tt_mem_free(mem, d->text, n * d->piece_bytes);
	tt_mem_free(mem, d->rec, d->s->form->size);
	tt_mem_free(mem, d, sizeof *d);
}

/* Read more of ${p} if its bytes in memory are used up, and note the key of its first record. */
static int
fetch(struct tt_sorted *d, struct piece *p, struct tt_err *err)
{
	const struct tt_sorter_form *form = d->s->form;
	uint64_t n = p->spool_end - p->spool_at;
	int rc = TT_OK;

	if (p->next_rec == p->end && n > 0) {
		n = n < d->piece_bytes ? n : d->piece_bytes;
		rc = tt_spool_read(d->s->env, d->s->fd, form->noun, p->spool_at, p->buffer, (size_t)n, err);
		p->spool_at += n;
		p->next_rec = p->buffer;
		p->end = p->buffer + n;
	}
	p->key = rc == TT_OK && form->key && p->next_rec < p->end ? form->key(p->next_rec) : 0;
	return rc;
}

static bool
is_before(const struct tt_sorted *d, uint32_t a, uint32_t b)
{
	const struct piece *x = &d->piece[a], *y = &d->piece[b];
	int c;

	if (x->key != y->key)
		return x->key < y->key;
	c = d->s->form->compare(x->next_rec, y->next_rec);
	return c ? c < 0 : a < b;
}

/* Move the piece at ${i} of the heap down to where it belongs. */
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

static void
find_second(struct tt_sorted *d)
{
	d->second_key = d->nheap > 1 ? d->piece[d->heap[1]].key : UINT64_MAX;
	if (d->nheap > 2 && d->piece[d->heap[2]].key < d->second_key)
		d->second_key = d->piece[d->heap[2]].key;
}

static int
begin(struct tt_sorted *d, struct tt_err *err)
{
	const struct tt_sorter *s = d->s;
	int rc = TT_OK;

	if (s->nrun == 0) {
		d->piece[0] = (struct piece){ .next_rec = s->rec, .end = s->rec + s->n * s->form->size };
		d->nheap = s->n > 0;
		rc = fetch(d, &d->piece[0], err);
	}
	for (size_t i = 0; i < s->nrun && rc == TT_OK; i++) {
		d->piece[i] = (struct piece){ .spool_at = s->run[i].at, .spool_end = s->run[i].end, .buffer = d->text + i * d->piece_bytes };
		d->heap[d->nheap++] = (uint32_t)i;
		rc = fetch(d, &d->piece[i], err);
	}
	for (size_t i = d->nheap / 2; i-- > 0 && rc == TT_OK;)
		sift(d, i);
	find_second(d);
	return rc;
}

int
tt_sorted_open(const struct tt_sorter *s, struct tt_sorted **to, struct tt_err *err)
{
	struct tt_mem *mem = &s->env->mem;
	size_t size = s->form->size, share = s->nrun ? TT_SORTER_BYTES / s->nrun : 0;
	struct tt_sorted *d = *to = tt_mem_alloc(mem, sizeof *d, err);
	int rc;

	if (!d)
		return err->code;
	d->s = s;
	d->piece_bytes = (share > MIN_READ_BYTES ? share : MIN_READ_BYTES) / size * size;
	d->piece = tt_mem_alloc(mem, (s->nrun + 1) * sizeof *d->piece, err);
	d->heap = tt_mem_alloc(mem, (s->nrun + 1) * sizeof *d->heap, err);
	d->text = tt_mem_alloc(mem, s->nrun * d->piece_bytes, err);
	d->rec = tt_mem_alloc(mem, size, err);
	rc = d->piece && d->heap && d->text && d->rec ? begin(d, err) : err->code;
	if (rc == TT_OK)
		return TT_OK;
	tt_sorted_close(d);
	*to = NULL;
	return rc;
}

/* Drop the first record. Runs mostly cover successive times, so the next record is mostly in the same piece. */
static int
drop_first(struct tt_sorted *d, struct tt_err *err)
{
	struct piece *p = &d->piece[d->heap[0]];
	int rc;

	p->next_rec += d->s->form->size;
	rc = fetch(d, p, err);
	if (p->next_rec == p->end)
		d->heap[0] = d->heap[--d->nheap];
	else if (p->key < d->second_key)
		return rc;
	if (rc == TT_OK)
		sift(d, 0);
	find_second(d);
	return rc;
}

static int
take_back(struct tt_sorted *d, struct tt_err *err)
{
	const bool lent = d->is_in_place;

	d->is_in_place = false;
	return lent ? drop_first(d, err) : TT_OK;
}

/* Drop the records of ${p} whose key is less than ${key}. */
static int
skip(struct tt_sorted *d, struct piece *p, uint64_t key, struct tt_err *err)
{
	const struct tt_sorter_form *form = d->s->form;
	const size_t n = (size_t)(p->end - p->next_rec) / form->size, at = tt_lower_bound(i, 0, n, form->key(p->next_rec + i * form->size) < key);
	uint64_t least = 0, most = (p->spool_end - p->spool_at) / form->size;
	int rc = TT_OK;

	p->next_rec += at * form->size;
	while (at == n && least < most && rc == TT_OK) {
		const uint64_t mid = least + (most - least) / 2;

		rc = tt_spool_read(d->s->env, d->s->fd, form->noun, p->spool_at + mid * form->size, d->rec, form->size, err);
		if (rc == TT_OK && form->key(d->rec) < key)
			least = mid + 1;
		else
			most = mid;
	}
	p->spool_at += least * form->size;
	return rc == TT_OK ? fetch(d, p, err) : rc;
}

int
tt_sorted_skip(struct tt_sorted *d, uint64_t key, struct tt_err *err)
{
	int rc = take_back(d, err);
	size_t n = 0;

	if (rc != TT_OK || d->nheap == 0 || d->piece[d->heap[0]].key >= key)
		return rc;
	for (size_t i = 0; i < d->nheap && rc == TT_OK; i++) {
		struct piece *p = &d->piece[d->heap[i]];

		rc = p->key < key ? skip(d, p, key, err) : TT_OK;
		d->heap[n] = d->heap[i];
		n += p->next_rec < p->end;
	}
	d->nheap = n;
	for (size_t i = n / 2; i-- > 0 && rc == TT_OK;)
		sift(d, i);
	find_second(d);
	return rc;
}

int
tt_sorted_next(struct tt_sorted *d, const void **rec, struct tt_err *err)
{
	int rc;

	*rec = NULL;
	if ((rc = take_back(d, err)) != TT_OK || d->nheap == 0)
		return rc;
	d->key = d->piece[d->heap[0]].key;
	/* No other piece has this key, and equal records of one piece are joined already. */
	if (d->key < d->second_key) {
		*rec = d->piece[d->heap[0]].next_rec;
		d->is_in_place = true;
		return TT_OK;
	}
	memcpy(d->rec, d->piece[d->heap[0]].next_rec, d->s->form->size);
	rc = drop_first(d, err);
	while (rc == TT_OK && d->nheap > 0 && d->piece[d->heap[0]].key == d->key && d->s->form->join(d->rec, d->piece[d->heap[0]].next_rec))
		rc = drop_first(d, err);
	*rec = rc == TT_OK ? d->rec : NULL;
	return rc;
}
