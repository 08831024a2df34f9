/**
 * Reads the records of thread 0, the recorder itself, that the reader needs to find chunks: on chunks, threads, the clock and the capture. ttc_define.c
 * decodes its definitions together with events.
 */
#include "ttc/ttc.h"

#include <stdlib.h>

#include "producers/mono_records.h"
#include "producers/mono.h"
#include "producers/unity.h"

/* Report that ${n} methods lack counts so far. */
static void
shared(struct ttc *m, uint64_t n, struct tt_loss *loss)
{
	if (n > m->nshared) {
		tt_loss_add(loss, TT_LOST_SHARED, n - m->nshared, 0, TT_NOWHERE);
		m->nshared = n;
	}
}

/* Take in a fact about the capture. */
static int
fact(struct ttc *m, struct ttc_take *f, struct tt_loss *loss, struct tt_err *err)
{
	struct tt_capture *cap = m->first_file->cap;
	char key[128];
	const uint8_t *name, *is;
	const char *value;
	size_t len, n;

	ttc_number(f);
	name = ttc_text(f, &len);
	is = ttc_text(f, &n);
	if (f->bad || len == 0 || len >= sizeof key)
		return TT_OK;
	memcpy(key, name, len);
	key[len] = '\0';
	value = tt_arena_text(&cap->arena, (const char *)is, n, err);
	if (value && strcmp(key, MONO_RECORDS) == 0)
		cap->records = mono_module_records(value);
	if (value && strcmp(key, MONO_SHARED) == 0)
		shared(m, strtoull(value, NULL, 10), loss);
	return value ? tt_capture_meta(cap, key, value, err) : err->code;
}

/* Take in the final account of a thread: the number of its next chunk, and the bytes of its last one. */
static int
account(struct ttc *m, struct ttc_take *f, struct tt_loss *loss, struct tt_err *err)
{
	uint32_t n = (uint32_t)ttc_number(f);
	uint64_t seq = ttc_number(f), end = ttc_number(f);

	ttc_number(f);
	uint64_t dropped = ttc_number(f);
	if (f->bad)
		return TT_OK;
	struct ttc_who *w = ttc_who(m, n, err);
	if (!w)
		return err->code;
	w->has_account = true;
	w->last_seq = seq;
	w->last_end = end;
	ttc_count_drops(w, dropped, loss);
	return TT_OK;
}

/* Return the number at the begin of a recorder's warning: how many things it is about. */
static uint64_t
noted(const uint8_t *text, size_t len)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len && i < 18 && text[i] >= '0' && text[i] <= '9'; i++)
		n = n * 10 + (uint64_t)(text[i] - '0');
	return n ? n : 1;
}

/* Take in a thread: its identity, and the chunk with which it starts. */
static int
thread_starts(struct ttc *m, struct ttc_take *f, struct tt_err *err)
{
	const uint32_t id = (uint32_t)ttc_number(f);
	const uint64_t native = ttc_number(f);

	ttc_number(f);
	ttc_number(f);
	const uint64_t seq = ttc_number(f);
	const uint32_t first = (uint32_t)ttc_number(f);
	if (f->bad)
		return TT_OK;
	struct ttc_who *w = ttc_who(m, id, err);
	if (!w)
		return err->code;
	w->is_defined = true;
	w->native_id = native;
	return ttc_start_add(m, w, seq, first, err);
}

/* Take in the number of events that a thread has dropped so far. */
static int
drops(struct ttc *m, struct ttc_take *f, struct tt_loss *loss, struct tt_err *err)
{
	const uint32_t id = (uint32_t)ttc_number(f);
	const uint64_t n = ttc_number(f);
	struct ttc_who *w = f->bad ? NULL : ttc_who(m, id, err);

	if (w)
		ttc_count_drops(w, n, loss);
	return w || f->bad ? TT_OK : err->code;
}

/* Take in the end of the recording, with the final accounts of all threads. */
static int
finish(struct ttc *m, struct ttc_take *f, struct tt_loss *loss, struct tt_err *err)
{
	const unsigned how = ttc_byte(f);
	int rc = TT_OK;

	if (!f->bad)
		m->finish = 1 + (int)how;
	for (uint64_t n = ttc_number(f); n > 0 && !f->bad && rc == TT_OK; n--)
		rc = account(m, f, loss, err);
	return rc;
}

/* Take in a warning of the recorder. */
static void
note(const struct ttc *m, struct ttc_take *f, struct tt_loss *loss)
{
	size_t len;
	const uint8_t *text = ttc_text(f, &len);

	if (f->bad)
		return;
	tt_log(m->env, TT_LOG_NORMAL, "%s: the recorder says: %.*s", m->cap->path, (int)len, (const char *)text);
	tt_loss_add(loss, TT_LOST_NOTED, noted(text, len), 0, TT_NOWHERE);
}

