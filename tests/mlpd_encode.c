#include "mlpd_encode.h"

#include <stdlib.h>
#include <string.h>

/* Event types: the low half of the tag byte. */
enum {
	T_ALLOC,
	T_GC,
	T_METADATA,
	T_METHOD,
	T_EXCEPTION,
	T_MONITOR,
	T_HEAP,
	T_SAMPLE,
	T_RUNTIME,
	T_COVERAGE,
	T_META,
};

/* Kinds of things in metadata events. */
enum { K_CLASS = 1, K_IMAGE, K_ASSEMBLY, K_DOMAIN, K_THREAD, K_CONTEXT, K_VTABLE };

/*
 * Bytes
 */

static void
append(struct mlpd_bytes *b, const void *data, size_t n)
{
	if (b->failed || n == 0)
		return;
	if (n > b->cap - b->len) {
		size_t cap = (b->cap + n) * 2;
		uint8_t *p = realloc(b->data, cap);
		if (p == NULL) {
			b->failed = true;
			return;
		}
		b->data = p;
		b->cap = cap;
	}
	memcpy(b->data + b->len, data, n);
	b->len += n;
}

void
mlpd_u8(struct mlpd_bytes *b, unsigned v)
{
	uint8_t byte = (uint8_t)v;

	append(b, &byte, 1);
}

void
mlpd_fixed(struct mlpd_bytes *b, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		mlpd_u8(b, (unsigned)(v >> (8 * i)) & 0xff);
}

void
mlpd_uleb(struct mlpd_bytes *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		mlpd_u8(b, (unsigned)(v & 0x7f) | 0x80);
	mlpd_u8(b, (unsigned)v);
}

void
mlpd_sleb(struct mlpd_bytes *b, int64_t v)
{
	for (;;) {
		unsigned low = (unsigned)((uint64_t)v & 0x7f);
		bool negative = v < 0;
		/* An arithmetic shift, spelled so that no compiler may choose. */
		v = negative ? ~(~v >> 7) : v >> 7;
		if (v == (negative ? -1 : 0) && ((low & 0x40) != 0) == negative) {
			mlpd_u8(b, low);
			return;
		}
		mlpd_u8(b, low | 0x80);
	}
}

void
mlpd_str(struct mlpd_bytes *b, const char *s)
{
	append(b, s ? s : "", s ? strlen(s) + 1 : 1);
}

/*
 * Fields
 */

/* An address of a 4-byte process as the profiler holds it in 64 bits: sign-extended. */
static uint64_t
wide(const struct mlpd_writer *w, uint64_t address)
{
	if (w->ptrsize == 4 && (address & 0x80000000) != 0)
		return address | 0xffffffff00000000;
	return address;
}

static void
put_ptr(struct mlpd_buffer *b, uint64_t p)
{
	mlpd_sleb(&b->events, (int64_t)(wide(b->w, p) - b->ptr_base));
}

static void
put_obj(struct mlpd_buffer *b, uint64_t obj)
{
	mlpd_sleb(&b->events, (int64_t)((wide(b->w, obj) >> 3) - b->obj_base));
}

static void
put_method(struct mlpd_buffer *b, uint64_t method)
{
	method = wide(b->w, method);
	mlpd_sleb(&b->events, (int64_t)(method - b->method));
	b->method = method;
}

/* Fields that became one byte in V 13. */
static void
put_byte(struct mlpd_buffer *b, unsigned v)
{
	if (b->w->version >= 13)
		mlpd_u8(&b->events, v);
	else
		mlpd_uleb(&b->events, v);
}

/* Counter fields, which are one byte in V 13 and 14 only. */
static void
put_counter_field(struct mlpd_buffer *b, unsigned v)
{
	if (b->w->version == 13 || b->w->version == 14)
		mlpd_u8(&b->events, v & 0xff);
	else
		mlpd_uleb(&b->events, v);
}

static void
put_flags(struct mlpd_buffer *b)
{
	if (b->w->version <= 12)
		mlpd_uleb(&b->events, 0);
}

static void
put_stack(struct mlpd_buffer *b, const struct mlpd_stack *s)
{
	if (s == NULL)
		return;
	put_flags(b);
	mlpd_uleb(&b->events, s->n);
	for (size_t i = 0; i < s->n; i++) {
		if (b->w->version >= 13)
			put_method(b, s->frames[i]);
		else
			put_ptr(b, s->frames[i]);
	}
}

static void
put_figures(struct mlpd_buffer *b, const uint64_t *figures, size_t n)
{
	for (size_t i = 0; i < n; i++)
		mlpd_uleb(&b->events, figures[i]);
}

static void
put_tag(struct mlpd_buffer *b, int type, unsigned sub)
{
	mlpd_u8(&b->events, (unsigned)type | sub);
}

static void
put_time(struct mlpd_buffer *b, uint64_t t)
{
	mlpd_uleb(&b->events, t - b->time);
	b->time = t;
}

static void
event(struct mlpd_buffer *b, uint64_t t, int type, unsigned sub)
{
	put_tag(b, type, sub);
	put_time(b, t);
}

/* The start of an event that has no time until V 13. */
static void
late_timed_event(struct mlpd_buffer *b, uint64_t t, int type, unsigned sub)
{
	put_tag(b, type, sub);
	if (b->w->version >= 13)
		put_time(b, t);
}

/*
 * File and buffers
 */

void
mlpd_init(struct mlpd_writer *w, int version, int ptrsize)
{
	memset(w, 0, sizeof *w);
	w->version = version;
	w->ptrsize = ptrsize;
}

static void
put_header_text(struct mlpd_bytes *b, const char *s)
{
	mlpd_fixed(b, strlen(s) + 1, 4);
	mlpd_str(b, s);
}

