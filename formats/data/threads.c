/**
 * Matches the threads of two records by id and names, although ids and names are reused.
 */
#include "data/data.h"

#include "base/hash_seed.h"

/* True for the thread whose name says that it marks frames; without such a thread, the first one does. */
static bool
is_main(const struct data_thread *th)
{
	return th->ngroup == 0 && th->nname == sizeof DATA_MAIN - 1 && memcmp(th->name, DATA_MAIN, th->nname) == 0;
}

uint32_t
data_find_main(const struct data *m, const struct data_record *r)
{
	for (uint32_t i = 0; i < r->nthread && i < DATA_KEPT; i++)
		if (is_main(&m->kept[i]))
			return i;
	return 0;
}

static uint64_t
stream_hash(uint64_t id, uint64_t name, uint32_t nth)
{
	return tt_seeded_mix(tt_seeded_mix(tt_seeded_mix(0, id), name), nth);
}

/* Return index + 1 of the last stream whose thread had ${id}; 0: no stream. Other streams with that id have a number made by the reader. */
static uint32_t
holder_of(const struct data *m, uint64_t id)
{
	return id ? tt_map_find(&m->holder, stream_hash(id, 0, 0), i, m->stream[i].id == id) : 0;
}

/* Add a stream whose thread has the id ${id} or, if ${numbered}, a number made by the reader. */
static int
new_stream(struct data *m, uint64_t id, uint64_t name, uint32_t nth, bool numbered, uint32_t *index, struct tt_err *err)
{
	if (tt_map_push(&m->at_stream, &m->env->mem, stream_hash(id, name, nth), &m->stream, &m->capstream, m->nstream, err) != TT_OK)
		return err->code;
	const uint64_t tid = numbered ? m->nstream + 1 + (id ? UINT64_C(1) << 63 : 0) : id;
	m->stream[m->nstream] = (struct data_stream){ .id = id, .name = name, .nth = nth, .tid = tid, .holds = numbered };
	*index = (uint32_t)m->nstream++;
	return TT_OK;
}

/* Let the thread of stream ${index} have its id from now on. The thread that had it before has ended, as the system reuses ids. */
static int
hold(struct data *m, uint32_t index, struct tt_err *err)
{
	struct data_stream *st = &m->stream[index];
	const uint64_t hash = stream_hash(st->id, 0, 0);
	const uint32_t at = holder_of(m, st->id);

	st->holds = true;
	if (!at)
		return tt_map_add(&m->holder, &m->env->mem, hash, index, err);
	if (at == index + 1)
		return TT_OK;
	tt_map_replace(&m->holder, hash, at - 1, index);
	m->stream[at - 1].holds = false;
	st->seen = false;
	st->ends = true;
	return TT_OK;
}

/*
 * Return, as index + 1, the stream with these names and number that has its id; else one that had the id and has no piece in the segment, so that it can
 * begin anew; else 0.
 */
static uint32_t
find_stream(const struct data *m, uint64_t id, uint64_t name, uint32_t nth)
{
	const uint64_t hash = stream_hash(id, name, nth);
	const uint32_t at = tt_map_find(&m->at_stream, hash, i,
	    m->stream[i].holds && m->stream[i].id == id && m->stream[i].name == name && m->stream[i].nth == nth);

	return at ? at : tt_map_find(&m->at_stream, hash, i,
	    !m->stream[i].first && m->stream[i].id == id && m->stream[i].name == name && m->stream[i].nth == nth);
}

/*
 * Find the stream of a thread of this record by its id and names. Several threads with the same id and names have a stream each. If another thread of the
 * record, or the main thread, has the thread's id, the thread gets a number made by the reader, as does a thread without an id.
 */
static int
look_up_stream(struct data *m, const struct data_thread *th, uint32_t *index, struct tt_err *err)
{
	const uint64_t name = tt_seeded_text(tt_seeded_text(1, th->group, th->ngroup), th->name, th->nname);
	uint32_t at = find_stream(m, th->id, name, 0), nth = 0;
	int rc = TT_OK;

	if (at && m->stream[at - 1].record == m->record) {
		nth = ++m->stream[at - 1].twins;
		at = find_stream(m, th->id, name, nth);
	}
	const uint32_t holder = holder_of(m, th->id);
	const bool numbered = !th->id || nth > 0 || (holder && (holder == m->main || m->stream[holder - 1].record == m->record));
	if (at && numbered && !m->stream[at - 1].holds)
		at = 0;
	*index = at - 1;
	if (!at)
		rc = new_stream(m, th->id, name, nth, numbered, index, err);
	if (rc != TT_OK)
		return rc;
	m->stream[*index].record = m->record;
	m->stream[*index].twins = 0;
	return m->stream[*index].holds ? TT_OK : hold(m, *index, err);
}

int
data_stream_of(struct data *m, uint32_t i, const struct data_thread *th, uint32_t *index, struct tt_err *err)
{
	const size_t n = (size_t)(th->sample - th->from) - 4;
	struct data_place *place = i < DATA_KEPT && n <= DATA_HEAD ? &m->place[i] : NULL;

	if (place && place->stream && place->n == n && memcmp(place->head, th->from, n) == 0) {
		struct data_stream *st = &m->stream[place->stream - 1];
		if (st->holds && st->nth == 0 && st->record != m->record) {
			*index = place->stream - 1;
			st->record = m->record;
			st->twins = 0;
			return TT_OK;
		}
	}
	int rc = look_up_stream(m, th, index, err);
	if (rc == TT_OK && place) {
		*place = (struct data_place){ .stream = *index + 1, .n = (uint32_t)n };
		memcpy(place->head, th->from, n);
	}
	return rc;
}

int
data_main_stream(struct data *m, uint32_t i, const struct data_thread *th, uint32_t *index, struct tt_err *err)
{
	if (m->main == 0 || m->stream[m->main - 1].record == m->record) {
		const int rc = data_stream_of(m, i, th, index, err);
		if (rc != TT_OK)
			return rc;
		m->main = m->main ? m->main : *index + 1;
	} else {
		*index = m->main - 1;
		m->stream[*index].record = m->record;
		m->stream[*index].twins = 0;
	}
	struct data_stream *st = &m->stream[*index];
	st->main = true;
	st->usual = st->usual || is_main(th);
	return TT_OK;
}
