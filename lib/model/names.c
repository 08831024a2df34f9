/**
 * Takes names of methods, classes and wrappers apart.
 */
#include "model/names.h"

#include <stdint.h>
#include <string.h>

#include "model/filter.h"

enum { LONGEST = 2048 };              /* of a name that is shortened to be compared; no real one is longer */

size_t
tt_name_bare(const char *s)
{
	size_t n = strlen(s), i = n, depth = 0;

	if (n == 0 || s[n - 1] != ')')
		return n;
	while (i-- > 0) {
		if (s[i] == ')')
			depth++;
		if (s[i] == '(' && --depth == 0)
			break;
	}
	/* The list follows a space, after "Class:Method": "Job (Burst)" and "(wrapper x)" have none. */
	return depth == 0 && i > 1 && s[i - 1] == ' ' && memchr(s, ':', i - 1) ? i - 1 : n;
}

size_t
tt_name_wrapper(const char *s)
{
	const char *end = strncmp(s, "(wrapper ", 9) == 0 ? strstr(s, ") ") : NULL;

	return end ? (size_t)(end + 2 - s) : 0;
}

/* The end of the class: the single ':' (not "::") outside type arguments; ${n} if there is none. */
static size_t
class_len(const char *s, size_t n)
{
	size_t depth = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '<')
			depth++;
		else if (s[i] == '>' && depth > 0)
			depth--;
		else if (s[i] == ':' && depth == 0)
			return i + 1 < n && s[i + 1] == ':' ? n : i;
	}
	return n;
}

/* True if a type name ends here and another name follows. */
static bool
ends_name(char c)
{
	return strchr("<>,[]()*& /", c) != NULL;
}

/* Copy the class ${s} with the namespace of every type in it left out. */
static char *
put_class(char *p, const char *s, size_t n)
{
	char *name = p;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '.' && p > name && i + 1 < n) {
			p = name;
			continue;
		}
		*p++ = s[i];
		if (s[i] == '\0' || ends_name(s[i]))
			name = p;
	}
	return p;
}

size_t
tt_name_short(char *to, const char *s)
{
	size_t n = tt_name_bare(s), head = tt_name_wrapper(s), cls;
	char *p = to;

	if (head > n)
		head = 0;
	cls = class_len(s + head, n - head);
	memcpy(p, s, head);
	p += head;
	if (head + cls < n)
		p = put_class(p, s + head, cls);
	else
		cls = 0;
	memcpy(p, s + head + cls, n - head - cls);
	p += n - head - cls;
	*p = '\0';
	return (size_t)(p - to);
}

size_t
tt_name_namespace(const char *s, size_t n, const char **space)
{
	static const char *const word[] = { "object", "string", "bool", "char", "sbyte", "byte", "int16", "uint16", "int",
		"uint", "long", "ulong", "single", "double", "intptr", "uintptr", "void" };
	size_t dot = 0, i = 0;

	/* Type arguments, nested classes and ranks of arrays have names of their own. */
	for (; i < n && !strchr("<[`/+&*(", s[i]); i++) {
		if (s[i] == '.' && i > 0)
			dot = i;
	}
	*space = s;
	for (size_t k = 0; dot == 0 && k < sizeof word / sizeof *word; k++) {
		if (strlen(word[k]) == i && memcmp(word[k], s, i) == 0) {
			*space = "System";
			return 6;
		}
	}
	return dot;
}

/* Find the namespace in a name of Unity's deep profiling, "Game.dll!Space::Class.Method()", and return its length; *${space} NULL: there is none. */
static size_t
unity_namespace(const char *s, const char **space)
{
	const char *dll = strstr(s, ".dll!"), *from = dll ? dll + 5 : s, *to = dll ? strstr(from, "::") : NULL;

	*space = to && to < from + strcspn(from, "(") ? from : NULL;
	return *space ? (size_t)(to - from) : 0;
}

size_t
tt_name_method_namespace(const char *s, const char **space)
{
	size_t n = unity_namespace(s, space), head, cls;

	if (*space)
		return n;
	n = tt_name_bare(s);
	head = tt_name_wrapper(s);
	if (head > n)
		head = 0;
	cls = class_len(s + head, n - head);
	*space = s;
	return head + cls < n ? tt_name_namespace(s + head, cls, space) : 0;
}