void
mlpd_header(struct mlpd_writer *w, uint64_t wall_ms, uint64_t clock_ns)
{
	/* The profiler versions of the Mono releases that wrote each data version. */
	unsigned major = w->version >= 15 ? 3 : w->version >= 13 ? 1 : 0;
	unsigned minor = major == 0 ? 4 : w->version == 14 ? 2 : 0;
	struct mlpd_bytes *b = &w->out;

	w->clock_ns = clock_ns;
	mlpd_fixed(b, 0x4d505a01, 4);
	mlpd_u8(b, major);
	mlpd_u8(b, minor);
	mlpd_u8(b, (unsigned)w->version);
	mlpd_u8(b, (unsigned)w->ptrsize);
	mlpd_fixed(b, wall_ms, 8);
	if (major >= 3)
		mlpd_fixed(b, clock_ns, 8);
	mlpd_fixed(b, 21, 4);   /* timer overhead */
	mlpd_fixed(b, 0, 4);    /* flags */
	mlpd_fixed(b, 4711, 4); /* pid */
	mlpd_fixed(b, 0, 2);    /* port */
	if (major == 0) {
		mlpd_fixed(b, 0, 2);
	} else {
		put_header_text(b, "log:test");
		put_header_text(b, w->ptrsize == 8 ? "x86-64" : "x86");
		put_header_text(b, "linux");
	}
	w->failed |= b->failed;
}

void
mlpd_free(struct mlpd_writer *w)
{
	free(w->out.data);
	memset(w, 0, sizeof *w);
}

void
mlpd_open(struct mlpd_buffer *b, struct mlpd_writer *w, uint64_t thread, uint64_t time, uint64_t ptr_base,
    uint64_t obj_base, uint64_t method_base)
{
	memset(b, 0, sizeof *b);
	b->w = w;
	b->thread = wide(w, thread);
	b->time = b->time_base = time;
	b->ptr_base = wide(w, ptr_base);
	b->obj_base = wide(w, obj_base) >> 3;
	b->method = b->method_base = wide(w, method_base);
}

void
mlpd_flush(struct mlpd_buffer *b)
{
	struct mlpd_bytes *out = &b->w->out;

	if (b->events.len > 0) {
		mlpd_fixed(out, 0x4d504c01, 4);
		mlpd_fixed(out, b->events.len, 4);
		mlpd_fixed(out, b->time_base, 8);
		mlpd_fixed(out, b->ptr_base, 8);
		mlpd_fixed(out, b->obj_base, 8);
		mlpd_fixed(out, b->thread, 8);
		mlpd_fixed(out, b->method_base, 8);
		append(out, b->events.data, b->events.len);
	}
	b->w->failed |= out->failed || b->events.failed;
	free(b->events.data);
	memset(&b->events, 0, sizeof b->events);
}

/*
 * Allocation, GC, finalizers
 */

void
mlpd_alloc(struct mlpd_buffer *b, uint64_t t, uint64_t type, uint64_t obj, uint64_t size,
    const struct mlpd_stack *stack)
{
	event(b, t, T_ALLOC, stack ? 0x10 : 0x00);
	put_ptr(b, type);
	put_obj(b, obj);
	mlpd_uleb(&b->events, size);
	put_stack(b, stack);
}

void
mlpd_gc_event(struct mlpd_buffer *b, uint64_t t, unsigned kind, unsigned generation)
{
	event(b, t, T_GC, 0x10);
	put_byte(b, kind);
	put_byte(b, generation);
}

void
mlpd_gc_resize(struct mlpd_buffer *b, uint64_t t, uint64_t size)
{
	event(b, t, T_GC, 0x20);
	mlpd_uleb(&b->events, size);
}

void
mlpd_gc_moves(struct mlpd_buffer *b, uint64_t t, const uint64_t *objs, size_t n)
{
	event(b, t, T_GC, 0x30);
	mlpd_uleb(&b->events, n);
	for (size_t i = 0; i < n; i++)
		put_obj(b, objs[i]);
}

void
mlpd_handle_created(struct mlpd_buffer *b, uint64_t t, unsigned kind, uint64_t handle, uint64_t obj,
    const struct mlpd_stack *stack)
{
	event(b, t, T_GC, stack ? 0x60 : 0x40);
	mlpd_uleb(&b->events, kind);
	mlpd_uleb(&b->events, handle);
	put_obj(b, obj);
	put_stack(b, stack);
}

void
mlpd_handle_destroyed(
    struct mlpd_buffer *b, uint64_t t, unsigned kind, uint64_t handle, const struct mlpd_stack *stack)
{
	event(b, t, T_GC, stack ? 0x70 : 0x50);
	mlpd_uleb(&b->events, kind);
	mlpd_uleb(&b->events, handle);
	put_stack(b, stack);
}

void
mlpd_finalize_queue(struct mlpd_buffer *b, uint64_t t, bool begin)
{
	event(b, t, T_GC, begin ? 0x80 : 0x90);
}

void
mlpd_finalize_object(struct mlpd_buffer *b, uint64_t t, bool begin, uint64_t obj)
{
	event(b, t, T_GC, begin ? 0xa0 : 0xb0);
	put_obj(b, obj);
}

/*
 * Metadata
 */

static void
metadata(struct mlpd_buffer *b, uint64_t t, enum mlpd_meta sub, unsigned kind, uint64_t id)
{
	event(b, t, T_METADATA, (unsigned)sub);
	mlpd_u8(&b->events, kind);
	put_ptr(b, id);
}

void
mlpd_class(
    struct mlpd_buffer *b, uint64_t t, enum mlpd_meta sub, uint64_t id, uint64_t image, const char *name)
{
	metadata(b, t, sub, K_CLASS, id);
	put_ptr(b, image);
	put_flags(b);
	mlpd_str(&b->events, name);
}

void
mlpd_image(
    struct mlpd_buffer *b, uint64_t t, enum mlpd_meta sub, uint64_t id, const char *name, const char *mvid)
{
	metadata(b, t, sub, K_IMAGE, id);
	put_flags(b);
	mlpd_str(&b->events, name);
	if (b->w->version >= 16 && sub == MLPD_LOAD)
		mlpd_str(&b->events, mvid);
}

void
mlpd_assembly(
    struct mlpd_buffer *b, uint64_t t, enum mlpd_meta sub, uint64_t id, uint64_t image, const char *name)
{
	metadata(b, t, sub, K_ASSEMBLY, id);
	if (b->w->version >= 14)
		put_ptr(b, image);
	put_flags(b);
	mlpd_str(&b->events, name);
}

