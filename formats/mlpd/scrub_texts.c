/**
 * Chooses the words in an .mlpd capture's texts that stay in a copy without names.
 */
#include "mlpd/mlpd_scrub.h"

#include "base/hash_seed.h"
#include "model/names.h"
#include "producers/mono_names.h"

/* --- whose classes are ------------------------------------------------------------------------------------------ */

/* Return the length of a name of ${n} bytes at ${s} without the suffix of an assembly's file. */
static size_t
without_suffix(const char *s, size_t n)
{
	return n > 4 && (memcmp(s + n - 4, ".dll", 4) == 0 || memcmp(s + n - 4, ".exe", 4) == 0) ? n - 4 : n;
}

/* Return the offset of the file's name in the path of ${n} bytes at ${s}. */
static size_t
base_of(const char *s, size_t n)
{
	while (n > 0 && s[n - 1] != '/' && s[n - 1] != '\\')
		n--;
	return n;
}

static int
take_image(struct mlpd_owners *o, struct tt_mem *mem, const struct tt_def *d, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_mix(0, d->key);
	uint32_t at = tt_map_find(&o->image, hash, i, o->images[i].key == d->key);
	const size_t base = base_of(d->text, d->len);
	const bool own = mono_is_own_assembly(d->text + base, without_suffix(d->text + base, d->len - base));

	if (!at) {
		if (tt_map_push(&o->image, mem, hash, &o->images, &o->capimage, o->nimage, err) != TT_OK)
			return err->code;
		o->images[o->nimage] = (struct mlpd_image){ .key = d->key };
		at = (uint32_t)++o->nimage;
	}
	o->images[at - 1].own |= own;
	o->images[at - 1].other |= !own;
	return TT_OK;
}

static uint64_t
class_hash(const char *s, size_t n)
{
	char name[MLPD_CLASS_NAME_BYTES];
	const size_t len = mlpd_plain_class(name, sizeof name, s, n);

	return tt_seeded_text(len, name, len);
}

int
mlpd_owners_take(struct mlpd_owners *o, struct tt_mem *mem, const struct tt_batch *b, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < b->ndef && rc == TT_OK; i++) {
		const struct tt_def *d = &b->def[i];
		if (d->kind == TT_DEF_IMAGE && d->len > 0)
			rc = take_image(o, mem, d, err);
		if (d->kind != TT_DEF_CLASS || d->len == 0)
			continue;
		rc = tt_mem_grow(mem, &o->classes, &o->capclass, o->nclass + 1, sizeof *o->classes, err);
		if (rc == TT_OK)
			o->classes[o->nclass++] = (struct mlpd_class){ class_hash(d->text, d->len), d->a };
	}
	return rc;
}

int
mlpd_owners_find(struct mlpd_owners *o, struct tt_mem *mem, struct tt_err *err)
{
	for (size_t k = 0; k < o->nclass; k++) {
		const struct mlpd_class *c = &o->classes[k];
		const uint32_t image = tt_map_find(&o->image, tt_seeded_mix(0, c->image), i, o->images[i].key == c->image);
		uint32_t at = image ? tt_map_find(&o->owner, c->name, i, o->owners[i].name == c->name) : 0;
		if (!image)
			continue;
		if (!at) {
			if (tt_map_push(&o->owner, mem, c->name, &o->owners, &o->capowner, o->nowner, err) != TT_OK)
				return err->code;
			o->owners[o->nowner] = (struct mlpd_owner){ .name = c->name };
			at = (uint32_t)++o->nowner;
		}
		o->owners[at - 1].own |= o->images[image - 1].own;
		o->owners[at - 1].other |= o->images[image - 1].other;
	}
	return TT_OK;
}

void
mlpd_owners_free(struct mlpd_owners *o, struct tt_mem *mem)
{
	tt_map_free(&o->image, mem);
	tt_map_free(&o->owner, mem);
	tt_mem_free(mem, o->images, o->capimage * sizeof *o->images);
	tt_mem_free(mem, o->owners, o->capowner * sizeof *o->owners);
	tt_mem_free(mem, o->classes, o->capclass * sizeof *o->classes);
}

