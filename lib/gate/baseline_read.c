/**
 * Reads baselines, a session at a time.
 *
 * The text comes in blocks. Each session is parsed by itself as soon as its last byte has arrived, and then dropped: memory holds the longest session and what
 * is kept of all. The rest of the text, with a 0 in place of each session, is parsed at the end.
 */
#include "gate/baseline.h"

#include <string.h>

#include "base/buf.h"
#include "base/hash_seed.h"
#include "base/setting.h"
#include "base/texts.h"
#include "gate/doc.h"

#define LIST_KEY "sessions"

struct tt_baseline_reader {
	struct tt_baseline *b;
	struct tt_sample_reader sample;
	struct tt_texts texts;
	struct tt_arena *a;
	struct tt_map at;             /* finds the sessions read so far by name */
	struct tt_baseline_session *session;
	size_t nsession, cap_session;
	struct tt_sample *all;
	size_t nall, cap_all;
	struct tt_buf rest;           /* the text without sessions */
	struct tt_doc_place *place;   /* places in the file of the pieces of rest */
	size_t nplace, cap_place;
	struct tt_buf piece;          /* text of the current session */
	struct tt_doc_place start;    /* place where the current session begins in the file */
	struct tt_doc_place now;      /* place of the next byte */
	size_t depth;                 /* number of open objects and arrays */
	bool in_text, escaped;        /* inside a string; after a backslash */
	char key[sizeof LIST_KEY + 1];        /* first bytes of the last string in the root object */
	size_t nkey;
	bool after_key;               /* true: a colon followed that string */
	bool in_list;                 /* true: inside the array of sessions */
	bool in_session;
	struct tt_err first;          /* error of the first session that has one; reported unless the rest says that the version differs */
};

/* --- sessions ------------------------------------------------------------------------- */

/* Add the session name ${name}; fail if an earlier session has it. */
static int
add_name(struct tt_baseline_reader *rd, const struct tt_node_at *id, const char *name, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_text(0, name, strlen(name));

	if (tt_map_find(&rd->at, hash, i, strcmp(rd->session[i].name, name) == 0))
		return tt_doc_fail(id, false, err, "there is a session \"%s\" already", name);
	return tt_map_push(&rd->at, rd->a->mem, hash, &rd->session, &rd->cap_session, rd->nsession, err);
}

static int
read_capture(struct tt_baseline_reader *rd, const struct tt_node_at *v, const char *session, struct tt_err *err)
{
	unsigned line, column;
	int rc = tt_mem_grow(rd->a->mem, &rd->all, &rd->cap_all, rd->nall + 1, sizeof *rd->all, err);

	if (rc != TT_OK)
		return rc;
	rc = tt_sample_parse(&rd->sample, v->json, &rd->all[rd->nall], err);
	/* Look up the place only after an error, because that scans all text before it. */
	if (rc == TT_E_USAGE) {
		tt_doc_place(v, false, &line, &column);
		rc = tt_err_in(err, "%s:%u:%u", rd->b->path, line, column);
	}
	rd->all[rd->nall].session = session;
	rd->nall += rc == TT_OK;
	return rc;
}

/* Read the session ${v}, bytes ${at} to ${end} of the file. */
static int
read_session(struct tt_baseline_reader *rd, const struct tt_node_at *v, size_t at, size_t end, struct tt_err *err)
{
	struct tt_node_at id = tt_doc_member(v, "session"), list = tt_doc_member(v, "captures"), accepted = tt_doc_member(v, "accepted");
	struct tt_baseline_session of = { .first = rd->nall, .at = at, .end = end };
	int rc = tt_doc_text(&id, &of.name, err);

	TT_THEN(rc, tt_doc_text(&accepted, &of.accepted, err));
	TT_THEN(rc, tt_doc_array(&list, &of.n, err));
	if (rc != TT_OK)
		return rc;
	if (!of.name || of.n == 0)
		return tt_doc_fail(v, false, err, "a session needs its \"session\" and \"captures\"");
	rc = add_name(rd, &id, of.name, err);
	if (rc != TT_OK)
		return rc;
	rd->session[rd->nsession++] = of;
	for (size_t i = 0; i < of.n && rc == TT_OK; i++) {
		struct tt_node_at e = tt_doc_element(&list, i);

		rc = read_capture(rd, &e, of.name, err);
	}
	return rc;
}