void
mlpd_domain(struct mlpd_buffer *b, uint64_t t, enum mlpd_meta sub, uint64_t id, const char *name)
{
	metadata(b, t, sub, K_DOMAIN, id);
	put_flags(b);
	if (sub == MLPD_NAME)
		mlpd_str(&b->events, name);
}

void
mlpd_thread(struct mlpd_buffer *b, uint64_t t, enum mlpd_meta sub, uint64_t id, const char *name)
{
	metadata(b, t, sub, K_THREAD, id);
	put_flags(b);
	if (sub == MLPD_NAME)
		mlpd_str(&b->events, name);
}

void
mlpd_context(struct mlpd_buffer *b, uint64_t t, enum mlpd_meta sub, uint64_t id, uint64_t domain)
{
	metadata(b, t, sub, K_CONTEXT, id);
	put_flags(b);
	put_ptr(b, domain);
}

void
mlpd_vtable(
    struct mlpd_buffer *b, uint64_t t, enum mlpd_meta sub, uint64_t id, uint64_t domain, uint64_t class_id)
{
	metadata(b, t, sub, K_VTABLE, id);
	put_ptr(b, domain);
	put_ptr(b, class_id);
}

/*
 * Methods, exceptions, monitors
 */

void
mlpd_enter(struct mlpd_buffer *b, uint64_t t, uint64_t method)
{
	event(b, t, T_METHOD, 0x20);
	put_method(b, method);
}

void
mlpd_leave(struct mlpd_buffer *b, uint64_t t, uint64_t method)
{
	event(b, t, T_METHOD, 0x10);
	put_method(b, method);
}

void
mlpd_exc_leave(struct mlpd_buffer *b, uint64_t t, uint64_t method)
{
	event(b, t, T_METHOD, 0x30);
	put_method(b, method);
}

void
mlpd_method(
    struct mlpd_buffer *b, uint64_t t, uint64_t method, uint64_t code, uint64_t size, const char *name)
{
	event(b, t, T_METHOD, 0x40);
	put_method(b, method);
	put_ptr(b, code);
	mlpd_uleb(&b->events, size);
	mlpd_str(&b->events, name);
}

void
mlpd_throw(struct mlpd_buffer *b, uint64_t t, uint64_t obj, const struct mlpd_stack *stack)
{
	event(b, t, T_EXCEPTION, stack ? 0x80 : 0x00);
	put_obj(b, obj);
	put_stack(b, stack);
}

void
mlpd_clause(struct mlpd_buffer *b, uint64_t t, unsigned kind, uint64_t index, uint64_t method, uint64_t obj)
{
	event(b, t, T_EXCEPTION, 0x10);
	put_byte(b, kind);
	mlpd_uleb(&b->events, index);
	put_method(b, method);
	if (b->w->version >= 14)
		put_obj(b, obj);
}

void
mlpd_monitor(struct mlpd_buffer *b, uint64_t t, unsigned kind, uint64_t obj, const struct mlpd_stack *stack)
{
	unsigned with_stack = stack ? 0x80 : 0x00;

	if (b->w->version >= 14) {
		event(b, t, T_MONITOR, with_stack);
		mlpd_u8(&b->events, kind);
	} else {
		event(b, t, T_MONITOR, with_stack | (kind & 3) << 4);
	}
	put_obj(b, obj);
	put_stack(b, stack);
}

/*
 * Heap shots and roots
 */

void
mlpd_heap_begin(struct mlpd_buffer *b, uint64_t t)
{
	event(b, t, T_HEAP, 0x00);
}

void
mlpd_heap_end(struct mlpd_buffer *b, uint64_t t)
{
	event(b, t, T_HEAP, 0x10);
}

void
mlpd_heap_object(struct mlpd_buffer *b, uint64_t t, uint64_t obj, uint64_t type, uint64_t size,
    unsigned generation, const struct mlpd_ref *refs, size_t n)
{
	uint64_t offset = 0;

	late_timed_event(b, t, T_HEAP, 0x20);
	put_obj(b, obj);
	put_ptr(b, type);
	mlpd_uleb(&b->events, size);
	if (b->w->version >= 16)
		mlpd_u8(&b->events, generation);
	mlpd_uleb(&b->events, n);
	for (size_t i = 0; i < n; i++) {
		mlpd_uleb(&b->events, refs[i].offset - offset);
		offset = refs[i].offset;
		put_obj(b, refs[i].obj);
	}
}

void
mlpd_roots(struct mlpd_buffer *b, uint64_t t, const struct mlpd_root *roots, size_t n)
{
	int version = b->w->version;

	late_timed_event(b, t, T_HEAP, 0x30);
	mlpd_uleb(&b->events, n);
	if (version <= 14)
		mlpd_uleb(&b->events, 1); /* collections so far */
	for (size_t i = 0; i < n; i++) {
		if (version >= 15) {
			put_ptr(b, roots[i].slot);
			put_obj(b, roots[i].obj);
			continue;
		}
		put_obj(b, roots[i].obj);
		if (version == 13)
			mlpd_u8(&b->events, (unsigned)roots[i].kind & 0xff);
		else
			mlpd_uleb(&b->events, roots[i].kind);
		mlpd_uleb(&b->events, 0);
	}
}

void
mlpd_root_register(struct mlpd_buffer *b, uint64_t t, uint64_t start, uint64_t size, unsigned source,
    uint64_t key, const char *text)
{
	event(b, t, T_HEAP, 0x40);
	put_ptr(b, start);
	mlpd_uleb(&b->events, size);
	mlpd_u8(&b->events, source);
	put_ptr(b, key);
	mlpd_str(&b->events, text);
}

void
mlpd_root_unregister(struct mlpd_buffer *b, uint64_t t, uint64_t start)
{
	event(b, t, T_HEAP, 0x50);
	put_ptr(b, start);
}

/*
 * Samples, counters, JIT helpers
 */