bool
tt_name_in_namespace(const char *const *space, const char *full)
{
	const char *at;
	const size_t n = tt_name_method_namespace(full, &at);

	for (; n && *space; space++) {
		const size_t k = strlen(*space);

		if (n >= k && memcmp(at, *space, k) == 0 && (n == k || at[k] == '.'))
			return true;
	}
	return false;
}

bool
tt_name_alloc_wrapper(const char *s)
{
	static const char alloc[] = "(wrapper alloc)", native[] = "(wrapper managed-to-native)";

	if (strncmp(s, alloc, sizeof alloc - 1) == 0)
		return true;
	return strncmp(s, native, sizeof native - 1) == 0 && strstr(s, "__icall_wrapper_");
}

unsigned
tt_name_rank(const char *asked, const char *s)
{
	const char *name = s + tt_name_wrapper(s);
	size_t n = strlen(asked), bare;
	char text[LONGEST];

	if (strcmp(asked, s) == 0 || strcmp(asked, name) == 0)
		return 3;
	bare = tt_name_bare(name);
	if (bare == n && memcmp(asked, name, n) == 0)
		return 2;
	return strlen(name) < sizeof text && tt_name_short(text, name) == n && memcmp(asked, text, n) == 0;
}

bool
tt_name_alloc_helper(const char *s)
{
	s += tt_name_wrapper(s);
	for (const char *const *m = tt_alloc_helpers; *m; m++)
		if (strncmp(s, *m, strlen(*m)) == 0)
			return true;
	return false;
}

/* The begin of the method's name, with its dot, between ${class} and its list of arguments at ${list}; NULL: no method follows. */
static const char *
method_of(const char *class, const char *list)
{
	unsigned depth = 0;

	for (const char *p = list; p-- > class;) {
		depth += *p == '>';
		depth -= *p == '<' && depth > 0;
		if (*p == '.' && depth == 0)
			return p - class > 1 && p[-1] == '.' ? p - 1 : p;      /* "Table..ctor()" */
	}
	return NULL;
}

/*
 * Write the name ${s} of Unity's deep profiling, "mscorlib.dll!System.Threading::Thread.Sleep()", as Mono writes it: "System.Threading.Thread:Sleep ()".
 * ${to} and ${of}, which gets the place in ${s} of each byte, have room for LONGEST. False: it is no such name.
 */
static bool
mono_name(const char *s, char *to, uint16_t *of)
{
	const char *space;
	const size_t n = unity_namespace(s, &space);
	size_t k = 0;

	if (!space || strlen(s) + 2 >= LONGEST)
		return false;
	const char *class = space + n + 2, *list = class + strcspn(class, "("), *method = method_of(class, list);
	if (!method)
		return false;
	for (const char *p = n ? space : class; *p; p++) {
		if (p == list) {
			of[k] = (uint16_t)(p - s);
			to[k++] = ' ';
		}
		if (p == space + n)
			p++;          /* one dot for two colons */
		of[k] = (uint16_t)(p - s);
		to[k++] = p == method ? ':' : p == space + n + 1 ? '.' : *p;
	}
	to[k] = '\0';
	return true;
}

/* True if ${s} matches one of the ${globs} that name a method, which have a colon. */
static bool
is_method_of(const char *const *globs, const char *s)
{
	for (; *globs; globs++)
		if (strchr(*globs, ':') && tt_glob(*globs, s))
			return true;
	return false;
}

bool
tt_name_match(const char *const *globs, const char *s)
{
	uint16_t of[LONGEST];
	char text[LONGEST];
	size_t bare;

	if (!globs || tt_glob_any(globs, s))
		return true;
	/* Only a method of a class has other forms. A name that long is compared whole only. */
	if (!strchr(s, ':') || strlen(s) >= sizeof text)
		return false;
	if (mono_name(s, text, of))
		return is_method_of(globs, text);
	bare = tt_name_bare(s);
	memcpy(text, s, bare);
	text[bare] = '\0';
	if (s[bare] && tt_glob_any(globs, text))
		return true;
	/* The short form only leaves out: of that length, it is the one just tried. */
	return tt_name_short(text, s) < bare && tt_glob_any(globs, text);
}

