/**
 * Puts definitions into the batch, and interprets definitions of markers at report time.
 */
#include "base/hash_seed.h"
#include "base/utf8.h"
#include "model/defs.h"
#include "producers/unity_units.h"
#include "unity/profiler.h"

#include <string.h>

/* Marks texts in the batch's own buffer, which are stored as offsets until the buffer stops growing. */
#define IN_BUFFER 0x80

int
unity_text_def(struct unity_run *r, struct tt_def *d, size_t at)
{
	d->text = (const char *)(uintptr_t)at;
	d->len = (uint32_t)(r->b->text.n - at);
	d->flags |= IN_BUFFER;
	return tt_batch_def(r->b, d, r->err);
}

void
unity_run_end(struct unity_run *r)
{
	struct tt_batch *b = r->b;

	if (r->locked)
		pthread_rwlock_unlock((pthread_rwlock_t *)(uintptr_t)&r->known->lock);
	r->locked = false;
	for (size_t i = 0; i < b->ndef; i++)
		if (b->def[i].flags & IN_BUFFER) {
			b->def[i].flags &= (uint8_t)~IN_BUFFER;
			b->def[i].text = b->text.p + (uintptr_t)b->def[i].text;
		}
}

/* --- markers -------------------------------------------------------------------------------------------- */

uint64_t
unity_counter_kind(const char *in, unsigned unit, const char *name, size_t n)
{
	return tt_seeded_pair(unity_unit(unit, name, n), tt_seeded_text(0, in, strlen(in)));
}

int
unity_define_counter(struct unity_run *r, uint32_t counter, enum tt_counter_unit unit, const char *name, size_t n, const char *in)
{
	struct tt_def d = { .kind = TT_DEF_COUNTER, .ts = UNITY_EVER, .key = counter, .a = TT_CF_OWN, .b = TT_COUNTER_IS(unit, TT_CK_VARIABLE),
		.text = name, .len = (uint32_t)n, .text2 = in, .len2 = (uint32_t)strlen(in) };

	return tt_batch_def(r->b, &d, r->err);
}

int
unity_define_args(struct unity_run *r, uint64_t key, size_t at)
{
	struct tt_def d = { .kind = TT_DEF_ARGS, .ts = UNITY_EVER, .key = key };

	return unity_text_def(r, &d, at);
}

void
unity_count_name(struct unity_run *r, const char *name, size_t whole)
{
	struct tt_fit_count *c = &r->b->fit;
	const size_t n = whole ? strnlen(name, whole) : 0;

	c->names++;
	c->bad_names += n + 1 < whole || !tt_utf8_is_text(name, n);
}

int
unity_define_marker(struct unity_run *r, uint64_t key, uint32_t id, unsigned flags, unsigned category, const char *name, uint32_t n,
    unsigned unit)
{
	struct tt_def d = { .kind = TT_DEF_MARKER, .ts = UNITY_EVER, .key = key, .a = UNITY_KEY_CATEGORY(r->session, category),
		.b = flags | (uint64_t)id << 32, .text = name, .len = n };
	int rc = tt_batch_def(r->b, &d, r->err);

	if (rc != TT_OK)
		return rc;
	if (flags & UNITY_MARKER_COUNTER) {
		uint32_t counter = id;
		unity_lock(r);
		unity_is_counter(r->known, r->session, id, r->seq, &counter);
		return unity_define_counter(r, counter, unity_unit(unit, name, n), name, n,
		    unity_category_name(r->known, r->session, category, r->seq, r->categories));
	}
	return n == sizeof UNITY_NAME_ALLOC - 1 && memcmp(name, UNITY_NAME_ALLOC, n) == 0 ? unity_define_alloc(r, key) : TT_OK;
}

/* --- the others ------------------------------------------------------------------------------------------- */

int
unity_define_alloc(struct unity_run *r, uint64_t key)
{
	struct tt_def d = { .kind = TT_DEF_CLASS, .ts = UNITY_EVER, .key = key, .text = UNITY_NAME_ALLOC, .len = sizeof UNITY_NAME_ALLOC - 1 };

	return tt_batch_def(r->b, &d, r->err);
}

int
unity_define_category(struct unity_run *r, unsigned id, unsigned color, const char *name, uint32_t n)
{
	struct tt_def d = { .kind = TT_DEF_CATEGORY, .ts = UNITY_EVER, .key = UNITY_KEY_CATEGORY(r->session, id), .a = unity_color_rgba(color), .b = id,
		.text = name, .len = n };

	return tt_batch_def(r->b, &d, r->err);
}

