/**
 * Walks over all sections of a record, in every version's layout, to find their places. Decodes nothing.
 *
 * Counts are checked against the remaining bytes before anything is skipped; a record is valid only if the walk ends at its end mark.
 */
#include "data/data.h"

/* Walk over names: their number of bytes, the names, and padding (see pads_place). */
static struct data_section
walk_names(const struct data_layout *l, struct data_take *t)
{
	uint32_t n = data_take32(t);
	struct data_section names = { data_bytes(t, n), n };

	data_bytes(t, (l->pads_place ? (size_t)(t->from - t->p) : (size_t)0 - n) & 3);
	return names;
}

static void
skip_list(struct data_take *t, size_t size)
{
	uint32_t n;

	data_list(t, size, &n);
}

/* --- the begin of a record ---------------------------------------------------------------------------------- */

void
data_take_frame(const struct data_layout *l, struct data_take *t, struct data_record *r)
{
	if (l->rank == 0)
		data_bytes(t, 8);
	r->id = data_take32(t);
	data_take32(t);
	r->start = l->rank >= 8 ? data_take64(t) : l->rank >= 6 ? data_take64(t) * 1000 : data_take32(t);
	r->cpu_us = data_take32(t);
	r->gpu_us = data_take32(t);
	r->mask = l->rank >= 6 ? data_take32(t) : UINT32_MAX;
}

/* Walk over the statistics: numbers, a list of classes up to a -1, and numbers. */
static void
walk_stats(const struct data_layout *l, struct data_take *t, struct data_record *r)
{
	static const uint16_t after[] = { 247, 247, 244, 246, 258, 258, 265 };
	static const struct { uint32_t word; uint16_t memory, after; } old[] = {
		{ DATA_55, 27, 213 }, { 0x20161226, 33, 227 }, { DATA_2017_1, 33, 231 } };
	unsigned memory = 33, rest = after[l->rank < 6 ? l->rank : 6];
	const uint8_t *from = t->p;

	for (size_t i = 0; i < sizeof old / sizeof *old; i++)
		if (l->rank == 0 && l->like == old[i].word) {
			memory = old[i].memory;
			rest = old[i].after;
		}
	data_bytes(t, 4 * (size_t)memory + 4);
	while (!t->bad && data_take32(t) != UINT32_MAX)
		data_bytes(t, 4);
	data_bytes(t, 64 + 4 * (size_t)rest);
	r->stats = (struct data_section){ from, (size_t)(t->p - from) };
}

static void
walk_audio_ui(const struct data_layout *l, struct data_take *t, struct data_record *r)
{
	const bool wide = l->rank >= 12;
	uint32_t n;

	skip_list(t, wide ? 72 : 64);
	skip_list(t, 44);
	n = data_take32(t);
	r->names[0] = (struct data_section){ data_bytes(t, n), n };
	if (l->pads_audio)
		data_bytes(t, (0u - n) & 3);
	if (l->rank == 0 && l->like < DATA_2017_1)
		return;
	skip_list(t, wide ? 60 : 52);
	r->names[1] = walk_names(l, t);
	skip_list(t, wide ? 16 : 12);
	r->names[2] = walk_names(l, t);
	skip_list(t, wide ? 8 : 4);
}

/* --- definitions --------------------------------------------------------------------------------------------- */

static void
take_params(struct data_take *t, struct data_marker *m)
{
	uint32_t len;

	m->nparam = data_count(t, 8);
	m->params = t->p;
	for (uint32_t i = 0; i < m->nparam && !t->bad; i++) {
		data_take32(t);
		data_name(t, &len);
	}
	m->nparams = (uint32_t)(t->p - m->params);
}

static void
split_flags(struct data_take *t, struct data_marker *m)
{
	uint32_t word = data_take32(t);

	m->flags = word & 0xffff;
	m->category = word >> 16;
}

void
data_take_marker(struct data_take *t, struct data_marker *m)
{
	m->id = data_take32(t);
	m->name = data_name(t, &m->nname);
	split_flags(t, m);
	take_params(t, m);
}