/* True if the class or type of ${n} bytes at ${s} does not belong to the program, according to its definition or, without one, to its namespace. */
static bool
is_own_class(const struct mlpd_owners *o, const char *s, size_t n)
{
	char name[MLPD_CLASS_NAME_BYTES];
	const size_t len = mlpd_plain_class(name, sizeof name, s, n);
	const uint64_t hash = tt_seeded_text(len, name, len);
	const uint32_t at = tt_map_find(&o->owner, hash, i, o->owners[i].name == hash);

	if (at)
		return o->owners[at - 1].own && !o->owners[at - 1].other;
	return mono_is_in_own_namespace(name, len) || mono_is_type_word(s, n);
}

/* --- classes and methods ---------------------------------------------------------------------------------------- */

static void
mark(bool *keep, size_t from, size_t to)
{
	memset(keep + from, true, (to - from) * sizeof *keep);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* Return the end of the type whose name begins at byte ${i} of ${s}: "System.Foo`1/<Bar>d__3". */
static size_t
type_end(const char *s, size_t i, size_t to)
{
	for (const size_t from = i; i < to; i++) {
		const bool made = s[i] == '<' && (i == from || s[i - 1] == '.' || s[i - 1] == '/');
		if (made)
			i += strcspn(s + i, ">");
		else if (!is_letter(s[i]) && !is_digit(s[i]) && (uint8_t)s[i] < 0x80 && !strchr("._`/+$-", s[i]))
			break;
	}
	return i < to ? i : to;
}

/* Mark types in ${s} from byte ${from} to ${to} that do not belong to the program. */
static void
mark_types(const struct mlpd_owners *o, const char *s, size_t from, size_t to, bool *keep)
{
	for (size_t end; from < to; from = end > from ? end : from + 1) {
		end = type_end(s, from, to);
		if (end > from && is_own_class(o, s + from, end - from))
			mark(keep, from, end);
	}
}

/*
 * Mark what the compiler writes into names: numbers of type parameters, "`2"; and the kinds of generated types and methods, "<Update>d__3",
 * "<>c__DisplayClass3_0", ".cctor".
 */
static void
mark_made(const char *s, size_t n, bool *keep)
{
	static const char display[] = "DisplayClass";

	for (size_t i = 0; i < n; i++) {
		size_t end = i + 1;
		if (s[i] == '`') {
			end += strspn(s + end, "0123456789");
		} else if (s[i] == '>' && s[end] >= 'a' && s[end] <= 'z' && strncmp(s + end + 1, "__", 2) == 0) {
			end += 3;
			if (strncmp(s + end, display, sizeof display - 1) == 0)
				end += sizeof display - 1;
			end += strspn(s + end, "0123456789_");
		} else if (s[i] == '.' && strncmp(s + end, "cctor", 5) == 0 && !is_letter(s[end + 5]) && !is_digit(s[end + 5])) {
			end += 5;
		} else {
			continue;
		}
		mark(keep, i, end < n ? end : n);
	}
}

/*
 * Mark the class of a meaningful pattern "Class:Method", if the class at bytes ${from} to ${to} of ${s} ends with it, so that its definition is treated the
 * same.
 */
static void
mark_class_of_patterns(const char *s, size_t from, size_t to, bool *keep)
{
	for (const struct tt_known_names *k = tt_known_names; k->list; k++) {
		for (const char *const *part = k->list; *part; part++) {
			const char *colon = strchr(*part, ':');
			const size_t n = colon ? (size_t)(colon - *part) : 0;
			if (n > 0 && n <= to - from && memcmp(s + to - n, *part, n) == 0 && (n == to - from || !is_letter(s[to - n - 1])))
				mark(keep, to - n, to);
		}
	}
}

/*
 * Mark the parts that stay of the class at bytes ${from} to ${to} of s->text, after which a colon may be written. Nothing else matters, so that the class is
 * scrubbed alike in its own definition and in the names of its methods.
 */
static void
mark_class(struct tt_scrub *s, const struct mlpd_owners *o, size_t from, size_t to)
{
	const char old[2] = { s->text[to], s->text[to] ? s->text[to + 1] : '\0' };

	memset(s->keep + from, 0, (to - from) * sizeof *s->keep);
	s->text[to] = ':';
	s->text[to + 1] = '\0';
	tt_name_meaning(s->text + from, s->keep + from);
	s->text[to] = old[0];
	if (old[0])
		s->text[to + 1] = old[1];
	mark_types(o, s->text, from, to, s->keep);
	mark_class_of_patterns(s->text, from, to, s->keep);
	mark_made(s->text + from, to - from, s->keep + from);
}

/* Return the end of the name of a method that begins at byte ${i} of ${s}, before its type arguments and parameters. */
static size_t
method_end(const char *s, size_t i, size_t to)
{
	for (const size_t from = i; i < to && s[i] != ' ' && s[i] != '(' && (s[i] != '<' || i == from || s[i - 1] == '.'); i++)
		if (s[i] == '<')
			i += strcspn(s + i, ">") < to - i ? strcspn(s + i, ">") : 0;
	return i < to ? i : to;
}

/* True if the ${n} bytes at ${s} are "(wrapper KIND) ". */
static bool
is_wrapper(const char *s, size_t n)
{
	static const char first[] = "(wrapper ";

	if (n <= sizeof first || memcmp(s, first, sizeof first - 1) != 0)
		return false;
	for (size_t i = sizeof first - 1; i + 2 < n; i++)
		if (s[i] != '-' && (s[i] < 'a' || s[i] > 'z'))
			return false;
	return true;
}

/* Mark the parts that stay of "(wrapper KIND) Namespace.Class/Nested:Method<Type> (types)". */
static void
mark_method(struct tt_scrub *s, const struct mlpd_owners *o, size_t n)
{
	size_t from = tt_name_wrapper(s->text), to;
	const char *colon;

	tt_name_meaning(s->text, s->keep);
	if (!is_wrapper(s->text, from))
		from = 0;
	mark(s->keep, 0, from);
	colon = strchr(s->text + from, ':');
	if (!colon) {
		mark_types(o, s->text, from, n, s->keep);
		mark_made(s->text, n, s->keep);
		return;
	}
	to = (size_t)(colon - s->text);
	mark_class(s, o, from, to);
	const size_t name = to + 1, end = method_end(s->text, name, n);
	/* The runtime puts methods that a program makes at run time into a class of the runtime, with the program's name. */
	const bool is_made = from > 0 && strstr(s->text, "(wrapper dynamic-method)") == s->text;
	if (!is_made && is_own_class(o, s->text + from, to - from))
		mark(s->keep, name, end);
	else
		mark_types(o, s->text, name, end, s->keep);
	mark_types(o, s->text, end, n, s->keep);
	mark_made(s->text + name, n - name, s->keep + name);
}

/* --- other texts ------------------------------------------------------------------------------------------------ */

/* Mark the parts that stay of the path of an assembly's file: its suffix, and its name if it is not the program's. */
static void
mark_image(struct tt_scrub *s, size_t n)
{
	const size_t base = base_of(s->text, n), end = base + without_suffix(s->text + base, n - base);

	mark(s->keep, end, n > end && n - end == 4 ? n : end);
	/* An assembly is the category of its methods, and its name may equal that of a category that does not come from the capture. */
	if (mono_is_own_assembly(s->text + base, end - base) || tt_name_is_own_category(s->text + base, end - base))
		mark(s->keep, base, n);
}

/* Mark the parts that stay of "Name, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null". */
static void
mark_assembly(struct tt_scrub *s, size_t n)
{
	static const char *const fields[] = { ", Version=", ", Culture=neutral", ", PublicKeyToken=" };

	const size_t name = strcspn(s->text, ",");
	if (mono_is_own_assembly(s->text, name)) {
		mark(s->keep, 0, n);
		return;
	}
	mark(s->keep, 0, tt_name_is_own_category(s->text, name) ? name : 0);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const char *at = strstr(s->text, fields[i]);
		if (at)
			mark(s->keep, (size_t)(at - s->text), (size_t)(at - s->text) + strlen(fields[i]));
	}
}