int
unity_define_code(struct unity_run *r, uint64_t start, uint64_t size, const char *name, uint32_t n)
{
	struct tt_def d = { .kind = TT_DEF_MARKER, .ts = UNITY_EVER, .key = UNITY_KEY_CODE | start, .text = name, .len = n };
	int rc;

	if (start > UNITY_ADDRESS)
		return TT_OK;
	if ((rc = tt_batch_def(r->b, &d, r->err)) != TT_OK)
		return rc;
	d.kind = TT_DEF_CODE;
	d.a = start;
	d.b = size;
	d.text = NULL;
	d.len = 0;
	return tt_batch_def(r->b, &d, r->err);
}

uint64_t
unity_code_key(struct unity_run *r, uint64_t address)
{
	struct tt_def d = { .kind = TT_DEF_MARKER, .ts = UNITY_EVER, .key = UNITY_KEY_NATIVE | (address & UNITY_ADDRESS) };
	uint64_t *seen = &r->seen[(address * 0x9E3779B97F4A7C15u) >> 58];

	unity_lock(r);
	const struct unity_code *c = unity_code_at(r->known, address, r->seq);
	if (c)
		return UNITY_KEY_CODE | c->start;
	if (*seen == address + 1)
		return d.key;
	*seen = address + 1;
	size_t at = r->b->text.n;
	tt_buf_printf(&r->b->text, "0x%llx", (unsigned long long)address);
	if (tt_buf_error(&r->b->text, r->err) != TT_OK || unity_text_def(r, &d, at) != TT_OK)
		return 0;
	return d.key;
}

/* --- at report time ------------------------------------------------------------------------------------------ */

const char *
unity_category_of(const struct tt_capture *cap, const struct tt_def *d, const char *categories)
{
	if (d->flags & TT_DEF_GPU)
		return "GPU";
	const struct tt_def *c = d->a ? tt_defs_find(cap->defs, TT_DEF_CATEGORY, d->a, INT64_MAX) : NULL;

	if (c && c->len)
		return c->text;
	return d->a && (uint32_t)d->a <= UINT16_MAX + UINT32_C(1) ? unity_category((unsigned)d->a - 1, categories) : NULL;
}

/* True if the definition has marker flags. Labels (whose owner has the flags), compiled code and GPU work have none. */
static bool
has_flags(const struct tt_def *d)
{
	return !(d->flags & (TT_DEF_LABEL | TT_DEF_GPU) || (d->key >= UNITY_KEY_LABEL && d->key < UNITY_KEY_NAMED) || d->key >= UNITY_KEY_CODE);
}

static bool
of_editor(const struct tt_def *d)
{
	return has_flags(d) && d->len && unity_is_editor(d->text, (unsigned)d->b & 0xffff);
}

static struct tt_marker_facts
facts(const struct tt_def *d)
{
	struct tt_marker_facts f = { .id = d->b >> 32 };

	if (!has_flags(d))
		return (struct tt_marker_facts){ 0 };
	unity_flag_names((unsigned)d->b & 0xffff, f.flag, sizeof f.flag / sizeof *f.flag);
	f.verbosity = unity_verbosity_name((unsigned)d->b & 0xffff);
	return f;
}

static const char *const *
arg_names(const struct tt_def *d)
{
	static const char *const label[] = { "instance_id", NULL }, *const gpu[] = { "part", NULL };

	if (d->flags & TT_DEF_GPU)
		return gpu;
	return d->flags & TT_DEF_LABEL ? label : unity_arg_names(d->text);
}

static const char *
gpu_part(unsigned section)
{
	static const char *const name[] = { "other", "opaque", "transparent", "shadows", "deferred pre-pass", "deferred lighting", "motion vectors",
		"post-process" };

	return section < sizeof name / sizeof *name ? name[section] : NULL;
}

static int
timing(const char *counter, unsigned *late)
{
	static const int8_t what[] = { [UNITY_TIMING_NONE] = -1, [UNITY_TIMING_TOTAL] = TT_TIMING_TOTAL, [UNITY_TIMING_MAIN] = TT_TIMING_MAIN,
		[UNITY_TIMING_RENDER] = TT_TIMING_RENDER, [UNITY_TIMING_GPU] = TT_TIMING_GPU };

	*late = UNITY_TIMING_DELAY;
	return what[unity_counter(counter).timing];
}

void
unity_capture(struct tt_capture *cap)
{
	cap->producer = "Unity profiler";
	cap->os = cap->arch = cap->args = "";
	cap->has_frames = true;
	cap->code_alone = true;
	cap->end_mark = -1;
	cap->records = TT_REC_ALLOCS | TT_REC_COLLECTIONS;
	cap->hides_pauses = true;
	cap->gpu_part = gpu_part;
	cap->timing = timing;
	cap->category_rgba = unity_category_rgba;
	cap->arg_names = arg_names;
	cap->marker_facts = facts;
	cap->editor = of_editor;
}
