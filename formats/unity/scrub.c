/**
 * Chooses the words of texts that stay in a copy without names: those that Unity or tracetool defines.
 */
#include "unity/scrub.h"

#include <string.h>

#include "base/utf8.h"
#include "model/names.h"
#include "producers/unity_markers.h"

/* --- what stays ---------------------------------------------------------------------------------------------- */

static bool
stays(const char *name)
{
	return strcmp(name, UNITY_MAIN_THREAD) == 0 || unity_is_editor(name, 0) || unity_role(name) != UNITY_PLAIN || unity_counter(name).builtin ||
	    unity_arg_names(name) || unity_is_category(name) || unity_is_published(name);
}

/* Set for each of the ${n} bytes of s->text whether it stays. */
static void
find_meaning(struct tt_scrub *s, size_t n)
{
	s->text[n] = '\0';
	memset(s->keep, 0, n * sizeof *s->keep);
	if (strlen(s->text) == n && stays(s->text)) {
		memset(s->keep, true, n * sizeof *s->keep);
		return;
	}
	tt_name_meaning(s->text, s->keep);
	const size_t group = unity_published_group(s->text);
	memset(s->keep, true, group * sizeof *s->keep);
	const size_t end = unity_counter_end(s->text), len = strlen(s->text);
	memset(s->keep + len - end, true, end * sizeof *s->keep);
}

int
unity_scrub_text(struct tt_scrub *s, uint8_t *p, size_t n, struct tt_err *err)
{
	if (n == 0 || tt_scrub_again(s, p, n))
		return TT_OK;
	int rc = tt_scrub_room(s, n, err);
	if (rc != TT_OK)
		return rc;
	memcpy(s->text, p, n);
	find_meaning(s, n);
	TT_THEN(rc, tt_scrub_words(s, p, n, s->keep, err));
	TT_THEN(rc, tt_scrub_keep(s, s->text, p, n, err));
	return rc;
}

int
unity_scrub_thread(struct tt_scrub *s, uint8_t *group, size_t ngroup, uint8_t *name, size_t nname, struct tt_err *err)
{
	int rc;

	if (ngroup == 0)
		return unity_scrub_text(s, name, nname, err);
	/* Group and name together are the name of the marker of the thread's frames, "Group.Name". */
	if ((rc = tt_scrub_room(s, ngroup + 1 + nname, err)) != TT_OK)
		return rc;
	memcpy(s->text, group, ngroup);
	s->text[ngroup] = '.';
	if (nname)
		memcpy(s->text + ngroup + 1, name, nname);
	find_meaning(s, ngroup + 1 + nname);
	rc = tt_scrub_words(s, group, ngroup, s->keep, err);
	return rc == TT_OK ? tt_scrub_words(s, name, nname, s->keep + ngroup + 1, err) : rc;
}

/* Write the UTF-8 of ${n} bytes at ${text} back, as UTF-16, to the ${size} bytes at ${p} from which it came. */
static void
put_wide(uint8_t *p, size_t size, const char *text, size_t n)
{
	for (size_t i = 0, k = 0, len; i < n && (len = tt_utf8_len(text + i, n - i)) > 0; i += len) {
		const uint32_t c = tt_utf8_code(text + i, len), high = 0xd800 + ((c - 0x10000) >> 10), low = 0xdc00 | (c & 0x3ff);
		const uint32_t unit[2] = { c < 0x10000 ? c : high, low };
		for (unsigned u = 0; u < 1 + (c >= 0x10000) && k + 2 <= size; u++) {
			p[k++] = (uint8_t)unit[u];
			p[k++] = (uint8_t)(unit[u] >> 8);
		}
	}
}

/* Scrub UTF-16 text as UTF-8, because the same name may also occur in UTF-8. */
static int
scrub_wide(struct tt_scrub *s, uint8_t *p, size_t n, struct tt_err *err)
{
	struct tt_buf text = { .cap = 0 };
	int rc = tt_utf8_from16(&text, p, n, err);

	/* An odd last byte is not text. */
	if (n % 2)
		p[n - 1] = 0;
	TT_THEN(rc, unity_scrub_text(s, (uint8_t *)text.p, text.n, err));
	if (rc == TT_OK)
		put_wide(p, n, text.p, text.n);
	tt_buf_free(&text);
	return rc;
}

/* --- numbers -------------------------------------------------------------------------------------------------- */

static inline bool
may_be_text(uint8_t c)
{
	return c >= 0x20 && c != 0x7f;
}

/* True if most of the ${n} bytes at ${p} are letters, digits or bytes beyond ASCII. */
static bool
has_words(const uint8_t *p, size_t n)
{
	size_t nletters = 0;

	for (size_t i = 0; i < n; i++)
		nletters += p[i] >= 0x80 || (p[i] | 0x20u) - 'a' < 26 || p[i] - (unsigned)'0' < 10;
	return 2 * nletters > n;
}

/* Return the offset of the first possible text of at least ${min} bytes among the ${n} at ${p}, from byte ${i} on, or ${n}; *${end}: its end. */
static size_t
find_run(const uint8_t *p, size_t n, size_t i, size_t min, size_t *end)
{
	while (i + min <= n) {
		size_t k = i + min;
		for (; k > i && may_be_text(p[k - 1]); k--)
			;
		if (k == i) {
			for (k = i + min; k < n && may_be_text(p[k]); k++)
				;
			*end = k;
			return i;
		}
		i = k;
	}
	return n;
}

