/**
 * Chooses the words of texts that stay in a copy without names: those that Unity or tracetool gives.
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
	/* Together they are the name of the marker of the thread's frames, "Group.Name". */
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

/* Put the UTF-8 of ${n} bytes at ${text} back, as UTF-16, to the ${size} bytes at ${p} that it came from. */
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

/* The same name may also be there in UTF-8, so it is scrubbed as that. */
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

int
unity_scrub_value(struct tt_scrub *s, unsigned type, uint8_t *p, size_t n, struct tt_err *err)
{
	if (type == UNITY_V_TEXT)
		return unity_scrub_text(s, p, n, err);
	if (type == UNITY_V_TEXT16)
		return scrub_wide(s, p, n, err);
	if (n && unity_value_size(type) != n)
		memset(p, 0, n);
	return TT_OK;
}
