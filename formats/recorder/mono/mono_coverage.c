/**
 * Records coverage. The runtime counts how often each statement ran, in methods that we choose when it compiles them. Its finalizer thread reads the counts,
 * a little at a time, and the end reads all of them; changed counts are written. A method that never ran is written with zeros. One instance of a generic
 * method may count for all instances, so each is written; the token of their definition shows that they belong together. Statements of a method that a domain
 * runs after another domain compiled the method are not counted: the number of such methods is a fact of the capture.
 */
#include "recorder/mono/module.h"

#include <stdio.h>
#include <stdlib.h>

#include "recorder/mono/mono_counts.h"
#include "recorder/mono/mono_table.h"

/* Minimum ns between two passes, ns of work in a step of a pass, minimum ns between two steps. */
enum { PASS_NS = 2000000000, STEP_NS = 2000000, STEPS_NS = 100000000 };
/* The runtime leaks about 110 bytes each time a method's counts are read (6.8). So the number of reads is limited, at first and per second. */
enum { READS = 50000, READS_S = 20 };
/* Bits of a method's state. The bits from DOMAIN on: 1 + the number of the domain that compiled it last; 0: no domain, or it is unloaded. */
enum { KNOWN = 1, COVERED = 2, COMPILED = 4, DEFINITION = 8, HAS_CODE = 16, SHARED = 32, GONE = 64, DOMAIN = 8 };

struct covered {
	MonoMethod *method;           /* NULL: unloaded */
	MonoImage *image;
	uint64_t id;                  /* 0: no id yet. From here on the method has one id for each source file of its code */
	uint32_t n, *hits;            /* counts as last written */
	bool written;                 /* true: written to the present file of the rotation */
};

static struct {
	struct plat_lock lock;        /* guards the list and the states */
	struct covered *list;
	size_t n, cap;
	/* Only for the thread that set busy. */
	atomic_flag busy;
	struct counts now;            /* counts of the method that is being written */
	uint32_t told;                /* number of shared methods in the last fact */
	uint64_t id;
	MonoImage **image;            /* images whose methods are in the list; of the last one, only rows before ${row} */
	size_t nimage, capimage;
	size_t scanned;               /* number of images done */
	int row;
	size_t at;                    /* the pass's place in the list, through which a pass goes twice */
	bool instances;               /* true: the second time, for instances, whose names come from definitions, which go first */
	uint64_t files;               /* number of files of the rotation when everything was last written */
	/* Scheduling. */
	_Atomic bool listens, passing, ended;
	_Atomic uint32_t passes, holds;
	_Atomic uint64_t reads;
	_Atomic uint32_t shared;      /* number of methods that a domain compiled while another domain's code of them could still run */
} cover = { .busy = ATOMIC_FLAG_INIT };
static struct table asked;
static struct table dying;            /* domains that are being unloaded, by number + 1 */

/* --- which methods ---------------------------------------------------------------- */

/* True for the runtime's own assemblies, which are left out unless the user names patterns. */
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

	/* Methods made by the runtime have no token. */
	if (!i || api.mono_method_get_token(m) == 0 || filter_lists(LIST_UNCOVERED, m))
		return false;
	return module.o.values.n[LIST_COVERAGE] ? filter_lists(LIST_COVERAGE, m) : !is_own(api.mono_image_get_name(i));
}

static void
remember(MonoMethod *m, MonoImage *i)
{
	if (cover.n == cover.cap) {
		size_t cap = cover.cap ? 2 * cover.cap : 1024;
		struct covered *more = realloc(cover.list, cap * sizeof *more);
		if (!more)
			return;
		cover.list = more;
		cover.cap = cap;
	}
	cover.list[cover.n++] = (struct covered){ .method = m, .image = i };
}

