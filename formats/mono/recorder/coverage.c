#include "mono/recorder/module.h"

#include <stdio.h>
#include <stdlib.h>

#include "mono/recorder/table.h"

/*
 * Coverage: the runtime counts the statements of the methods we choose when it compiles them; at the end all is
 * written, methods that never ran with zeros. One of a generic method's instances may count for all of them, so each
 * is written, and told by its definition's token to be the same.
 */

struct entry { uint32_t offset, hits, line, column; const char *file; };

static struct {
	/* instances: those the runtime asked about that are no definitions of their own */
	atomic_flag lock;
	MonoMethod **method;
	size_t n, cap;
	/* at the end */
	struct entry *entry;
	size_t nentry, capentry;
	uint64_t id;
} cover = { .lock = ATOMIC_FLAG_INIT };
static struct table asked;

/* --- which methods ---------------------------------------------------------------- */

/* The runtime's own assemblies, unless the user names patterns. */
static bool
is_own(const char *assembly)
{
	static const char *const own[] = { "mscorlib", "netstandard", "System", "System.*", "Mono.*", "Microsoft.*", "I18N*",
		"WindowsBase", "Accessibility", "cscompmgd" };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (optval_glob(own[i], assembly))
			return true;
	return false;
}

static bool
is_covered(MonoMethod *m)
{
	MonoClass *c = api.mono_method_get_class(m);
	MonoImage *i = c ? api.mono_class_get_image(c) : NULL;

	/* What the runtime makes itself has no token. */
	if (!i || api.mono_method_get_token(m) == 0 || filter_lists(LIST_UNCOVERED, m))
		return false;
	return module.o.n[LIST_COVERAGE] ? filter_lists(LIST_COVERAGE, m) : !is_own(api.mono_image_get_name(i));
}

static void
remember(MonoMethod *m)
{
	while (atomic_flag_test_and_set_explicit(&cover.lock, memory_order_acquire))
		plat_sleep_us(20);
	if (cover.n == cover.cap) {
		size_t cap = cover.cap ? 2 * cover.cap : 1024;
		MonoMethod **more = realloc(cover.method, cap * sizeof *more);
		if (more) {
			cover.method = more;
			cover.cap = cap;
		}
	}
	if (cover.n < cover.cap)
		cover.method[cover.n++] = m;
	atomic_flag_clear_explicit(&cover.lock, memory_order_release);
}

/* Asked at each compilation, of wrappers and instances too. */
static mono_bool
filter(MonoProfiler *p, MonoMethod *m)
{
	uint64_t known = table_get(&asked, module_key(m));

	(void)p;
	if (known)
		return known == 2;
	known = 1 + is_covered(m);
	if (table_set(&asked, module_key(m), known) == 0 && known == 2)
		remember(m);
	return known == 2;
}

/* The runtime's text of a file name is gone after the call. Methods of one file come together. */
static const char *
keep_file(const char *name)
{
	static char *last;

	if (!name)
		return "";
	if (!last || strcmp(last, name) != 0)
		last = strdup(name);
	return last ? last : "";
}

/* --- records ------------------------------------------------------------------------- */

static void
on_entry(MonoProfiler *p, const MonoProfilerCoverageData *d)
{
	(void)p;
	if (cover.nentry == cover.capentry) {
		size_t cap = cover.capentry ? 2 * cover.capentry : 4096;
		struct entry *more = realloc(cover.entry, cap * sizeof *more);
		if (!more)
			return;
		cover.entry = more;
		cover.capentry = cap;
	}
	cover.entry[cover.nentry++] = (struct entry){ d->il_offset, d->counter, d->line, d->column, keep_file(d->file_name) };
}

static uint8_t *
put_text(uint8_t *p, const char *s, size_t n)
{
	n = n < 750 ? n : 750;
	p = ttc_put(p, n);
	memcpy(p, s, n);
	return p + n;
}