bool
data_take_named(const struct data_layout *l, struct data_take *t, struct data_marker *m)
{
	uint32_t present = data_take32(t);

	*m = (struct data_marker){ .name = "" };
	if (present > 1)
		data_is_bad(t);
	if (t->bad || !present)
		return false;
	m->name = data_name(t, &m->nname);
	split_flags(t, m);
	if (l->rank >= 6)
		take_params(t, m);
	if (l->rank == 0)
		m->flags = 0;         /* the flags had another meaning */
	return !t->bad;
}

void
data_take_code(const struct data_layout *l, struct data_take *t, struct data_code *c)
{
	uint32_t len;

	c->name = data_name(t, &c->nname);
	data_name(t, &len);
	c->start = l->rank >= 8 ? data_take64(t) : data_take32(t);
	c->size = data_take32(t);
	data_take32(t);
}

const char *
data_take_category(const struct data_layout *l, struct data_take *t, unsigned *id, unsigned *color, uint32_t *n)
{
	*id = data_take32(t);
	*color = data_take32(t);
	data_take32(t);
	const char *name = data_name(t, n);
	if (l->rank >= 11)
		data_take32(t);
	return name;
}

/* --- threads ------------------------------------------------------------------------------------------------- */

static void
skip_values(const struct data_layout *l, struct data_take *t, struct data_thread *th)
{
	uint32_t n;

	th->value = t->p;
	th->nvalue = 0;
	if (l->rank == 0) {
		if (l->like == DATA_55)
			return;
		skip_list(t, 8);
		n = data_take32(t);
		data_bytes(t, n);
		data_bytes(t, (0u - n) & 3);
		return;
	}
	th->nvalue = data_count(t, 8);
	th->value = t->p;
	for (uint32_t i = 0; i < th->nvalue && !t->bad; i++) {
		data_take32(t);
		for (n = data_take32(t); n > 0 && !t->bad; n--) {
			const uint8_t *p = data_bytes(t, 8);
			data_bytes(t, p ? ((size_t)unity_u32(p + 4) + 3) & ~(size_t)3 : 0);
		}
	}
}

/* Take a list if the version ${has} it. */
static inline const uint8_t *
list_if(bool has, struct data_take *t, size_t size, uint32_t *n)
{
	*n = 0;
	return has ? data_list(t, size, n) : NULL;
}

/* Skip a list of numbers of samples, each below ${n} or UINT32_MAX for no sample; other numbers make the list invalid. */
static void
skip_numbers(struct data_take *t, uint32_t n)
{
	uint32_t count;
	const uint8_t *p = data_list(t, 4, &count);

	for (; count > 0; count--, p += 4)
		if (unity_u32(p) >= n && unity_u32(p) != UINT32_MAX)
			data_is_bad(t);
}

void
data_walk_thread(const struct data_layout *l, struct data_take *take, struct data_thread *th)
{
	struct data_take t = *take;   /* a local copy stays in registers */
	struct data_marker m;

	th->from = t.p;
	th->id = l->rank >= 8 ? data_take64(&t) : 0;
	th->group = data_name(&t, &th->ngroup);
	th->name = data_name(&t, &th->nname);
	th->sample = data_list(&t, data_sample_size(l), &th->nsample);
	th->gpu = data_list(&t, DATA_GPU_SIZE, &th->ngpu);
	th->instance = list_if(l->rank >= 10, &t, data_instance_size(l), &th->ninstance);
	th->gc = data_list(&t, DATA_GC_SIZE, &th->ngc);
	th->marker = t.p;
	for (uint32_t i = 0; l->rank < 11 && i < th->nsample && !t.bad; i++)
		data_take_named(l, &t, &m);
	skip_numbers(&t, th->nsample);        /* samples with a warning */
	skip_values(l, &t, th);
	if (l->rank >= 5)
		skip_numbers(&t, th->nsample);        /* samples that are statistics of the frame */
	if (l->rank >= 4)
		data_take32(&t);      /* depth */
	th->stack = list_if(l->rank >= 6, &t, data_stack_size(l), &th->nstack);
	th->flow = list_if(l->rank >= 7, &t, DATA_FLOW_SIZE, &th->nflow);
	th->end = t.p;
	*take = t;
}

