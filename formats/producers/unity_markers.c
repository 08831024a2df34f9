/**
 * Looks up names in the lists of Unity's own names.
 */
#include "producers/unity_markers.h"

#include <string.h>

enum { MAX_NAME = 128 };      /* longer than any listed name */

/* Prefixes of the assemblies of the engine, its packages and the class library. */
static const char *const assemblies[] = { "UnityEngine.", "UnityEditor.", "Unity.", "com.unity.", "mscorlib.", "netstandard.", "System." };

/* Compare ${name} with the listed name at ${s}, which ends at a bar or at the line's end, as strcmp() does. */
static int
compare(const char *name, const char *s)
{
	for (; *s && *s != '|'; name++, s++)
		if (*name != *s)
			return (unsigned char)*name < (unsigned char)*s ? -1 : 1;
	return *name != '\0';
}

static bool
is_listed(const struct unity_names *l, const char *name)
{
	size_t from = 0, to = l->n;

	/* Find the last line whose first name is not after ${name}. */
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		if (compare(name, l->line[middle]) >= 0)
			from = middle + 1;
		else
			to = middle;
	}
	/* The names are sorted, so the first greater one ends the search. */
	for (const char *s = from ? l->line[from - 1] : NULL, *bar; s; s = bar ? bar + 1 : NULL) {
		const int order = compare(name, s);
		if (order <= 0)
			return order == 0;
		bar = strchr(s, '|');
	}
	return false;
}

static bool
is_listed_anywhere(const char *name)
{
	for (const struct unity_names *l = unity_names; l->n; l++)
		if (is_listed(l, name))
			return true;
	return false;
}

/* True if ${name} ends with a number, and is listed with a # in its place. */
static bool
is_numbered(const char *name)
{
	char text[MAX_NAME];
	const size_t n = strlen(name);
	size_t end = n;

	while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	if (end == n || end + 2 > sizeof text)
		return false;
	memcpy(text, name, end);
	memcpy(text + end, "#", 2);
	return is_listed_anywhere(text);
}

static bool
is_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
}

/*
 * True if the method's name has type arguments, or types of parameters, which may be a game's. "List`1.Add()", "<>c.<Update>b__0()" and "Start() [Coroutine:
 * MoveNext]" have neither.
 */
static bool
has_types(const char *name)
{
	for (const char *s = name; (s = strpbrk(s, "<[(")); s++)
		if (*s == '(' ? s[1] != ')' : s > name && is_word(s[-1]))
			return true;
	return false;
}

/* True if the method's name and its "()" are followed by nothing except how the engine called it; anything else may be a game's. */
static bool
ends_well(const char *name)
{
	static const char *const how[] = { "", " [Coroutine: MoveNext]", " [Coroutine: InvokeMoveNext]", " [Invoke]" };
	const char *end = strstr(name, "()");

	if (!end)
		return !strpbrk(name, " [");
	for (size_t i = 0; i < sizeof how / sizeof *how; i++)
		if (strcmp(end + 2, how[i]) == 0)
			return true;
	return false;
}

static bool
is_engine_method(const char *name)
{
	for (size_t i = 0; i < sizeof assemblies / sizeof *assemblies; i++)
		if (strncmp(name, assemblies[i], strlen(assemblies[i])) == 0)
			return strstr(name, ".dll!") && !has_types(name) && ends_well(name);
	return false;
}

bool
unity_is_published(const char *name)
{
	return is_listed_anywhere(name) || is_numbered(name) || is_engine_method(name) || (strncmp(name, "Inl_", 4) == 0 && is_listed_anywhere(name + 4));
}

size_t
unity_published_group(const char *name)
{
	char group[MAX_NAME];
	const size_t n = strcspn(name, ".");

	if (name[n] == '\0' || n >= sizeof group)
		return 0;
	memcpy(group, name, n);
	group[n] = '\0';
	return is_listed(&unity_groups, group) ? n : 0;
}