/* Parse the complete session in rd->piece. */
static int
end_session(struct tt_baseline_reader *rd, struct tt_err *err)
{
	const struct tt_doc_place begin = { 0, rd->start.line, rd->start.column };
	struct tt_node_at root;
	struct tt_doc doc;
	int rc = tt_buf_error(&rd->piece, err);

	rd->in_session = false;
	if (rc == TT_OK && rd->first.code == TT_OK) {
		rc = tt_doc_parse_part(&doc, rd->piece.p, rd->piece.n, &begin, 1, rd->b->path, rd->a, err);
		root = tt_doc_root(&doc);
		TT_THEN(rc, read_session(rd, &root, rd->start.at, rd->start.at + rd->piece.n, err));
		tt_doc_free(&doc);
	}
	rd->piece.n = 0;
	tt_buf_add(&rd->rest, "0", 1);
	if (rc == TT_E_USAGE) {
		rd->first = *err;
		rc = TT_OK;
	}
	TT_THEN(rc, tt_mem_grow(rd->a->mem, &rd->place, &rd->cap_place, rd->nplace + 1, sizeof *rd->place, err));
	if (rc == TT_OK)
		rd->place[rd->nplace++] = (struct tt_doc_place){ rd->rest.n, rd->now.line, rd->now.column };
	return rc;
}

/* --- where sessions begin and end ---------------------------------------------------------- */