/* True for a byte of a word: an ASCII letter. */
static bool
is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool
is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* True if a word begins at ${s}[${i}]: "ReadIPAddress" has Read, IP and Address. */
static bool
begins_word(const char *s, size_t i)
{
	if (i == 0 || !is_letter(s[i - 1]) || !is_letter(s[i]))
		return true;
	return is_capital(s[i]) && (!is_capital(s[i - 1]) || (is_letter(s[i + 1]) && !is_capital(s[i + 1])));
}

/* True if the ${n} letters at ${s} are ${word}, in any case. */
static bool
is_word(const char *s, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if ((s[i] | 32) != word[i])
			return false;
	return word[n] == '\0';
}

/* The first place of ${word} among the words of ${s} from byte ${from} up to ${to}; ${to}: there is none. */
static size_t
find_word(const char *s, size_t from, size_t to, const char *word)
{
	for (size_t i = from, end; i < to; i = end) {
		for (end = i + 1; end < to && !begins_word(s, end); end++)
			;
		if (is_letter(s[i]) && end - i == strlen(word) && is_word(s + i, end - i, word))
			return i;
	}
	return to;
}

/* Ranges of bytes in a text: the name of a method, and that of the method for which the compiler made its class. */
struct method_names { size_t from[2], to[2]; };

static struct method_names
find_method_names(const char *s)
{
	struct method_names of = { { 0 }, { 0 } };
	const char *made_for = strstr(s, "/<"), *end = made_for ? strchr(made_for, '>') : NULL;
	size_t n = tt_name_bare(s);

	if (n == strlen(s) && n > 0 && s[n - 1] == ')')
		n = strcspn(s, "(") > 0 ? strcspn(s, "(") : n;
	of.to[0] = n;
	for (size_t i = tt_name_wrapper(s); i < n; i++)
		if (s[i] == '.' || s[i] == ':')
			of.from[0] = i + 1;
	if (end) {
		of.from[1] = (size_t)(made_for + 2 - s);
		of.to[1] = (size_t)(end - s);
	}
	return of;
}

bool
tt_name_has_word(const char *const *words, const char *full)
{
	const struct method_names of = find_method_names(full);

	for (; *words; words++)
		for (int i = 0; i < 2; i++)
			if (find_word(full, of.from[i], of.to[i], *words) < of.to[i])
				return true;
	return false;
}

/* --- what names mean ------------------------------------------------------------------------------------ */

static void
mark(bool *keep, size_t at, size_t n)
{
	memset(keep + at, true, n * sizeof *keep);
}

/* Mark each ${part} of ${s}. */
static void
mark_all(const char *s, const char *part, bool *keep)
{
	for (const char *at = s; (at = strstr(at, part)) != NULL; at++)
		mark(keep, (size_t)(at - s), strlen(part));
}

/* A name, and its parts. */
struct meant {
	const char *s;
	struct tt_pairs has;
	size_t head;                  /* bytes that say that it is a wrapper */
	const char *space;            /* its method's namespace, of ${nspace} bytes */
	size_t nspace;
	struct method_names method;
};

/* Mark the beginning of the namespace that the method is in, if it is ${first} or below that. */
static void
mark_namespace(const struct meant *m, const char *first, bool *keep)
{
	const size_t k = strlen(first);

	if (m->nspace < k || memcmp(m->space, first, k) != 0 || (m->nspace > k && m->space[k] != '.'))
		return;
	if (m->space >= m->s && m->space < m->s + strlen(m->s))
		mark(keep, (size_t)(m->space - m->s), k);
	else                          /* a word of C#'s, which is the whole class */
		mark(keep, m->head, strcspn(m->s + m->head, "<[`/+&*(:"));
}

/* Mark the words of the method's names that are in ${list}. */
static void
mark_words(const struct meant *m, const char *const *list, bool *keep)
{
	const char *const s = m->s;

	for (int k = 0; k < 2; k++)
		for (size_t i = m->method.from[k], to = m->method.to[k], end; i < to; i = end) {
			for (end = i + 1; end < to && !begins_word(s, end); end++)
				;
			for (const char *const *word = list; is_letter(s[i]) && *word; word++)
				if (is_word(s + i, end - i, *word))
					mark(keep, i, end - i);
		}
}

