/**
 * Determines when a frame began, and what is missing before it: by its stored start, its main thread's samples and the neighbouring frames.
 */
#include "data/data.h"

#include "base/hash_seed.h"

/* A root is where its frame begins, or where the last one ends, up to here (in real captures to 25 us); from there on it is not. */
#define NEAR_ROOT_NS 100000
#define MIN_OFF_ROOT_NS 400000

/* Return the part of a time that the file stores in 32 bits, which overflow. */
static uint32_t
low_us(uint64_t ns)
{
	return (uint32_t)(ns / 1000);
}

/* The time closest to ${near} whose lower 32 bits are ${us}. */
static uint64_t
near_us(uint32_t us, uint64_t near)
{
	return near / 1000 * 1000 + (uint64_t)((int64_t)(int32_t)(us - low_us(near)) * 1000);
}

uint64_t
data_sample_begin(const struct data_layout *l, const struct data_thread *th, uint32_t i, uint64_t near)
{
	const uint8_t *p = th->sample + (size_t)i * data_sample_size(l);

	return l->rank < 6 ? near_us(unity_u32(p + 4), near) : unity_u64(p + (l->rank >= 11 ? 8 : 4)) * (l->rank >= 8 ? 1u : 1000u);
}

static uint64_t
apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

void
data_set_start(const struct data *m, struct data_record *r)
{
	const uint64_t near = m->record ? m->start + (INT32_MAX - UINT64_C(60000000)) * 1000 : (uint64_t)m->zero;

	if (m->layout.rank < 6)
		r->start = near ? near_us((uint32_t)r->start, near) : r->start * 1000;
}

/* True if ${begin} is exactly at the end of the previous frame. */
static bool
begins_after_last(const struct data *m, uint64_t begin)
{
	return m->record && m->cpu_us && apart(begin, m->start + m->cpu_us * UINT64_C(1000)) < DATA_APART;
}

/* True if ${begin} precedes the record ${behind}, if that is known, by the duration of the frame ${r}. */
static bool
ends_before_next(const struct data *m, const struct data_record *r, const struct data_record *behind, uint64_t begin)
{
	const uint64_t end = begin + r->cpu_us * UINT64_C(1000);

	return behind && r->cpu_us && apart(end, m->layout.rank < 6 ? near_us(low_us(behind->start), end) : behind->start) < DATA_APART;
}

/*
 * True if the root of the frame ${r}, which begins at ${root}, contradicts the frame's start: in most frames so far they were equal, and the root, but not the
 * start, is where the last frame ends.
 */
static bool
is_by_root(const struct data *m, const struct data_record *r, uint64_t root)
{
	const uint64_t end = m->start + m->cpu_us * UINT64_C(1000);

	return m->record && m->cpu_us && m->nrooted > m->nunrooted && apart(root, r->start) >= MIN_OFF_ROOT_NS && apart(root, end) < NEAR_ROOT_NS &&
	    apart(r->start, end) >= MIN_OFF_ROOT_NS;
}

void
data_note_root(struct data *m, const struct data_record *r)
{
	const struct data_thread *th = &m->kept[data_find_main(m, r)];

	if (r->nthread == 0 || th->nsample < 2)
		return;
	if (apart(data_sample_begin(&m->layout, th, 0, r->start), r->start) < NEAR_ROOT_NS)
		m->nrooted++;
	else
		m->nunrooted++;
}

bool
data_start_is_wrong(const struct data *m, const struct data_record *r, const struct data_record *behind, uint64_t *begin)
{
	const uint64_t most = r->cpu_us * UINT64_C(2000) + DATA_FARTHEST;
	const struct data_thread *th = &m->kept[data_find_main(m, r)];

	if (r->nthread == 0 || th->nsample < 2)
		return false;
	*begin = data_sample_begin(&m->layout, th, 0, r->start);
	if (is_by_root(m, r, *begin) ||
	    (apart(*begin, r->start) > 10 * DATA_APART && (begins_after_last(m, *begin) || ends_before_next(m, r, behind, *begin))))
		return true;
	*begin = data_sample_begin(&m->layout, th, 1, r->start);
	const uint64_t off = apart(*begin, r->start);
	return off > most || (off > 10 * DATA_APART && begins_after_last(m, *begin));
}

bool
data_take_head(const struct data *m, const uint8_t *p, size_t n, struct data_record *r)
{
	struct data_take t = { .p = p + (n < m->layout.head ? n : m->layout.head), .end = p + n };
	uint32_t size;

	if (!data_head_at(&m->layout, p, n, &size))
		return false;
	*r = (struct data_record){ 0 };
	data_take_frame(&m->layout, &t, r);
	data_set_start(m, r);
	return !t.bad;
}