void
mlpd_hit(struct mlpd_buffer *b, uint64_t t, uint64_t thread, const uint64_t *ips, size_t n,
    const struct mlpd_stack *stack)
{
	int version = b->w->version;

	put_tag(b, T_SAMPLE, 0x00);
	if (version >= 13)
		put_time(b, t);
	if (version <= 12)
		mlpd_uleb(&b->events, 1); /* sample type: cycles */
	else if (version == 13)
		mlpd_u8(&b->events, 1);
	if (version <= 12)
		mlpd_uleb(&b->events, t);
	if (version >= 11)
		put_ptr(b, thread);
	mlpd_uleb(&b->events, n);
	for (size_t i = 0; i < n; i++)
		put_ptr(b, ips[i]);
	if (version < 6)
		return;
	mlpd_uleb(&b->events, stack->n);
	for (size_t i = 0; i < stack->n; i++) {
		put_method(b, stack->frames[i]);
		if (version <= 12) {
			mlpd_sleb(&b->events, (int64_t)(i * 5));          /* IL offset */
			mlpd_sleb(&b->events, i == 0 ? 77 : (int64_t)-1); /* native offset */
		}
	}
}

void
mlpd_symbol(struct mlpd_buffer *b, uint64_t t, uint64_t address, uint64_t size, const char *name)
{
	late_timed_event(b, t, T_SAMPLE, 0x10);
	put_ptr(b, address);
	mlpd_uleb(&b->events, size);
	mlpd_str(&b->events, name);
}

void
mlpd_binary(
    struct mlpd_buffer *b, uint64_t t, uint64_t address, uint64_t offset, uint64_t size, const char *file)
{
	event(b, t, T_SAMPLE, 0x20);
	if (b->w->version >= 14)
		put_ptr(b, address);
	else
		mlpd_sleb(&b->events, (int64_t)wide(b->w, address));
	mlpd_uleb(&b->events, offset);
	mlpd_uleb(&b->events, size);
	mlpd_str(&b->events, file);
}

void
mlpd_counter_desc(struct mlpd_buffer *b, uint64_t t, const struct mlpd_counter *counters, size_t n)
{
	bool loses_unit = b->w->version == 13 || b->w->version == 14;

	late_timed_event(b, t, T_SAMPLE, 0x30);
	mlpd_uleb(&b->events, n);
	for (size_t i = 0; i < n; i++) {
		const struct mlpd_counter *c = &counters[i];
		mlpd_uleb(&b->events, c->section);
		if (c->section == 0x8000)
			mlpd_str(&b->events, c->section_name);
		mlpd_str(&b->events, c->name);
		put_counter_field(b, c->type);
		put_counter_field(b, loses_unit ? 0 : c->unit);
		put_counter_field(b, loses_unit ? 0 : c->variance);
		mlpd_uleb(&b->events, c->index);
	}
}

static void
put_count(struct mlpd_buffer *b, const struct mlpd_count *c)
{
	uint64_t bits;

	mlpd_uleb(&b->events, c->index);
	put_counter_field(b, c->type);
	switch (c->type) {
	case 1:
	case 4:
		mlpd_uleb(&b->events, (uint64_t)c->value);
		break;
	case 5:
		memcpy(&bits, &c->real, sizeof bits);
		mlpd_fixed(&b->events, bits, 8);
		break;
	case 6:
		mlpd_u8(&b->events, c->text != NULL);
		if (c->text != NULL)
			mlpd_str(&b->events, c->text);
		break;
	default:
		mlpd_sleb(&b->events, c->value);
		break;
	}
}

void
mlpd_counters(struct mlpd_buffer *b, uint64_t t, const struct mlpd_count *counts, size_t n)
{
	late_timed_event(b, t, T_SAMPLE, 0x40);
	if (b->w->version <= 12)
		mlpd_uleb(&b->events, t > b->w->clock_ns ? (t - b->w->clock_ns) / 1000000 : 0);
	for (size_t i = 0; i < n; i++)
		put_count(b, &counts[i]);
	mlpd_uleb(&b->events, 0);
}

void
mlpd_jit_helper(
    struct mlpd_buffer *b, uint64_t t, unsigned kind, uint64_t start, uint64_t size, const char *name)
{
	event(b, t, T_RUNTIME, 0x10);
	put_byte(b, b->w->version <= 13 ? kind + 1 : kind);
	put_ptr(b, start);
	mlpd_uleb(&b->events, size);
	if (kind == 5)
		mlpd_str(&b->events, name);
}

/*
 * Coverage and meta events
 */

void
mlpd_cov_assembly(struct mlpd_buffer *b, uint64_t t, const char *name, const char *guid, const char *file,
    const uint64_t figures[3])
{
	late_timed_event(b, t, T_COVERAGE, 0x00);
	mlpd_str(&b->events, name);
	mlpd_str(&b->events, guid);
	mlpd_str(&b->events, file);
	put_figures(b, figures, 3);
}

void
mlpd_cov_method(struct mlpd_buffer *b, uint64_t t, const char *const texts[5], const uint64_t figures[3])
{
	late_timed_event(b, t, T_COVERAGE, 0x10);
	for (int i = 0; i < 5; i++)
		mlpd_str(&b->events, texts[i]);
	put_figures(b, figures, 3);
}

void
mlpd_cov_statement(struct mlpd_buffer *b, uint64_t t, const uint64_t figures[5])
{
	late_timed_event(b, t, T_COVERAGE, 0x20);
	put_figures(b, figures, 5);
}

void
mlpd_cov_class(
    struct mlpd_buffer *b, uint64_t t, const char *assembly, const char *name, const uint64_t figures[3])
{
	late_timed_event(b, t, T_COVERAGE, 0x30);
	mlpd_str(&b->events, assembly);
	mlpd_str(&b->events, name);
	put_figures(b, figures, 3);
}

void
mlpd_sync(struct mlpd_buffer *b, uint64_t t, unsigned kind)
{
	event(b, t, T_META, 0x00);
	mlpd_u8(&b->events, kind);
}

void
mlpd_aot_id(struct mlpd_buffer *b, uint64_t t, const char *text)
{
	event(b, t, T_META, 0x10);
	mlpd_str(&b->events, text);
}

/*
 * A capture with everything
 */

enum { N_METHODS = 7, N_CLASSES = 6 };