/* False if ${part} cannot be in that place, by its first characters. */
static bool
may_be(const struct meant *m, const char *part, enum tt_name_place place)
{
	switch (place) {
	case TT_NAME_HAS:             /* "[F]ile" is a pattern */
		return (tt_has_pair(&m->has, part[0], part[1]) || *part == '[') && tt_may_match(part, &m->has);
	case TT_NAME_BEGINS:
		return *part == *m->s || *part == m->s[m->head];
	case TT_NAME_STEP: case TT_NAME_IS:
		return *part == *m->s;
	case TT_NAME_NAMESPACE:
		return m->nspace > 0;
	case TT_NAME_WORD:            /* see mark_words() */
		break;
	}
	return false;
}

static void
mark_place(const struct meant *m, const char *part, enum tt_name_place place, bool *keep)
{
	const char *const s = m->s;

	if (!may_be(m, part, place))
		return;
	const size_t n = strlen(part);
	switch (place) {
	case TT_NAME_HAS:
		if (tt_pattern_is_plain(part))
			mark_all(s, part, keep);
		else if (tt_glob(part, s))
			mark(keep, 0, strlen(s));
		break;
	case TT_NAME_BEGINS:
		for (size_t at = 0; at <= m->head; at += m->head ? m->head : 1)
			if (strncmp(s + at, part, n) == 0)
				mark(keep, at, n);
		break;
	case TT_NAME_STEP:
		if (strncmp(s, part, n) == 0 && s[n] == '.')
			mark(keep, 0, n);
		break;
	case TT_NAME_NAMESPACE:
		mark_namespace(m, part, keep);
		break;
	case TT_NAME_IS:
		if (strcmp(s, part) == 0)
			mark(keep, 0, n);
		break;
	case TT_NAME_WORD:
		break;
	}
}

/* Mark the bytes of Unity's name for a method whose form by Mono, ${name}, has ${part}; ${of}: the place in Unity's name of each byte of ${name}. */
static void
mark_method(const char *name, const uint16_t *of, const char *part, bool *keep)
{
	const size_t n = strlen(part);

	for (const char *at = name; (at = strstr(at, part)) != NULL; at++)
		for (size_t i = 0; i < n; i++)
			mark(keep, of[(size_t)(at - name) + i], 1);
}

/* If ${s} is a name of Unity's deep profiling, mark the parts that mean something in the form that Mono writes. */
static void
mark_as_mono(const char *s, bool *keep)
{
	char name[LONGEST];
	uint16_t of[LONGEST];
	struct tt_pairs has;

	if (!mono_name(s, name, of))
		return;
	tt_pairs_of(name, &has);
	for (const struct tt_known_names *k = tt_known_names; k->list; k++)
		for (const char *const *part = k->list; k->place == TT_NAME_HAS && *part; part++)
			if (tt_may_match(*part, &has) && strchr(*part, ':') && tt_pattern_is_plain(*part))
				mark_method(name, of, *part, keep);
}

void
tt_name_meaning(const char *s, bool *keep)
{
	struct meant m = { .s = s, .head = tt_name_wrapper(s), .method = find_method_names(s) };

	mark_as_mono(s, keep);
	tt_pairs_of(s, &m.has);
	m.nspace = tt_name_method_namespace(s, &m.space);
	mark(keep, 0, m.head);
	for (const struct tt_known_names *k = tt_known_names; k->list; k++) {
		if (k->place == TT_NAME_WORD)
			mark_words(&m, k->list, keep);
		for (const char *const *part = k->list; *part; part++)
			mark_place(&m, *part, k->place, keep);
	}
}

/* "Update.ScriptRunBehaviourUpdate" is a step of "Update". */
bool
tt_name_is_step(const char *s, const char *phase)
{
	const size_t n = strlen(phase);

	return strncmp(s, phase, n) == 0 && s[n] == '.';
}

bool
tt_name_is_loop(const char *s)
{
	for (size_t i = 0; tt_loop_markers[i]; i++)
		if (strcmp(s, tt_loop_markers[i]) == 0)
			return true;
	for (size_t i = 0; tt_frame_phases[i]; i++)
		if (tt_name_is_step(s, tt_frame_phases[i]))
			return true;
	return false;
}