bool
data_is_apart(const struct data *m, struct data_record *r)
{
	uint64_t begin;

	data_set_start(m, r);
	return data_start_is_wrong(m, r, NULL, &begin);
}

int
data_find_zero(struct data *m, struct tt_err *err)
{
	struct data_record r, behind;
	uint64_t begin;
	const uint8_t *p;
	uint32_t size;
	size_t n;
	int rc = tt_window_show(&m->win, 0, DATA_SEGMENT, &p, &n, err);

	if (rc != TT_OK || !data_head_at(&m->layout, p, n, &size))
		return rc;
	const size_t need = m->layout.head + (size_t)size;
	if ((rc = tt_window_show(&m->win, 0, need + m->layout.head + DATA_FRAME_BYTES, &p, &n, err)) != TT_OK || n < need)
		return rc;
	if (!data_walk_any(m, p + m->layout.head, size, &r))
		return TT_OK;
	data_set_start(m, &r);
	const bool has_next = data_take_head(m, p + need, n - need, &behind);
	m->zero = (int64_t)(data_start_is_wrong(m, &r, has_next ? &behind : NULL, &begin) ? begin : r.start);
	return TT_OK;
}

/* Return the latest begin of the frame after the last one if no frame is missing in between: a frame begins at most 25 us after the end of the previous one. */
static uint64_t
latest_begin(const struct data *m)
{
	return m->start + m->cpu_us * UINT64_C(1062) + (m->cpu_us ? 50000 : 1000000);
}

/*
 * True if ${r} has the number of the frame after the last one. Before 2017.3 the field has another meaning, and only an increase of more than 1 shows a
 * difference.
 */
static bool
has_next_number(const struct data *m, const struct data_record *r)
{
	return m->layout.rank > 0 ? r->id == m->id + 1 : r->id <= m->id + UINT64_C(1);
}

/* True if the frame ${r} begins at the end of the last one. */
static bool
begins_at_end(const struct data *m, const struct data_record *r)
{
	return r->start + m->cpu_us * UINT64_C(62) + 50000 >= m->start + m->cpu_us * UINT64_C(1000) && r->start <= latest_begin(m);
}

bool
data_is_joined(const struct data *m, struct data_record r)
{
	data_set_start(m, &r);
	return m->record && begins_at_end(m, &r);
}

bool
data_is_out_of_place(const struct data *m, const struct data_record *r, const struct data_record *behind)
{
	return m->record && behind && has_next_number(m, behind) && begins_at_end(m, behind) && !begins_at_end(m, r) &&
	    (r->start < m->start || r->start > behind->start);
}

/*
 * True if recording paused before the frame ${r}, which begins later than the last one ends. The last frame's own duration is trusted if the main thread's
 * last sample begins in it, and if most frames so far, or the next one, ${behind}, begin at the end of the previous one; the duration may be too short in all
 * frames.
 */
static bool
pauses(const struct data *m, const struct data_record *r, const struct data_record *behind)
{
	return m->cpu_us && m->busy <= latest_begin(m) && m->njoined + (uint32_t)ends_before_next(m, r, behind, r->start) > m->nlater;
}

uint32_t
data_look_before(struct data *m, const struct data_record *r, const struct data_record *behind, uint64_t at)
{
	if (m->record == 0)
		return 0;
	if (m->gap)
		return DATA_P_GAP;
	if (r->start <= latest_begin(m)) {
		m->njoined += m->cpu_us && begins_at_end(m, r);
		return 0;
	}
	if (!has_next_number(m, r)) {
		tt_loss_add(&m->loss, TT_LOST_MISSING, 1, 0, at);
		return DATA_P_GAP;
	}
	const bool paused = pauses(m, r, behind);
	m->nlater++;
	/* Before 2017.3 there is no number that would prove that no frame is missing. */
	if (paused && m->layout.rank == 0)
		tt_loss_add(&m->loss, TT_LOST_PAUSED, 1, 0, at);
	return paused ? DATA_P_PAUSED : 0;
}

int
data_repeats(struct data *m, uint32_t id, uint64_t start, bool *again, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_mix(tt_seeded_mix(0, id), start);

	*again = tt_map_find(&m->at_frame, hash, i, m->frame[i].id == id && m->frame[i].start == start) != 0;
	if (*again)
		return TT_OK;
	if (tt_map_push(&m->at_frame, &m->env->mem, hash, &m->frame, &m->capframe, m->nframe, err) != TT_OK)
		return err->code;
	m->frame[m->nframe++] = (struct data_frame){ .start = start, .id = id };
	return TT_OK;
}