/* --- the record ------------------------------------------------------------------------------------------------ */

static void
walk_markers(struct data_take *t, struct data_record *r)
{
	struct data_marker m;

	r->markers.p = t->p;
	for (uint32_t n = data_count(t, 16); n > 0 && !t->bad; n--)
		data_take_marker(t, &m);
	r->markers.n = (size_t)(t->p - r->markers.p);
}

static void
walk_threads(const struct data_layout *l, struct data_take *t, struct data_record *r, struct data_thread *kept)
{
	struct data_thread th;

	r->nthread = data_count(t, 16);
	r->threads.p = t->p;
	for (uint32_t i = 0; i < r->nthread && !t->bad; i++) {
		struct data_thread *const to = i < DATA_KEPT ? &kept[i] : &th;
		data_walk_thread(l, t, to);
		r->has_samples = r->has_samples || to->nsample > 1;
	}
	r->threads.n = (size_t)(t->p - r->threads.p);
}

static void
walk_code(const struct data_layout *l, struct data_take *t, struct data_record *r)
{
	struct data_code c;

	r->code.p = t->p;
	for (uint32_t n = data_count(t, 16); n > 0 && !t->bad; n--)
		data_take_code(l, t, &c);
	r->code.n = (size_t)(t->p - r->code.p);
}

static void
walk_categories(const struct data_layout *l, struct data_take *t, struct data_record *r)
{
	unsigned id, color;
	uint32_t len;

	r->categories.p = t->p;
	for (uint32_t n = data_count(t, 16); n > 0 && !t->bad; n--)
		data_take_category(l, t, &id, &color, &len);
	r->categories.n = (size_t)(t->p - r->categories.p);
}

/* Skip native types, objects and graphics resources. */
static void
skip_objects(const struct data_layout *l, struct data_take *t)
{
	const size_t id = l->rank >= 12 ? 8 : 4;
	uint32_t len;

	for (uint32_t n = data_count(t, 8); n > 0 && !t->bad; n--) {
		data_take32(t);
		data_name(t, &len);
	}
	for (uint32_t n = data_count(t, 12); n > 0 && !t->bad; n--) {
		data_bytes(t, l->rank >= 11 ? 2 * id : id);
		data_take32(t);
		data_name(t, &len);
		data_bytes(t, l->rank >= 11 ? 8 : 0);
	}
	if (l->rank >= 11)
		skip_list(t, 16);
}

bool
data_walk(const struct data_layout *l, const uint8_t *p, size_t n, struct data_record *r, struct data_thread kept[DATA_KEPT])
{
	struct data_take t = { .p = p, .end = p + n, .from = p };

	*r = (struct data_record){ 0 };
	if (n < DATA_SIZE_MIN)
		return false;
	t.end -= 4;
	if (unity_u32(t.end) != DATA_MARK)
		return false;
	data_take_frame(l, &t, r);
	walk_stats(l, &t, r);
	walk_audio_ui(l, &t, r);
	if (l->rank >= 11)
		walk_markers(&t, r);
	walk_threads(l, &t, r, kept);
	if (t.bad)
		return false;
	const uint8_t *after = t.p;
	if (l->rank >= 6)
		walk_code(l, &t, r);
	if (l->rank >= 9)
		walk_categories(l, &t, r);
	if (l->rank >= 10)
		skip_objects(l, &t);
	r->short_of = t.bad || t.p != t.end;
	/* Without threads, nothing proves that the bytes before them were understood. */
	if (r->short_of && r->nthread == 0)
		return false;
	if (r->short_of)
		r->code = r->categories = (struct data_section){ after, 0 };
	return true;
}