/* Mark the parts that stay of s->text, of ${n} bytes. ${own}: it is a method of a class that stays. */
static void
mark_text(struct tt_scrub *s, const struct mlpd_owners *o, enum mlpd_text what, bool own, size_t n)
{
	bool all = false;

	switch (what) {
	case MLPD_TEXT_CLASS: mark_class(s, o, 0, n); break;
	case MLPD_TEXT_METHOD: mark_method(s, o, n); break;
	case MLPD_TEXT_TYPES: mark_types(o, s->text, 0, n, s->keep); break;
	case MLPD_TEXT_IMAGE: case MLPD_TEXT_DOMAIN: mark_image(s, n); break;
	case MLPD_TEXT_ASSEMBLY: mark_assembly(s, n); break;
	case MLPD_TEXT_MEMBER: all = own; break;
	case MLPD_TEXT_THREAD: all = mono_is_own_thread(s->text); break;
	case MLPD_TEXT_ROOT: all = mono_is_own_root(s->text); break;
	case MLPD_TEXT_FUNCTION: all = mono_is_own_function(s->text); break;
	case MLPD_TEXT_HELPER: all = mono_is_own_helper(s->text); break;
	case MLPD_TEXT_COUNTER: all = true; break;
	case MLPD_TEXT_FILE: case MLPD_TEXT_ID: case MLPD_TEXT_OWN_COUNTER: case MLPD_TEXT_VALUE: break;
	}
	if (all)
		mark(s->keep, 0, n);
}