static inline bool
is_wide(const uint8_t *p)
{
	return may_be_text(p[0]) && p[0] < 0x80 && p[1] == 0;
}

/* Do the same for characters of two bytes, at even or odd offsets. */
static size_t
find_wide_run(const uint8_t *p, size_t n, size_t i, size_t min, size_t *end)
{
	while (i + min <= n) {
		const uint8_t *const last = p + i + min - 2;
		if ((last[0] == 0) == (last[1] == 0)) {
			i += min - 1;
			continue;
		}
		size_t k = i;
		for (; k + 2 <= n && is_wide(p + k); k += 2)
			;
		if (k - i >= min) {
			*end = k;
			return i;
		}
		i++;
	}
	return n;
}

/* Scrub the ${n} bytes at ${p}: text in the place of numbers. */
static int
scrub_run(struct tt_scrub *s, uint8_t *p, size_t n, struct tt_err *err)
{
	int rc = tt_scrub_room(s, n, err);

	if (rc != TT_OK)
		return rc;
	memset(s->keep, 0, n * sizeof *s->keep);
	s->done->nmisplaced_bytes += n;
	return tt_scrub_words(s, p, n, s->keep, err);
}

/* Scrub the text among the ${n} bytes at ${p}, which contain no control characters; damage may have put bytes there that are not UTF-8. */
static int
scrub_narrow(struct tt_scrub *s, uint8_t *p, size_t n, size_t min, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0, k, len; i < n && rc == TT_OK; i = k + 1) {
		for (k = i; k < n && (len = tt_utf8_len((const char *)p + k, n - k)) > 0; k += len)
			;
		if (k - i >= min && (s->done->is_damaged || has_words(p + i, k - i)))
			rc = scrub_run(s, p + i, k - i, err);
	}
	return rc;
}

static int
scrub_wide_run(struct tt_scrub *s, uint8_t *p, size_t n, struct tt_err *err)
{
	struct tt_buf text = { .cap = 0 };
	int rc = tt_utf8_from16(&text, p, n, err);

	if (rc == TT_OK && (s->done->is_damaged || has_words((const uint8_t *)text.p, text.n)))
		rc = scrub_run(s, (uint8_t *)text.p, text.n, err);
	if (rc == TT_OK)
		put_wide(p, n, text.p, text.n);
	tt_buf_free(&text);
	return rc;
}

/* Scrub texts of at least ${min} bytes of UTF-8, or ${wide} bytes of UTF-16, among the ${n} bytes at ${p}. */
static int
scrub_texts(struct tt_scrub *s, uint8_t *p, size_t n, size_t min, size_t wide, struct tt_err *err)
{
	size_t end = 0;
	int rc = TT_OK;

	for (size_t i = 0; rc == TT_OK && (i = find_run(p, n, i, min, &end)) < n; i = end)
		rc = scrub_narrow(s, p + i, end - i, min, err);
	for (size_t i = 0; rc == TT_OK && (i = find_wide_run(p, n, i, wide, &end)) < n; i = end)
		rc = scrub_wide_run(s, p + i, end - i, err);
	return rc;
}

int
unity_scrub_numbers(struct tt_scrub *s, uint8_t *p, size_t n, enum unity_numbers kind, struct tt_err *err)
{
	enum { MIN_WIDE_UNDAMAGED = 16 };
	static const struct { uint8_t damaged, undamaged; } min[] = { [UNITY_COUNTS] = { 6, 12 }, [UNITY_WIDE] = { 7, 12 }, [UNITY_STACK] = { 7, 20 },
		[UNITY_STACK_32] = { 12, 32 }, [UNITY_UNREAD] = { 6, 20 } };

	return s->done->is_damaged ? scrub_texts(s, p, n, min[kind].damaged, 2u * min[kind].damaged, err) :
	    scrub_texts(s, p, n, min[kind].undamaged, MIN_WIDE_UNDAMAGED, err);
}

/* Scrub an id of a marker if it is text: ids are dense, so an id of four characters belongs to no defined marker. */
int
unity_scrub_id(struct tt_scrub *s, uint8_t *p, struct tt_err *err)
{
	return s->done->is_damaged ? scrub_texts(s, p, 4, 4, 8, err) : TT_OK;
}

/* Scrub a number of a value if it is text; for floats any bytes are a number. */
static int
scrub_number(struct tt_scrub *s, unsigned type, uint8_t *p, size_t n, struct tt_err *err)
{
	const size_t min = type == UNITY_V_F64 || type == UNITY_V_VEC3 ? n : 7;

	return s->done->is_damaged && n >= 8 ? scrub_texts(s, p, n, min, 2 * min, err) : TT_OK;
}

int
unity_scrub_value(struct tt_scrub *s, unsigned type, uint8_t *p, size_t n, struct tt_err *err)
{
	if (type == UNITY_V_TEXT)
		return unity_scrub_text(s, p, n, err);
	if (type == UNITY_V_TEXT16)
		return scrub_wide(s, p, n, err);
	if (n && unity_value_size(type) != n)
		memset(p, 0, n);
	return scrub_number(s, type, p, n, err);
}