static bool
is_gap(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void
step_text(struct tt_baseline_reader *rd, char c)
{
	if (rd->escaped) {
		rd->escaped = false;
	} else if (c == '\\') {
		rd->escaped = true;
	} else if (c == '"') {
		rd->in_text = false;
		return;
	}
	if (rd->nkey < sizeof rd->key)
		rd->key[rd->nkey++] = c;
}

/* Update the nesting state with the byte ${c}. */
static void
step(struct tt_baseline_reader *rd, char c)
{
	if (rd->in_text) {
		step_text(rd, c);
	} else if (c == '"') {
		rd->in_text = true;
		rd->nkey = 0;
	} else if (c == '{' || c == '[') {
		rd->in_list |= rd->depth == 1 && c == '[' && rd->after_key && rd->nkey == strlen(LIST_KEY) && memcmp(rd->key, LIST_KEY, rd->nkey) == 0;
		rd->depth++;
	} else if (c == '}' || c == ']') {
		rd->depth -= rd->depth > 0;
		rd->in_list &= rd->depth > 1;
	}
	if (rd->depth == 1 && !rd->in_text && !is_gap(c) && c != '"')
		rd->after_key = c == ':';
}

/* True if ${c} separates elements of the list of sessions. It ends an element that is a number or a word, which has no closing byte of its own. */
static bool
is_separator(const struct tt_baseline_reader *rd, char c)
{
	return rd->in_list && rd->depth == 2 && !rd->in_text && (is_gap(c) || c == ',' || c == ']' || c == '}');
}

static void
count_place(struct tt_doc_place *p, char c)
{
	p->at++;
	if (c == '\n') {
		p->line++;
		p->column = 1;
	} else if (((unsigned char)c & 0xC0) != 0x80) {
		p->column++;
	}
}

/* Append the text from *${from} to ${p} to the session or to the rest, and advance *${from}. */
static void
add_until(struct tt_baseline_reader *rd, const char **from, const char *p)
{
	tt_buf_add(rd->in_session ? &rd->piece : &rd->rest, *from, (size_t)(p - *from));
	*from = p;
}

int
tt_baseline_feed(struct tt_baseline_reader *rd, const char *text, size_t n, struct tt_err *err)
{
	const char *from = text;
	int rc = TT_OK;

	for (const char *p = text; p < text + n && rc == TT_OK; p++) {
		const bool separator = is_separator(rd, *p);

		/* An invalid session such as a number ends at the next separator. */
		if (rd->in_session && separator) {
			add_until(rd, &from, p);
			rc = end_session(rd, err);
		}
		if (rc == TT_OK && !rd->in_session && rd->in_list && rd->depth == 2 && !separator) {
			add_until(rd, &from, p);
			rd->in_session = true;
			rd->start = rd->now;
		}
		step(rd, *p);
		count_place(&rd->now, *p);
		if (rc == TT_OK && rd->in_session && rd->depth == 2 && !rd->in_text && (*p == '}' || *p == ']' || *p == '"')) {
			add_until(rd, &from, p + 1);
			rc = end_session(rd, err);
		}
	}
	add_until(rd, &from, text + n);
	return rc == TT_OK ? tt_buf_error(&rd->rest, err) : rc;
}

/* --- the whole --------------------------------------------------------------------------- */

/* Select the samples to compare with: those of the last accepted session, and later ones. */
static void
choose_compared(struct tt_baseline *b)
{
	size_t from = b->nall_session;

	while (from > 0 && !b->session[from - 1].accepted)
		from--;
	from -= from > 0;
	b->nsession = b->nall_session - from;
	b->sample = b->all + b->session[from].first;
	b->nsample = b->nall - b->session[from].first;
}

/* Read the rest of the document, without its sessions. */
static int
read_rest(struct tt_baseline_reader *rd, const struct tt_node_at *root, struct tt_err *err)
{
	struct tt_node_at version = tt_doc_member(root, "tracetool_baseline"), list = tt_doc_member(root, LIST_KEY),
	    settings = tt_doc_member(root, "settings");
	size_t n;
	int rc;

	if (!version.json)
		return tt_doc_fail(root, false, err, "no baseline: \"tracetool_baseline\": 1 is missing");
	if (!json_is_integer(version.json) || json_integer_value(version.json) != 1)
		return tt_doc_fail(&version, false, err, "this tracetool reads baselines of version 1 only: save it again");
	rd->b->settings = "";
	rc = tt_doc_text(&settings, &rd->b->settings, err);
	TT_THEN(rc, tt_doc_array(&list, &n, err));
	if (rc != TT_OK)
		return rc;
	if (rd->first.code != TT_OK) {
		*err = rd->first;
		return err->code;
	}
	if (rd->nsession == 0)
		return tt_doc_fail(root, false, err, "no session in this baseline: save it again with %s",
		    tt_setting_name[TT_SETTING_SAVE]);
	return TT_OK;
}

/* Move the lists of sessions and samples, now complete, to the arena. */
static int
keep_lists(struct tt_baseline_reader *rd, struct tt_err *err)
{
	struct tt_baseline *b = rd->b;

	b->session = tt_arena_alloc(rd->a, rd->nsession * sizeof *b->session, err);
	b->all = b->session ? tt_arena_alloc(rd->a, (rd->nall + 1) * sizeof *b->all, err) : NULL;
	if (!b->all)
		return err->code;
	memcpy(b->session, rd->session, rd->nsession * sizeof *b->session);
	if (rd->nall)
		memcpy(b->all, rd->all, rd->nall * sizeof *b->all);
	b->nall_session = rd->nsession;
	b->nall = rd->nall;
	choose_compared(b);
	return TT_OK;
}

static int
finish(struct tt_baseline_reader *rd, struct tt_err *err)
{
	struct tt_node_at root;
	struct tt_doc doc;
	int rc = TT_OK;

	/* The text ends within a session: parse it, so that the error tells where. */
	if (rd->in_session)
		rc = end_session(rd, err);
	TT_THEN(rc, tt_doc_parse_part(&doc, rd->rest.n ? rd->rest.p : "", rd->rest.n, rd->place, rd->nplace, rd->b->path, rd->a, err));
	if (rc == TT_E_USAGE && rd->first.code != TT_OK) {
		*err = rd->first;
		return err->code;
	}
	if (rc != TT_OK)
		return rc;
	root = tt_doc_root(&doc);
	rc = read_rest(rd, &root, err);
	tt_doc_free(&doc);
	return rc == TT_OK ? keep_lists(rd, err) : rc;
}

int
tt_baseline_begin(struct tt_baseline_reader **reader, const char *path, const struct tt_budget *budget, enum tt_sample_detail detail, struct tt_baseline *b,
    struct tt_arena *a, struct tt_err *err)
{
	struct tt_baseline_reader *rd = tt_mem_alloc(a->mem, sizeof *rd, err);
	const size_t n = detail == TT_SAMPLE_JUDGED ? budget->njudged : budget->nmeasure;

	*b = (struct tt_baseline){ .path = rd ? tt_arena_text(a, path, strlen(path), err) : NULL };
	*reader = rd;
	if (!rd)
		return err->code;
	*rd = (struct tt_baseline_reader){ .b = b, .a = a, .texts = { .a = a }, .now = { 0, 1, 1 } };
	rd->sample = (struct tt_sample_reader){ .x = budget->measure, .n = n, .detail = detail, .texts = &rd->texts, .a = a };
	if (b->path && tt_mem_grow(a->mem, &rd->place, &rd->cap_place, 1, sizeof *rd->place, err) == TT_OK) {
		rd->place[rd->nplace++] = rd->now;
		return TT_OK;
	}
	tt_baseline_end(reader, false, err);
	return err->code;
}

int
tt_baseline_end(struct tt_baseline_reader **reader, bool whole, struct tt_err *err)
{
	struct tt_baseline_reader *rd = *reader;
	int rc = rd && whole ? finish(rd, err) : TT_OK;

	*reader = NULL;
	if (!rd)
		return rc;
	tt_map_free(&rd->at, rd->a->mem);
	tt_texts_free(&rd->texts);
	tt_mem_free(rd->a->mem, rd->session, rd->cap_session * sizeof *rd->session);
	tt_mem_free(rd->a->mem, rd->all, rd->cap_all * sizeof *rd->all);
	tt_mem_free(rd->a->mem, rd->place, rd->cap_place * sizeof *rd->place);
	tt_buf_free(&rd->rest);
	tt_buf_free(&rd->piece);
	tt_mem_free(rd->a->mem, rd, sizeof *rd);
	return rc;
}

int
tt_baseline_parse(const char *text, size_t n, const char *path, const struct tt_budget *budget, enum tt_sample_detail detail, struct tt_baseline *b,
    struct tt_arena *a, struct tt_err *err)
{
	struct tt_baseline_reader *rd;
	int rc = tt_baseline_begin(&rd, path, budget, detail, b, a, err);

	b->text = text;
	b->ntext = n;
	TT_THEN(rc, tt_baseline_feed(rd, text, n, err));
	return rc == TT_OK ? tt_baseline_end(&rd, true, err) : (tt_baseline_end(&rd, false, err), rc);
}