/* Add the bits ${more} to a method's state and return it. A covered method joins the list. */
static uint64_t
know(MonoMethod *m, uint64_t more)
{
	uint64_t known = table_get(&asked, module_key(m)), found = 0;

	/* Outside the lock, as naming a class may load others. */
	if (!known)
		found = KNOWN | (is_covered(m) ? COVERED : 0);
	plat_lock(&cover.lock);
	known = table_get(&asked, module_key(m));
	if (!known && found & COVERED)
		remember(m, api.mono_class_get_image(api.mono_method_get_class(m)));
	known |= found | more;
	table_set(&asked, module_key(m), known);
	plat_unlock(&cover.lock);
	return known;
}

/* True on a thread where compiling has begun, so that the runtime will first ask about the method that is compiled. */
static __thread bool jit_begun;

/* Answer whether to count in a method. The runtime asks at each compilation, also of wrappers and instances, and about methods that could be inlined. */
static mono_bool
filter(MonoProfiler *p, MonoMethod *m)
{
	uint64_t known = table_get(&asked, module_key(m));

	(void)p;
	/* Code of an instance that was left out, or of another one at its address, counts from 0. */
	if (known & GONE && jit_begun)
		table_set(&asked, module_key(m), known = 0);
	if (!(known & COMPILED))
		known = know(m, COMPILED);
	if (jit_begun && known & HAS_CODE)
		counts_keep(m);
	jit_begun = false;
	return (known & COVERED) != 0;
}

static void
on_jit_begin(MonoProfiler *p, MonoMethod *m)
{
	(void)p;
	(void)m;
	jit_begun = true;
}

/* Note a compiled method. This is also called for the code that instances of a generic method share, which is where the runtime counts. */
static void
on_jit_done(MonoProfiler *p, MonoMethod *m, MonoJitInfo *info)
{
	MonoDomain *d = api.mono_domain_get ? api.mono_domain_get() : NULL;
	uint64_t known = table_get(&asked, module_key(m)), domain = d ? (uint64_t)api.mono_domain_get_id(d) + 1 : 0;

	(void)p;
	(void)info;
	/* Code compiled ahead of time is also reported here, but is not counted. */
	if (!(known & COVERED) || !(known & COMPILED))
		return;
	counts_kept(m);
	plat_lock(&cover.lock);
	known = table_get(&asked, module_key(m));
	bool shared = known >> DOMAIN && known >> DOMAIN != domain && !(known & SHARED);
	known = (known & (((uint64_t)1 << DOMAIN) - 1)) | HAS_CODE | (shared ? SHARED : 0) | domain << DOMAIN;
	table_set(&asked, module_key(m), known);
	plat_unlock(&cover.lock);
	if (shared)
		atomic_fetch_add(&cover.shared, 1);
}

/* --- records ------------------------------------------------------------------------- */

static uint8_t *
put_text(uint8_t *p, const char *s, size_t n)
{
	n = n < 750 ? n : 750;
	p = ttc_put(p, n);
	memcpy(p, s, n);
	return p + n;
}

/* Write a method's definition, with "Space.Class:Method (arguments)" split into its parts. */
static void
put_method(struct rec_thread *t, uint64_t id, MonoMethod *m, const struct counted *e, size_t n)
{
	char *full = api.mono_method_full_name(m, 1), *args = strstr(full, " ("), *end = args ? args : full + strlen(full), *name = end;
	const char *assembly = api.mono_image_get_name(api.mono_class_get_image(api.mono_method_get_class(m)));
	size_t rest = strlen(end);
	uint8_t b[3900], *p = b;

	while (name > full && name[-1] != ':')
		name--;
	p = ttc_put(p, id);
	p = ttc_put(p, api.mono_method_get_token(m));
	p = ttc_put(p, n);
	p = put_text(p, assembly, strlen(assembly));
	p = put_text(p, full, name > full ? (size_t)(name - full) - 1 : 0);
	p = put_text(p, name, (size_t)(end - name));
	p = put_text(p, end + 2, rest > 3 ? rest - 3 : 0);
	p = put_text(p, e->file, strlen(e->file));
	module_room(true);
	rec_other(t, rec_now(), MONO_COVER_METHOD, b, (size_t)(p - b));
	api.mono_free(full);
}