/* Take in which thread has the frames. */
static int
frames_of(struct ttc *m, struct ttc_take *f, struct tt_err *err)
{
	ttc_number(f);
	const uint32_t id = (uint32_t)ttc_number(f);
	struct ttc_who *w = f->bad ? NULL : ttc_who(m, id, err);

	if (w)
		w->marks_frames = true;
	return w || f->bad ? TT_OK : err->code;
}

/* Take in an instant on the recording's clock and the system's clocks. */
static void
clock_rate(struct ttc *m, struct ttc_take *f)
{
	const uint64_t time = ttc_number(f), mono_ns = ttc_number(f);

	ttc_number(f);
	if (!f->bad)
		ttc_rate_add(&m->rate, &m->head, time, mono_ns);
}

/* Take in a dump of a flight recording: its span, and whether that is what was asked for. */
static int
dump(struct ttc *m, struct ttc_take *f, struct tt_loss *loss, struct tt_err *err)
{
	const uint64_t from = ttc_number(f), to = ttc_number(f);
	const bool less = !f->bad && f->p < f->end;
	const uint64_t asked = less ? ttc_number(f) : 0, held = less ? ttc_number(f) : 0, room = less ? ttc_number(f) : 0;

	if (f->bad)
		return TT_OK;
	if (less)
		tt_loss_note_flight(loss, held, asked, room);
	int rc = tt_mem_grow(&m->env->mem, &m->dump, &m->capdump, m->ndump + 1, sizeof *m->dump, err);
	if (rc == TT_OK)
		m->dump[m->ndump++] = (struct ttc_dump){ from, to };
	return rc;
}

/* Take in a record of thread 0, as far as it concerns chunks. *${defines}: true if it is a definition, which is decoded with the events. */
static int
heed(struct ttc *m, unsigned kind, struct ttc_take *f, uint64_t at, bool *defines, struct tt_loss *loss, struct tt_err *err)
{
	int rc = TT_OK;

	switch (kind) {
	case TTC_THREAD:
		rc = thread_starts(m, f, err);
		break;
	case TTC_DROPS:
		rc = drops(m, f, loss, err);
		break;
	case TTC_GONE:
		rc = account(m, f, loss, err);
		break;
	case TTC_FINISH:
		rc = finish(m, f, loss, err);
		break;
	case TTC_NOTE:
		note(m, f, loss);
		break;
	case TTC_DEF_FRAMES:
		rc = frames_of(m, f, err);
		break;
	case TTC_CLOCK:
		clock_rate(m, f);
		break;
	case TTC_DUMP:
		rc = dump(m, f, loss, err);
		break;
	case TTC_META:
		*defines = true;
		return fact(m, f, loss, err);
	default:
		ttc_note_definition(m, kind, f->p, f->end);
		*defines = true;
		return TT_OK;
	}
	/* Damage in definitions is reported where they are decoded. */
	if (f->bad)
		tt_loss_add(loss, TT_LOST_DAMAGED, 1, 0, at);
	return rc;
}

void
ttc_note_definition(struct ttc *m, unsigned kind, const uint8_t *p, const uint8_t *end)
{
	struct ttc_take f = { .p = p, .end = end };
	const uint8_t *name;
	uint64_t key;
	size_t n;

	if (kind != TTC_DEF_MARKER)
		return;
	ttc_number(&f);
	key = ttc_number(&f);
	for (int i = 0; i < 3; i++)
		ttc_number(&f);
	name = ttc_text(&f, &n);
	if (n == sizeof UNITY_NAME_COLLECT - 1 && memcmp(name, UNITY_NAME_COLLECT, n) == 0)
		atomic_store_explicit(&m->first_file->collect, key, memory_order_relaxed);
}

int
ttc_read_own_chunk(struct ttc *m, const uint8_t *chunk, const struct ttc_unit *u, bool *defines, struct tt_loss *loss,
    struct tt_err *err)
{
	struct ttc_take t = { .p = chunk + TTC_CHUNK_HEAD + u->state, .end = chunk + TTC_CHUNK_HEAD + u->len };
	int rc = TT_OK;

	*defines = false;
	if (m->zero_seen ? u->seq != m->zero_seq || u->before != m->zero_end : u->seq != 0) {
		tt_loss_add(loss, TT_LOST_MISSING, 1, 0, u->at);
		if (m->zero_seen && u->seq < m->zero_seq)
			return TT_OK;         /* repeated */
	}
	m->zero_seen = true;
	m->zero_seq = u->seq + 1;
	m->zero_end = u->end;
	while (t.p < t.end && rc == TT_OK) {
		struct ttc_take f;
		unsigned kind;
		if (!ttc_take_other(&t, &kind, &f)) {
			*defines = true;      /* decode it there, so that it is reported */
			break;
		}
		rc = heed(m, kind, &f, u->at, defines, loss, err);
	}
	return rc;
}
