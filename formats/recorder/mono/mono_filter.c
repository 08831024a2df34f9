/**
 * Decides which methods are recorded, by the options include, exclude, args and frame: once per method, when it is compiled.
 */
#include "recorder/mono/module.h"

#include "recorder/mono/mono_table.h"

static struct table decided;

/* The names with which patterns are compared. */
struct names {
	const char *assembly, *method;
	const char *plain;            /* class without its namespace */
	char class[1024];
};

static void
names_of(MonoMethod *m, struct names *n)
{
	MonoClass *c = api.mono_method_get_class(m);
	MonoImage *i = c ? api.mono_class_get_image(c) : NULL;

	n->assembly = i ? api.mono_image_get_name(i) : "";
	n->method = api.mono_method_get_name(m);
	n->class[0] = '\0';
	if (c)
		api_class_name(c, n->class, sizeof n->class);
	const char *slash = strchr(n->class, '/'), *dot = NULL;
	for (const char *p = n->class; *p && p != slash; p++)
		if (*p == '.')
			dot = p;
	n->plain = dot ? dot + 1 : n->class;
}

/* True if ${s} matches the ${n} bytes of a pattern; an empty pattern matches everything. */
static bool
matches(const char *pattern, size_t n, const char *s)
{
	char part[1024];

	if (n == 0)
		return true;
	if (n >= sizeof part)
		return false;
	memcpy(part, pattern, n);
	part[n] = '\0';
	return optval_glob(part, s);
}

/* True if a pattern [ASSEMBLY]CLASS:METHOD matches; each part, and the class's namespace, may be omitted. */
static bool
is_method(const char *pattern, const struct names *n)
{
	const char *end = *pattern == '[' ? strchr(pattern, ']') : NULL;

	if (end) {
		if (!matches(pattern + 1, (size_t)(end - pattern - 1), n->assembly))
			return false;
		pattern = end + 1;
	}
	/* Use the last colon, as names of methods contain none, not even those of explicit implementations. */
	const char *colon = strrchr(pattern, ':');
	size_t len = colon ? (size_t)(colon - pattern) : strlen(pattern);
	if (colon && !matches(colon + 1, strlen(colon + 1), n->method))
		return false;
	return matches(pattern, len, n->class) || matches(pattern, len, n->plain);
}

/* By offset in the options: true if the pattern matched a method. */
static _Atomic bool met[OPTTABLE_TEXT];

/* Try all patterns, so that those that match nothing can be reported. */
static bool
is_listed(enum options_list list, const struct names *n)
{
	bool is = false;

	for (const char *p = NULL; (p = opttable_next(&module.o.values, list, p)) != NULL;)
		if (is_method(p, n)) {
			atomic_store_explicit(&met[p - module.o.values.text], true, memory_order_relaxed);
			is = true;
		}
	return is;
}

static void
say_unmet(enum options_list list, const char *option)
{
	for (const char *p = NULL; (p = opttable_next(&module.o.values, list, p)) != NULL;)
		if (!atomic_load_explicit(&met[p - module.o.values.text], memory_order_relaxed))
			module_say("%s=%.100s: no method that was compiled matches", option, p);
}

void
filter_end(void)
{
	const struct options *o = &module.o;

	if (o->calls) {
		say_unmet(LIST_INCLUDE, "include");
		say_unmet(LIST_EXCLUDE, "exclude");
	}
	say_unmet(LIST_ARGS, "args");
	say_unmet(LIST_FRAME, "frame");
	if (o->coverage) {
		say_unmet(LIST_COVERAGE, "coverage");
		say_unmet(LIST_UNCOVERED, "coverage-exclude");
	}
}

bool
filter_lists(enum options_list list, MonoMethod *m)
{
	struct names n;

	if (!module.o.values.n[list])
		return false;
	names_of(m, &n);
	return is_listed(list, &n);
}

static unsigned
decide(MonoMethod *m)
{
	const struct options *o = &module.o;
	unsigned flags = FILTER_KNOWN;
	struct names n;

	names_of(m, &n);
	bool included = is_listed(LIST_INCLUDE, &n), excluded = is_listed(LIST_EXCLUDE, &n);
	if (o->calls && (!o->values.n[LIST_INCLUDE] || included) && !excluded)
		flags |= FILTER_CALLS;
	if (is_listed(LIST_ARGS, &n))
		flags |= FILTER_CALLS | FILTER_ARGS;
	if (is_listed(LIST_FRAME, &n))
		flags |= FILTER_FRAME;
	return flags;
}

unsigned
filter_flags(MonoMethod *m)
{
	unsigned flags = (unsigned)table_get(&decided, module_key(m));

	if (flags == 0) {
		flags = decide(m);
		table_set(&decided, module_key(m), flags);
	}
	return flags;
}

void
filter_forget(MonoMethod *m)
{
	if (table_get(&decided, module_key(m)))
		table_set(&decided, module_key(m), 0);
}