/* Write the statements whose counts differ from ${old} (NULL: all). Each record can be read by itself. */
static void
put_statements(struct rec_thread *t, uint64_t id, const struct counted *e, size_t n, const uint32_t *old)
{
	uint8_t b[3900], *p = b;
	uint32_t last = 0;

	for (size_t i = 0;; i++) {
		if (p > b && (i == n || (size_t)(p - b) > sizeof b - 40)) {
			module_room(true);
			rec_other(t, rec_now(), MONO_COVER_STATEMENTS, b, (size_t)(p - b));
			p = b;
		}
		if (i == n)
			return;
		if (old && old[i] == e[i].hits)
			continue;
		if (p == b) {
			p = ttc_put(p, id);
			last = 0;
		}
		p = ttc_put(p, ttc_zig((uint64_t)e[i].offset - last));
		last = e[i].offset;
		p = ttc_put(p, e[i].hits);
		p = ttc_put(p, e[i].line);
		p = ttc_put(p, e[i].column);
	}
}

/* Keep the written counts. Without memory for them, the whole method is written the next time. */
static void
keep_hits(struct covered *c)
{
	if (c->n != cover.now.n) {
		free(c->hits);
		c->hits = malloc(cover.now.n * sizeof *c->hits);
	}
	c->n = c->hits ? (uint32_t)cover.now.n : 0;
	for (uint32_t i = 0; i < c->n; i++)
		c->hits[i] = cover.now.v[i].hits;
}

/* Write a method's new counts: one record for each source file of its code, nearly always one. */
static void
write_method(struct rec_thread *t, struct covered *c)
{
	atomic_fetch_add_explicit(&cover.reads, 1, memory_order_relaxed);
	if (!counts_read(c->method, &cover.now))
		return;
	const uint32_t *old = c->written && c->n == cover.now.n ? c->hits : NULL;
	uint64_t id = c->id ? c->id : cover.id + 1;

	if (!c->id)
		c->id = id;
	for (size_t i = 0, to; i < cover.now.n; i = to, id++) {
		for (to = i + 1; to < cover.now.n && strcmp(cover.now.v[to].file, cover.now.v[i].file) == 0; to++)
			;
		if (!c->written)
			put_method(t, id, c->method, &cover.now.v[i], to - i);
		put_statements(t, id, &cover.now.v[i], to - i, old ? old + i : NULL);
	}
	if (id - 1 > cover.id)
		cover.id = id - 1;
	c->written = true;
	keep_hits(c);
}

/* --- passes: all methods, once ------------------------------------------------------------ */

static void
list_image(void *assembly, void *arg)
{
	MonoImage *i = api.mono_assembly_get_image(assembly);

	(void)arg;
	for (size_t k = 0; k < cover.nimage; k++)
		if (cover.image[k] == i)
			return;
	if (cover.nimage == cover.capimage) {
		size_t cap = cover.capimage ? 2 * cover.capimage : 64;
		MonoImage **more = realloc(cover.image, cap * sizeof *more);
		if (!more)
			return;
		cover.image = more;
		cover.capimage = cap;
	}
	if (i)
		cover.image[cover.nimage++] = i;
}

static uint64_t
mono_ns(void)
{
	struct plat_instant i;

	plat_instant(&i);
	return i.mono_ns;
}

/* Add all methods of the loaded assemblies to the list, as methods that did not run are known from nowhere else. */
static bool
scan(uint64_t until)
{
	for (; cover.scanned < cover.nimage; cover.scanned++, cover.row = 0) {
		MonoImage *i = cover.image[cover.scanned];
		int n = api.mono_image_get_table_rows(i, MONO_TABLE_METHOD);

		while (cover.row < n) {
			MonoMethod *m = api.mono_get_method(i, MONO_TOKEN_METHOD_DEF | (uint32_t)++cover.row, NULL);
			if (m)
				know(m, DEFINITION);
			if (mono_ns() >= until)
				return false;
		}
	}
	return true;
}

/* Write all definitions and counts again in a new file of a rotation, as earlier files may be deleted. */
static void
follow_rotation(void)
{
	struct rec_stats s;

	rec_stats(&s);
	if (s.files == cover.files)
		return;
	cover.files = s.files;
	plat_lock(&cover.lock);
	for (size_t i = 0; i < cover.n; i++)
		cover.list[i].written = false;
	plat_unlock(&cover.lock);
}