int
mlpd_scrub_texts(struct tt_scrub *s, const struct mlpd_owners *o, const struct mlpd_text_at *v, size_t n, struct tt_err *err)
{
	bool own = false;
	int rc = TT_OK;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		uint8_t *p = (uint8_t *)(uintptr_t)v[i].p;
		const size_t len = v[i].len;
		/* mark_class() writes one byte more. */
		if ((rc = tt_scrub_room(s, len + 1, err)) != TT_OK)
			break;
		memcpy(s->text, p, len);
		s->text[len] = '\0';
		memset(s->keep, 0, (len + 2) * sizeof *s->keep);
		mark_text(s, o, v[i].what, own, len);
		if (v[i].what == MLPD_TEXT_CLASS)
			own = is_own_class(o, s->text, len);
		rc = tt_scrub_words(s, p, len, s->keep, err);
	}
	return rc;
}

/* Mark the option at bytes ${from} to ${to} of s->text: its name if it is known, and its value unless that is free text. */
static void
mark_option(struct tt_scrub *s, size_t from, size_t to)
{
	const size_t all = strcspn(s->text + from, "="), n = all < to - from ? all : to - from;
	bool free_text;

	if (mlpd_is_option(s->text + from, n, &free_text))
		mark(s->keep, from, free_text ? from + n : to);
}

int
mlpd_scrub_options(struct tt_scrub *s, uint8_t *p, size_t n, struct tt_err *err)
{
	size_t from, to;
	int rc = tt_scrub_room(s, n, err);

	if (rc != TT_OK)
		return rc;
	memcpy(s->text, p, n);
	s->text[n] = '\0';
	memset(s->keep, 0, n * sizeof *s->keep);
	from = strcspn(s->text, ":");
	from = from < n ? from : n;
	if (from == 3 && memcmp(s->text, "log", 3) == 0)
		mark(s->keep, 0, from);
	/* A doubled comma is a comma in a value. */
	for (from += from < n; from < n; from = to + 1) {
		for (to = from; to < n && (s->text[to] != ',' || s->text[to + 1] == ','); to++)
			to += s->text[to] == ',';
		mark_option(s, from, to < n ? to : n);
	}
	return tt_scrub_words(s, p, n, s->keep, err);
}