/* "Space.Class:Method (arguments)" cut into its parts. */
static void
put_method(struct rec_thread *t, MonoMethod *m, const struct entry *e, size_t n)
{
	char *full = api.mono_method_full_name(m, 1), *args = full ? strstr(full, " (") : NULL, *name = NULL;
	MonoClass *c = api.mono_method_get_class(m);
	const char *assembly = api.mono_image_get_name(api.mono_class_get_image(c));
	uint8_t b[3900], *p = b;

	for (char *q = full; q && q < (args ? args : full + strlen(full)); q++)
		if (*q == ':')
			name = q;
	p = ttc_put(p, ++cover.id);
	p = ttc_put(p, api.mono_method_get_token(m));
	p = ttc_put(p, n);
	p = put_text(p, assembly, strlen(assembly));
	p = put_text(p, name ? full : "", name ? (size_t)(name - full) : 0);
	name = name ? name + 1 : full ? full : "?";
	p = put_text(p, name, args ? (size_t)(args - name) : strlen(name));
	p = put_text(p, args ? args + 2 : "", args && strlen(args) > 3 ? strlen(args) - 3 : 0);
	p = put_text(p, e->file, strlen(e->file));
	tools_room(true);
	rec_other(t, rec_now(), MONO_COVER_METHOD, b, (size_t)(p - b));
	api.mono_free(full);
}

static void
put_statements(struct rec_thread *t, const struct entry *e, size_t n)
{
	uint8_t b[3900], *p = b;
	uint32_t last = 0;

	for (size_t i = 0; i <= n; i++) {
		if (p > b && (i == n || (size_t)(p - b) > sizeof b - 40)) {
			tools_room(true);
			rec_other(t, rec_now(), MONO_COVER_STATEMENTS, b, (size_t)(p - b));
			p = b;
		}
		if (i == n)
			return;
		if (p == b)
			p = ttc_put(p, cover.id);
		p = ttc_put(p, ttc_zig((uint64_t)e[i].offset - last));
		last = e[i].offset;
		p = ttc_put(p, e[i].hits);
		p = ttc_put(p, e[i].line);
		p = ttc_put(p, e[i].column);
	}
}

/* One record for each source file a method has code of: nearly always one. */
static void
write_method(struct rec_thread *t, MonoMethod *m)
{
	cover.nentry = 0;
	if (!api.mono_profiler_get_coverage_data(module.tools, m, on_entry))
		return;
	for (size_t i = 0, to; i < cover.nentry; i = to) {
		for (to = i + 1; to < cover.nentry && strcmp(cover.entry[to].file, cover.entry[i].file) == 0; to++)
			;
		put_method(t, m, &cover.entry[i], to - i);
		put_statements(t, &cover.entry[i], to - i);
	}
}

/* Each method an assembly defines; those that did not run are known from nothing else. */
static void
write_assembly(void *assembly, void *arg)
{
	MonoImage *i = api.mono_assembly_get_image(assembly);
	int n = i ? api.mono_image_get_table_rows(i, MONO_TABLE_METHOD) : 0;

	for (int row = 1; row <= n; row++) {
		MonoMethod *m = api.mono_get_method(i, MONO_TOKEN_METHOD_DEF | (uint32_t)row, NULL);
		if (!m || !is_covered(m))
			continue;
		table_set(&asked, module_key(m), 3);
		write_method(arg, m);
	}
}

void
coverage_end(void)
{
	static atomic_flag done = ATOMIC_FLAG_INIT;
	struct rec_thread *t;

	if (!coverage_wanted() || !module.tools || atomic_flag_test_and_set(&done) || !(t = rec_thread()))
		return;
	tools_room(false);
	api.mono_assembly_foreach(write_assembly, t);
	for (size_t i = 0; i < cover.n; i++)
		if (table_get(&asked, module_key(cover.method[i])) != 3)
			write_method(t, cover.method[i]);
}

bool
coverage_wanted(void)
{
	return module.o.coverage;
}

void
coverage_load(void)
{
	if (!coverage_wanted())
		return;
	if (!api.mono_profiler_enable_coverage || !api.mono_profiler_set_coverage_filter_callback ||
	    !api.mono_profiler_get_coverage_data || !api.mono_assembly_foreach || !api.mono_image_get_table_rows ||
	    !api.mono_get_method || !api.mono_method_get_token || !api.mono_profiler_enable_coverage()) {
		module_say("coverage: this runtime does not count");
		module.o.coverage = false;
		return;
	}
	api.mono_profiler_set_coverage_filter_callback(module.tools, filter);
}