/* Write the number of methods that lack counts. */
static void
put_shared(void)
{
	uint32_t n = atomic_load(&cover.shared);
	char text[12];

	if (n == cover.told)
		return;
	snprintf(text, sizeof text, "%u", (unsigned)n);
	rec_meta(MONO_SHARED, text);
	cover.told = n;
}

/* Continue a pass. True at its end. Only for the thread that set busy. */
static bool
step(struct rec_thread *t, uint64_t until)
{
	if (cover.at == 0 && !cover.instances) {
		api.mono_assembly_foreach(list_image, NULL);
		follow_rotation();
	}
	if (!scan(until))
		return false;
	module_room(false);
	for (;; cover.at++) {
		plat_lock(&cover.lock);
		bool any = cover.at < cover.n;
		struct covered one = any ? cover.list[cover.at] : (struct covered){ 0 };
		plat_unlock(&cover.lock);
		if (!any && cover.instances)
			break;
		if (!any) {
			cover.instances = true;
			cover.at = (size_t)-1;
			continue;
		}
		uint64_t known = one.method ? table_get(&asked, module_key(one.method)) : 0;
		/* A method that was not compiled has not run, so its counts have not changed. */
		if (!(known & DEFINITION) == cover.instances && known & (one.written ? COMPILED : KNOWN)) {
			write_method(t, &one);
			plat_lock(&cover.lock);
			cover.list[cover.at] = one;
			plat_unlock(&cover.lock);
		}
		if (mono_ns() >= until) {
			cover.at++;
			return false;
		}
	}
	cover.at = 0;
	cover.instances = false;
	put_shared();
	return true;
}

static bool
take(unsigned ms)
{
	for (; atomic_flag_test_and_set_explicit(&cover.busy, memory_order_acquire); ms--) {
		if (ms == 0)
			return false;
		plat_sleep_us(1000);
	}
	return true;
}

static void
give(void)
{
	atomic_flag_clear_explicit(&cover.busy, memory_order_release);
}

/* Do a whole pass. */
static void
pass(struct rec_thread *t)
{
	cover.at = 0;
	cover.instances = false;
	step(t, UINT64_MAX);
}

void
coverage_step(void)
{
	struct rec_thread *t;

	if (!atomic_load(&cover.passing) || atomic_load(&cover.holds) || !(t = rec_thread()) || !take(0))
		return;
	if (!atomic_load(&cover.listens)) {
		give();
		return;
	}
	if (step(t, mono_ns() + STEP_NS)) {
		atomic_fetch_add(&cover.passes, 1);
		atomic_store(&cover.passing, false);
	}
	give();
}

void
coverage_tick(void)
{
	static uint64_t last_pass, last_step, first;
	uint64_t now = mono_ns();

	if (!first)
		first = now;
	if (atomic_load(&cover.passing)) {
		last_pass = now;
	} else if (now - last_pass >= PASS_NS && atomic_load(&cover.reads) <= READS + READS_S * ((now - first) / 1000000000)) {
		atomic_store(&cover.passing, true);
	} else {
		return;
	}
	if (now - last_step >= STEPS_NS) {
		last_step = now;
		late_wake();
	}
}

/* Wait for two passes if one is running, as it may have read a method before this call. */
void
coverage_settle(void)
{
	uint32_t passes = atomic_load(&cover.passes), want = atomic_load(&cover.passing) ? 2 : 1;

	if (!coverage_repeats() || !atomic_load(&cover.listens))
		return;
	for (unsigned ms = 0; ms < 1000 && atomic_load(&cover.passes) - passes < want; ms += 5) {
		atomic_store(&cover.passing, true);
		late_wake();
		plat_sleep_us(5000);
	}
}

/* --- unloading --------------------------------------------------------------------------------- */