/* One run of a small made-up program. All times come from one clock, so they order everything. */
struct sample {
	struct mlpd_writer w;
	int version;
	uint64_t rng, now;
	uint64_t meta, heap, code; /* where addresses of each sort begin */
	uint64_t main_tid, worker_tid, writer_tid;
	uint64_t next_obj;
	struct mlpd_buffer main, worker, writer;
};

static const char *const method_names[N_METHODS] = {
	"Game.Program:Main (string[])",
	"Game.World:Frame (int)",
	"Game.World/Nested:Update<int> (single,string[])",
	"Game.Player:.ctor ()",
	"Größe.データ:Läuft (int)",
	"(wrapper managed-to-native) System.Threading.Thread:Wait (int)",
	"Aot.Library:Throw ()",
};
enum { M_MAIN, M_FRAME, M_UPDATE, M_CTOR, M_RUN, M_WAIT, M_AOT };

static const char *const class_names[N_CLASSES] = {
	"System.String",
	"System.Byte[]",
	"Game.Player",
	"Game.Late<System.Int32>",
	"Game.Later",
	"Plugin.One",
};
enum { C_STRING, C_BYTES, C_PLAYER, C_LATE, C_LATER, C_PLUGIN };

/* SplitMix64. */
static uint64_t
random64(struct sample *s)
{
	uint64_t z = s->rng += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t
below(struct sample *s, uint64_t n)
{
	return random64(s) % n;
}

static uint64_t
tick(struct sample *s)
{
	return s->now += 20 + below(s, 1500);
}

static uint64_t
method_of(const struct sample *s, int i)
{
	return s->code + 0x1000 + (uint64_t)i * 0x28;
}

static uint64_t
class_of(const struct sample *s, int i)
{
	return s->meta + 0x8000 + (uint64_t)i * 0xe0;
}

/* What allocations and heap objects of class i name. */
static uint64_t
type_of(const struct sample *s, int i)
{
	return s->version >= 15 ? s->meta + 0x20000 + (uint64_t)i * 0x150 : class_of(s, i);
}

static uint64_t
new_object(struct sample *s, uint64_t size)
{
	uint64_t obj = s->next_obj;

	s->next_obj += size;
	return obj;
}

static void
open_buffer(struct sample *s, struct mlpd_buffer *b, uint64_t tid)
{
	/* One draw per statement: C may evaluate arguments in any order. */
	uint64_t ptr_base = s->meta + below(s, 64) * 8;
	uint64_t obj_base = s->heap + below(s, 64) * 8;
	uint64_t method_base = method_of(s, (int)below(s, N_METHODS));

	mlpd_open(b, &s->w, tid, s->now, ptr_base, obj_base, method_base);
}

static void
next_buffer(struct sample *s, struct mlpd_buffer *b, uint64_t tid)
{
	mlpd_flush(b);
	open_buffer(s, b, tid);
}

static void
load_class(struct sample *s, struct mlpd_buffer *b, int i, const char *name)
{
	mlpd_class(b, tick(s), MLPD_LOAD, class_of(s, i), s->meta + 0x100, name);
	if (s->version >= 15)
		mlpd_vtable(b, tick(s), MLPD_LOAD, type_of(s, i), 0, class_of(s, i));
}

static uint64_t
allocate(struct sample *s, struct mlpd_buffer *b, int i, const struct mlpd_stack *stack)
{
	uint64_t size = 16 + below(s, 30) * 8, obj = new_object(s, size);

	mlpd_alloc(b, tick(s), type_of(s, i), obj, size, stack);
	return obj;
}

/* The records of the writer thread: method names, one of them with a time before the others. */
static void
sample_methods(struct sample *s)
{
	struct mlpd_buffer *b = &s->writer;

	mlpd_thread(b, tick(s), MLPD_LOAD, s->writer_tid, NULL);
	mlpd_thread(b, tick(s), MLPD_NAME, s->writer_tid, "Profiler Writer");
	for (int i = 0; i < N_METHODS; i++) {
		uint64_t t = i == 3 ? s->now - 3000 : tick(s);
		bool compiled = s->version < 11 || i != 5; /* without code: noticed by a stack walk */
		mlpd_method(b, t, method_of(s, i), compiled ? s->code + (uint64_t)i * 0x200 : 0,
		    compiled ? 0x180 : 0, method_names[i]);
	}
	next_buffer(s, b, s->writer_tid);
}

/* The main thread up to its first frame: the program's domain, files and first classes. */
static void
sample_start(struct sample *s)
{
	struct mlpd_buffer *b = &s->main;
	uint64_t image = s->meta + 0x100, assembly = s->meta + 0x200;

	mlpd_thread(b, tick(s), MLPD_LOAD, s->main_tid, NULL);
	mlpd_thread(b, tick(s), MLPD_NAME, s->main_tid, "Main");
	if (s->version >= 11) {
		mlpd_domain(b, tick(s), MLPD_LOAD, 0, NULL);
		mlpd_domain(b, tick(s), MLPD_NAME, 0, "Game.exe");
		mlpd_domain(b, tick(s), MLPD_LOAD, 1, NULL);
		mlpd_domain(b, tick(s), MLPD_NAME, 1, "Plug-ins");
		mlpd_context(b, tick(s), MLPD_LOAD, 0, 0);
		mlpd_assembly(b, tick(s), MLPD_LOAD, assembly, image, "Game, Version=1.0.0.0");
		mlpd_assembly(b, tick(s), MLPD_LOAD, assembly + 8, image + 8, "Plugin, Version=1.0.0.0");
	}
	mlpd_image(b, tick(s), MLPD_LOAD, image, "/game/Game.exe", "0f8fad5b-d9cb-469f-a165-70867728950e");
	mlpd_image(b, tick(s), MLPD_LOAD, image + 8, "/game/Plugin.dll", "");
	for (int i = C_STRING; i <= C_PLAYER; i++)
		load_class(s, b, i, class_names[i]);
	if (s->version >= 16)
		mlpd_aot_id(b, tick(s), "A1B2C3");
	if (s->version >= 15)
		mlpd_root_register(b, tick(s), s->meta + 0x50000, 0x1000, 1, s->main_tid, "main stack");
	mlpd_enter(b, tick(s), method_of(s, M_MAIN));
}

/*
 * Calls, throws, catches, and waits of the worker in any order: leaves of what was never entered,
 * leaves past others, throws while unwinding.
 */
static void
sample_wild_stack(struct sample *s)
{
	struct mlpd_buffer *b = &s->worker;

	for (int i = 0; i < 40; i++) {
		uint64_t method = method_of(s, (int)below(s, 4)), what = below(s, 10);
		uint64_t t = tick(s);
		if (what < 4)
			mlpd_enter(b, t, method);
		else if (what < 6)
			mlpd_leave(b, t, method);
		else if (what == 6)
			mlpd_exc_leave(b, t, method);
		else if (what == 7)
			mlpd_throw(b, t, s->heap + 0x80, NULL);
		else if (what == 8)
			mlpd_clause(b, t, (unsigned)(i & 2), 0, method, s->heap + 0x80);
		else
			mlpd_monitor(b, t, 1 + (unsigned)(i % 3), s->heap + 0x40, NULL);
	}
}

static void
sample_worker_start(struct sample *s)
{
	struct mlpd_buffer *b = &s->worker;

	mlpd_thread(b, tick(s), MLPD_LOAD, s->worker_tid, NULL);
	mlpd_thread(b, tick(s), MLPD_NAME, s->worker_tid, "worker");
	mlpd_enter(b, tick(s), method_of(s, M_RUN));
	/* In the file this record comes after the main thread's first uses of it. */
	load_class(s, b, C_LATE, class_names[C_LATE]);
}

/* A throw two calls deep, caught in the frame: a filter, two unwound calls, one of them never entered. */
static void
sample_exception(struct sample *s, const struct mlpd_stack *stack)
{
	struct mlpd_buffer *b = &s->main;
	uint64_t obj = allocate(s, b, C_PLAYER, NULL);

	mlpd_enter(b, tick(s), method_of(s, M_UPDATE));
	mlpd_enter(b, tick(s), method_of(s, M_CTOR));
	mlpd_throw(b, tick(s), obj, stack);
	mlpd_clause(b, tick(s), 1, 0, method_of(s, M_FRAME), obj);
	mlpd_exc_leave(b, tick(s), method_of(s, M_AOT));
	mlpd_exc_leave(b, tick(s), method_of(s, M_CTOR));
	mlpd_clause(b, tick(s), 2, 0, method_of(s, M_UPDATE), obj);
	mlpd_exc_leave(b, tick(s), method_of(s, M_UPDATE));
	mlpd_clause(b, tick(s), 0, 1, method_of(s, M_FRAME), obj);
	mlpd_clause(b, tick(s), 4, 0, method_of(s, M_FRAME), 0);
}

/* The worker waits for a lock twice, and gives up the third time, while the main thread goes on. */
static void
sample_contention(struct sample *s, const struct mlpd_stack *stack)
{
	uint64_t lock = s->heap + 0x40;

	mlpd_monitor(&s->worker, tick(s), 1, lock, stack);
	mlpd_enter(&s->main, tick(s), method_of(s, M_RUN));
	mlpd_monitor(&s->worker, tick(s), 2, lock, stack);
	mlpd_monitor(&s->worker, tick(s), 1, lock, NULL);
	mlpd_leave(&s->main, tick(s), method_of(s, M_RUN));
	mlpd_monitor(&s->worker, tick(s), 2, lock, NULL);
	mlpd_monitor(&s->worker, tick(s), 1, lock + 16, NULL);
	mlpd_monitor(&s->worker, tick(s), 3, lock + 16, NULL);
}

static void
sample_frame(struct sample *s, int i)
{
	struct mlpd_buffer *b = &s->main;
	uint64_t frames[3] = { method_of(s, M_MAIN), method_of(s, M_FRAME), method_of(s, M_UPDATE) };
	struct mlpd_stack stack = { frames, 2 + (size_t)below(s, 2) };
	int depth = 1 + (int)below(s, 3);

	mlpd_enter(b, tick(s), method_of(s, M_FRAME));
	for (int k = 0; k < depth; k++)
		mlpd_enter(b, tick(s), method_of(s, M_UPDATE));
	for (int k = 0; k < 3; k++)
		allocate(s, b, (int)below(s, C_LATER), k == 0 ? &stack : NULL);
	for (int k = 0; k < depth; k++)
		mlpd_leave(b, tick(s), method_of(s, M_UPDATE));
	if (i == 0)
		sample_exception(s, NULL);
	if (i == 1) {
		sample_contention(s, &stack);
		sample_exception(s, &stack);
	}
	allocate(s, &s->worker, C_BYTES, NULL);
	mlpd_leave(b, tick(s), method_of(s, M_FRAME));
}

/* One address, two classes after each other; and a class whose record is later than its use. */
static void
sample_reused_address(struct sample *s)
{
	load_class(s, &s->main, C_PLUGIN, class_names[C_PLUGIN]);
	allocate(s, &s->main, C_PLUGIN, NULL);
	load_class(s, &s->worker, C_PLUGIN, "Plugin.Two");
	allocate(s, &s->main, C_PLUGIN, NULL);
	allocate(s, &s->main, C_PLUGIN, NULL);
	allocate(s, &s->main, C_LATER, NULL);
	load_class(s, &s->worker, C_LATER, class_names[C_LATER]);
}

static void
sample_heap_shot(struct sample *s)
{
	struct mlpd_buffer *b = &s->main;
	uint64_t a = s->heap + 0x80, c = s->heap + 0x100, d = s->heap + 0x180;
	struct mlpd_ref refs[3] = { { 16, c }, { 24, d }, { 200, a } };
	struct mlpd_root roots[2] = { { s->meta + 0x50010, a, 1 }, { 1, c, 2 | 0x100 } };

	mlpd_roots(b, tick(s), roots, 2);
	mlpd_heap_begin(b, tick(s));
	mlpd_heap_object(b, tick(s), a, type_of(s, C_PLAYER), 48, 0, refs, 2);
	next_buffer(s, b, s->main_tid);
	mlpd_heap_object(b, tick(s), c, type_of(s, C_STRING), 32, 1, NULL, 0);
	mlpd_heap_object(b, tick(s), d, type_of(s, C_LATE), 256, 1, refs, 3);
	mlpd_heap_object(b, tick(s), d, type_of(s, C_LATE), 0, 1, refs, 1);
	mlpd_heap_end(b, tick(s));
}

static void
sample_collection(struct sample *s, unsigned generation)
{
	struct mlpd_buffer *b = &s->main;
	uint64_t moves[4] = { s->heap + 0x400, s->heap + 0x80, s->heap + 0x440, s->heap + 0x100 };
	uint64_t size = (1 + below(s, 100)) << 16;

	mlpd_gc_event(b, tick(s), 6, generation);
	if (s->version >= 13) {
		mlpd_gc_event(b, tick(s), 10, generation);
		mlpd_sync(b, tick(s), 1);
	}
	mlpd_gc_event(b, tick(s), 7, generation);
	mlpd_gc_event(b, tick(s), 0, generation);
	for (unsigned kind = 1; kind <= 4 && s->version <= 13; kind++)
		mlpd_gc_event(b, tick(s), kind, generation);
	mlpd_gc_moves(b, tick(s), moves, generation == 0 ? 2 : 4);
	if (generation == 1)
		sample_heap_shot(s);
	mlpd_gc_resize(b, tick(s), size);
	mlpd_gc_event(b, tick(s), 5, generation);
	if (s->version >= 13)
		mlpd_sync(b, tick(s), 2);
	mlpd_gc_event(b, tick(s), 8, generation);
	mlpd_gc_event(b, tick(s), 9, generation);
	if (s->version >= 13)
		mlpd_gc_event(b, tick(s), 11, generation);
}

static void
sample_handles(struct sample *s)
{
	struct mlpd_buffer *b = &s->main;
	uint64_t frames[2] = { method_of(s, M_MAIN), method_of(s, M_WAIT) };
	struct mlpd_stack stack = { frames, 2 }, *with = s->version >= 11 ? &stack : NULL;

	for (unsigned kind = 0; kind < 4; kind++)
		mlpd_handle_created(
		    b, tick(s), kind, 0x11 + kind * 8, s->heap + 0x80, kind % 2 ? with : NULL);
	for (unsigned kind = 0; kind < 3; kind++)
		mlpd_handle_destroyed(b, tick(s), kind, 0x11 + kind * 8, kind % 2 ? NULL : with);
}

/* Hits are written late and in no order, by a thread that is not the one that was hit. */
static void
sample_hits(struct sample *s)
{
	struct mlpd_buffer *b = &s->writer;
	uint64_t frames[3] = { method_of(s, M_WAIT), method_of(s, M_RUN), method_of(s, M_MAIN) };
	struct mlpd_stack stack = { frames, 3 }, none = { NULL, 0 };
	uint64_t ip = s->code + 0x20, native = s->code + 0x900010;

	mlpd_symbol(b, tick(s), s->code + 0x900000, 0, "futex_wait");
	if (s->version <= 15)
		mlpd_binary(b, tick(s), s->code + 0x900000, 0x1000, 0x8000, "/lib/libc.so.6");
	tick(s);
	mlpd_hit(b, s->now - 900, s->worker_tid, &ip, 1, &stack);
	mlpd_hit(b, s->now - 5000, s->main_tid, &native, 1, &none);
	mlpd_hit(b, s->now, s->main_tid, &ip, 1, &stack);
}

static void
sample_counters(struct sample *s)
{
	struct mlpd_buffer *b = &s->writer;
	static const struct mlpd_counter counters[] = {
		{ 0x100, NULL, "Compiled methods", 0, 3u << 24, 1u << 28, 1 },
		{ 0x200, NULL, "Minor collections", 1, 3u << 24, 1u << 28, 2 },
		{ 0x400, NULL, "Mapped bytes", 2, 1u << 24, 1u << 30, 3 },
		{ 0x4000, NULL, "Working set", 3, 1u << 24, 1u << 30, 4 },
		{ 0x2000, NULL, "Ticks", 4, 0, 1u << 28, 5 },
		{ 0x4000, NULL, "Load average", 5, 4u << 24, 1u << 30, 6 },
		{ 0x2000, NULL, "Build", 6, 0, 1u << 29, 7 },
		{ 0x200, NULL, "Collection time", 7, 2u << 24, 1u << 28, 8 },
		{ 0x8000, "Game", "Enemies", 3, 0, 0, 9 },
	};
	static const struct mlpd_count first[] = {
		{ 1, 0, 120, 0, NULL },
		{ 2, 1, 3, 0, NULL },
		{ 3, 2, 65536, 0, NULL },
		{ 4, 3, 5000000000, 0, NULL },
		{ 5, 4, 1, 0, NULL },
		{ 6, 5, 0, 0.25, NULL },
		{ 7, 6, 0, 0, "6.8.0" },
		{ 8, 7, 1500, 0, NULL },
		{ 9, 3, 40, 0, NULL },
	};
	static const struct mlpd_count second[] = {
		{ 1, 0, -20, 0, NULL },
		{ 3, 2, -4096, 0, NULL },
		{ 4, 3, -1000000000, 0, NULL },
		{ 5, 4, 7, 0, NULL },
		{ 6, 5, 0, 1.5, NULL },
		{ 7, 6, 0, 0, NULL },
		{ 8, 7, 250, 0, NULL },
		{ 9, 3, 35, 0, NULL },
	};

	mlpd_counter_desc(b, tick(s), counters, 8);
	mlpd_counter_desc(b, tick(s), counters + 8, 1);
	mlpd_counters(b, tick(s), first, sizeof first / sizeof *first);
	s->now += 1000000000;
	mlpd_counters(b, tick(s), second, sizeof second / sizeof *second);
}

static void
sample_helpers(struct sample *s)
{
	/* Method code, unbox, specific, delegate invoke; V 9 added exception handling. */
	static const unsigned kinds[] = { 0, 2, 5, 8, 9 };

	for (size_t i = 0; i < (s->version >= 9 ? 5u : 4u); i++)
		mlpd_jit_helper(&s->writer, tick(s), kinds[i], s->code + 0x8000 + i * 0x40, 0x40,
		    "generic_trampoline_jit");
}

/* The worker runs finalizers, loses a leave, and ends; then its tid serves another thread. */
static void
sample_worker_end(struct sample *s)
{
	struct mlpd_buffer *b = &s->worker;

	if (s->version >= 13) {
		mlpd_finalize_queue(b, tick(s), true);
		mlpd_finalize_object(b, tick(s), true, s->heap + 0x200);
		mlpd_enter(b, tick(s), method_of(s, M_UPDATE));
		mlpd_leave(b, tick(s), method_of(s, M_UPDATE));
		mlpd_finalize_object(b, tick(s), false, s->heap + 0x200);
		mlpd_finalize_queue(b, tick(s), false);
	}
	mlpd_enter(b, tick(s), method_of(s, M_CTOR));
	mlpd_leave(b, tick(s), method_of(s, M_RUN));
	mlpd_enter(b, tick(s), method_of(s, M_WAIT)); /* open at the end */
	mlpd_thread(b, tick(s), MLPD_UNLOAD, s->worker_tid, NULL);
	next_buffer(s, b, s->worker_tid);
	mlpd_thread(b, tick(s), MLPD_LOAD, s->worker_tid, NULL);
	mlpd_thread(b, tick(s), MLPD_NAME, s->worker_tid, "late");
	mlpd_enter(b, tick(s), method_of(s, M_UPDATE));
	allocate(s, b, C_STRING, NULL);
	mlpd_leave(b, tick(s), method_of(s, M_UPDATE));
	mlpd_thread(b, tick(s), MLPD_UNLOAD, s->worker_tid, NULL);
	mlpd_flush(b);
}

static void
sample_coverage(struct sample *s)
{
	struct mlpd_buffer *b = &s->main;
	static const char *const texts[5] = { "Game", "World", "Frame", "(int)", "/src/World.cs" };
	static const uint64_t assembly[3] = { 4, 1, 0 }, type[3] = { 2, 1, 0 },
			      method[3] = { 0x6000001, 1, 2 };
	static const uint64_t hit[5] = { 1, 0, 3, 17, 9 }, missed[5] = { 1, 14, 0, 18, 13 };

	mlpd_cov_method(b, tick(s), texts, method);
	mlpd_cov_statement(b, tick(s), hit);
	mlpd_cov_statement(b, tick(s), missed);
	mlpd_cov_class(b, tick(s), "Game", "World", type);
	mlpd_cov_assembly(b, tick(s), "Game", "0f8fad5b", "/game/Game.exe", assembly);
}

static void
sample_main_end(struct sample *s)
{
	struct mlpd_buffer *b = &s->main;
	uint64_t image = s->meta + 0x108, assembly = s->meta + 0x208;

	if (s->version >= 10 && s->version <= 15)
		sample_coverage(s);
	if (s->version >= 15)
		mlpd_root_unregister(b, tick(s), s->meta + 0x50000);
	mlpd_leave(b, tick(s), method_of(s, M_MAIN));
	if (s->version >= 11) {
		mlpd_assembly(b, tick(s), MLPD_UNLOAD, assembly, image, "Plugin, Version=1.0.0.0");
		mlpd_image(b, tick(s), MLPD_UNLOAD, image, "/game/Plugin.dll", NULL);
		/*
		 * mprof-report 6.8 reads a text more after an unload, up to the next NUL. This record is
		 * one without a NUL before its last byte, so it loses just that and finds its way again.
		 */
		mlpd_thread(b, tick(s), MLPD_NAME, s->main_tid, "Main");
		mlpd_domain(b, tick(s), MLPD_UNLOAD, 1, NULL);
		mlpd_context(b, tick(s), MLPD_UNLOAD, 0, 0);
	}
	mlpd_thread(b, tick(s), MLPD_UNLOAD, s->main_tid, NULL);
	mlpd_flush(b);
}

static void
sample_run(struct sample *s)
{
	int frames = 3 + (int)below(s, 3);

	sample_start(s);
	sample_worker_start(s);
	for (int i = 0; i < frames; i++) {
		sample_frame(s, i);
		if (i == 0)
			sample_collection(s, 0);
		if (i == 1)
			next_buffer(s, &s->main, s->main_tid);
	}
	sample_reused_address(s);
	sample_collection(s, 1);
	sample_handles(s);
	sample_wild_stack(s);
	next_buffer(s, &s->worker, s->worker_tid);
	sample_wild_stack(s);
	sample_methods(s);
	sample_hits(s);
	if (s->version >= 5)
		sample_counters(s);
	if (s->version >= 8)
		sample_helpers(s);
	if (s->version >= 13)
		mlpd_sync(&s->writer, tick(s), 0);
	sample_worker_end(s);
	sample_main_end(s);
	mlpd_thread(&s->writer, tick(s), MLPD_UNLOAD, s->writer_tid, NULL);
	mlpd_flush(&s->writer);
}

uint8_t *
mlpd_sample(int version, int ptrsize, uint64_t seed, size_t *n)
{
	struct sample s = { .version = version, .rng = seed };
	uint64_t start = 700000000000 + below(&s, 1000000000);

	mlpd_init(&s.w, version, ptrsize);
	mlpd_header(&s.w, 1600000000000, start);
	s.now = start - 3000000; /* as in real captures, events before the header's time */
	s.meta = ptrsize == 8 ? 0x55d0c8a00000 : 0x8a00000;
	s.code = ptrsize == 8 ? 0x7f0a40000000 : 0xf4a00000;
	s.heap = ptrsize == 8 ? 0x7f0a80000000 : 0xf5c00000;
	s.main_tid = ptrsize == 8 ? 0x7f0a9a6bc740 : 0xf7c3a700;
	s.worker_tid = ptrsize == 8 ? 0x7f0a985ff700 : 0xf53feb40;
	s.writer_tid = ptrsize == 8 ? 0x7f0a97dfe700 : 0x7b3feb40;
	s.next_obj = s.heap + 0x1000;
	open_buffer(&s, &s.main, s.main_tid);
	open_buffer(&s, &s.worker, s.worker_tid);
	open_buffer(&s, &s.writer, s.writer_tid);
	sample_run(&s);
	if (s.w.failed) {
		mlpd_free(&s.w);
		return NULL;
	}
	*n = s.w.out.len;
	return s.w.out.data;
}
