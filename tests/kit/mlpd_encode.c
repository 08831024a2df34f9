/**
 * Encodes files of Mono's log profiler for tests. It shares nothing with the reader.
 */
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
	/* Mono 4.6 records ends alone. */
	if (begin && b->w->version <= 13)
		return;
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

static void
stop_world(struct mlpd_buffer *b, const struct mlpd_collection *c)
{
	mlpd_gc_event(b, c->now(c->arg), 6, c->generation);
	if (b->w->version >= 13)
		mlpd_gc_event(b, c->now(c->arg), 10, c->generation);
	mlpd_gc_event(b, c->now(c->arg), 7, c->generation);
	if (b->w->version >= 13)
		mlpd_sync(b, c->now(c->arg), 1);
}

static void
restart_world(struct mlpd_buffer *b, const struct mlpd_collection *c)
{
	if (b->w->version == 13)
		mlpd_gc_event(b, c->now(c->arg), 11, c->generation);
	if (b->w->version >= 13)
		mlpd_sync(b, c->now(c->arg), 2);
	mlpd_gc_event(b, c->now(c->arg), 9, c->generation);
	if (b->w->version >= 14)
		mlpd_gc_event(b, c->now(c->arg), 11, c->generation);
}

void
mlpd_collect(struct mlpd_buffer *b, const struct mlpd_collection *c)
{
	bool early = b->w->version <= 14; /* roots ahead of the shot */

	stop_world(b, c);
	if (c->objects && !early)
		mlpd_heap_begin(b, c->now(c->arg));
	mlpd_gc_event(b, c->now(c->arg), 0, c->generation);
	for (unsigned kind = 1; kind <= 4 && b->w->version <= 13; kind++)
		mlpd_gc_event(b, c->now(c->arg), kind, c->generation);
	if (!early)
		mlpd_gc_moves(b, c->now(c->arg), c->moves, c->nmoves);
	if (c->nroots > 0 && (early || c->objects))
		mlpd_roots(b, c->now(c->arg), c->roots, c->nroots);
	if (early)
		mlpd_gc_moves(b, c->now(c->arg), c->moves, c->nmoves);
	mlpd_gc_event(b, c->now(c->arg), 5, c->generation);
	mlpd_gc_resize(b, c->now(c->arg), c->heap_bytes);
	mlpd_gc_event(b, c->now(c->arg), 8, c->generation);
	if (c->objects && early)
		mlpd_heap_begin(b, c->now(c->arg));
	if (c->objects) {
		c->objects(c->arg);
		mlpd_heap_end(b, c->now(c->arg));
	}
	restart_world(b, c);
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