void
coverage_unload(MonoDomain *d)
{
	struct rec_thread *t = rec_thread();

	table_set(&dying, (uint64_t)api.mono_domain_get_id(d) + 1, 1);
	atomic_fetch_add(&cover.holds, 1);
	if (t && !atomic_load(&cover.ended) && take(1000)) {
		pass(t);
		give();
	}
}

/* Forget a domain: its code no longer runs, and another domain may get its number. */
static void
on_domain_unloaded(MonoProfiler *p, MonoDomain *d)
{
	uint64_t domain = (uint64_t)api.mono_domain_get_id(d) + 1;

	(void)p;
	plat_lock(&cover.lock);
	for (size_t i = 0; i < cover.n; i++) {
		uint64_t known = cover.list[i].method ? table_get(&asked, module_key(cover.list[i].method)) : 0;
		if (known >> DOMAIN == domain)
			table_set(&asked, module_key(cover.list[i].method), known & (((uint64_t)1 << DOMAIN) - 1));
	}
	plat_unlock(&cover.lock);
	table_set(&dying, domain, 0);
	atomic_fetch_sub(&cover.holds, 1);
}

/*
 * True if a method is unloaded with ${image}, as are instances of other images' generic methods for its types. A method whose code was last compiled by a
 * domain that stays is not: with such a type, the domain would have kept the image.
 */
static bool
goes_with(const struct covered *c, const MonoImage *image)
{
	uint64_t known = table_get(&asked, module_key(c->method));

	return c->image == image || !(known & DEFINITION || (known >> DOMAIN && !table_get(&dying, known >> DOMAIN)));
}

static void
on_image_unloaded(MonoProfiler *p, MonoImage *image)
{
	(void)p;
	if (!take(1000))
		return;
	for (size_t i = 0; i < cover.nimage; i++) {
		if (cover.image[i] != image)
			continue;
		cover.scanned -= i < cover.scanned;
		cover.row = i == cover.scanned ? 0 : cover.row;
		memmove(&cover.image[i], &cover.image[i + 1], (--cover.nimage - i) * sizeof *cover.image);
		break;
	}
	plat_lock(&cover.lock);
	for (size_t i = 0; i < cover.n; i++) {
		struct covered *c = &cover.list[i];
		if (!c->method || !goes_with(c, image))
			continue;
		table_set(&asked, module_key(c->method), c->image == image ? 0 : KNOWN | COVERED | COMPILED | GONE);
		counts_forget(c->method);
		free(c->hits);
		*c = (struct covered){ 0 };
	}
	plat_unlock(&cover.lock);
	give();
}

/* Keep coverage off in a pause, as counts read then would be lost. */
void
coverage_listen(bool on)
{
	atomic_store(&cover.listens, on);
	if (coverage_wanted() && !on && take(1000))
		give();
}

/* Write all counts. They cover the whole run, so a pause at the end must not hide them. */
void
coverage_end(void)
{
	struct rec_thread *t;

	if (!coverage_wanted() || !module.tools || atomic_exchange(&cover.ended, true))
		return;
	rec_resume();
	if (!(t = rec_thread()))
		return;
	if (take(2000))
		pass(t);
	else
		module_say("coverage: not all of it could be read");
}

/* True if coverage is also written before the end. A flight recorder does not do so, as its ring would hold little else. */
bool
coverage_repeats(void)
{
	return coverage_wanted() && !module.o.keep_ns && api.mono_gc_finalize_notify != NULL;
}

bool
coverage_wanted(void)
{
	return module.o.coverage;
}

void
coverage_load(void)
{
	static struct _MonoProfiler self;

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
	api.mono_profiler_set_image_unloaded_callback(module.tools, on_image_unloaded);
	/* A separate handle, as other parts already listen to compiling. */
	self.handle = api.mono_profiler_create(&self);
	counts_load(self.handle);
	if (api.mono_profiler_set_jit_begin_callback)
		api.mono_profiler_set_jit_begin_callback(self.handle, on_jit_begin);
	api.mono_profiler_set_jit_done_callback(self.handle, on_jit_done);
	if (api.mono_profiler_set_domain_unloaded_callback)
		api.mono_profiler_set_domain_unloaded_callback(self.handle, on_domain_unloaded);
}
