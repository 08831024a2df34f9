/*
 * A small encoder of Mono log profiler files, for tests: every data version from 4 to 17, both
 * pointer sizes, every event of the format. Written from a description of the format; it shares nothing
 * with the reader. Test programs compile mlpd_encode.c with themselves; it needs libc only.
 *
 * A file is a header and then buffers. Several buffers may be open at once, one per thread, as
 * in the real profiler; each goes into the file when it is flushed:
 *
 *	struct mlpd_writer w;
 *	struct mlpd_buffer b;
 *	mlpd_init(&w, 17, 8);
 *	mlpd_header(&w, 1600000000000, 5000000000);
 *	mlpd_open(&b, &w, tid, 5000000000, 0x7f0000000000, 0x7f1000000000, 0x7f2000000000);
 *	mlpd_enter(&b, 5000000100, method);
 *	mlpd_flush(&b);
 *	use(w.out.data, w.out.len);
 *	mlpd_free(&w);
 *
 * Every event takes its time in ns as second argument (ignored where the version has no time) and
 * is laid out as w->version says. Nothing stops a test from writing an event in a version that
 * does not have it: such an event is laid out as in the nearest version that has. Where the order of
 * records is the version's own, one call writes them all: mlpd_collect(). Running out of memory sets
 * w->failed; the bytes are then worthless.
 */
#ifndef TESTS_MLPD_ENCODE_H
#define TESTS_MLPD_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Growing bytes. */
struct mlpd_bytes {
	uint8_t *data;
	size_t len, cap;
	bool failed;
};

struct mlpd_writer {
	int version, ptrsize;
	uint64_t clock_ns; /* the header's event clock; counter samples of V <= 12 count from it */
	struct mlpd_bytes out;
	bool failed;
};

struct mlpd_buffer {
	struct mlpd_writer *w;
	struct mlpd_bytes events;
	uint64_t thread, time_base, ptr_base, obj_base, method_base;
	uint64_t time, method; /* running */
};

/* Frames of a stack; a null pointer in place of one picks the subtype without stack. */
struct mlpd_stack {
	const uint64_t *frames;
	size_t n;
};

/* Subtypes of metadata events. */
enum mlpd_meta { MLPD_NAME = 0x00, MLPD_LOAD = 0x20, MLPD_UNLOAD = 0x40 };

struct mlpd_ref {
	uint64_t offset, obj; /* offset from the object's start */
};

struct mlpd_root {
	uint64_t slot, obj; /* slot: V >= 15 */
	uint64_t kind;      /* V <= 14 */
};

struct mlpd_collection {
	unsigned generation;
	const uint64_t *moves; /* old, new, old, new ... */
	size_t nmoves;
	const struct mlpd_root *roots;
	size_t nroots;
	uint64_t heap_bytes;
	void (*objects)(void *arg); /* writes those of the heap shot; null: the collection makes none */
	uint64_t (*now)(void *arg); /* the time of the next event */
	void *arg;
};

struct mlpd_counter {
	uint64_t section;
	const char *section_name; /* of section 0x8000 */
	const char *name;
	unsigned type, unit, variance;
	uint64_t index;
};

struct mlpd_count {
	uint64_t index; /* not 0 */
	unsigned type;
	int64_t value;    /* the delta, for types 0 to 4 and 7 */
	double real;      /* type 5 */
	const char *text; /* type 6; may be null */
};

/* Raw bytes, also for tests that want to write what no profiler writes. */
void mlpd_u8(struct mlpd_bytes *, unsigned);
void mlpd_fixed(struct mlpd_bytes *, uint64_t, int size);
void mlpd_uleb(struct mlpd_bytes *, uint64_t);
void mlpd_sleb(struct mlpd_bytes *, int64_t);
void mlpd_str(struct mlpd_bytes *, const char *); /* null counts as empty */

/* File and buffers. Bases are addresses; mlpd_open divides obj_base itself. */
void mlpd_init(struct mlpd_writer *, int version, int ptrsize);
void mlpd_header(struct mlpd_writer *, uint64_t wall_ms, uint64_t clock_ns);
void mlpd_free(struct mlpd_writer *);
void mlpd_open(struct mlpd_buffer *, struct mlpd_writer *, uint64_t thread, uint64_t time, uint64_t ptr_base,
    uint64_t obj_base, uint64_t method_base);
void mlpd_flush(struct mlpd_buffer *); /* writes nothing if there is no event; closes the buffer */

/* Allocation, GC, finalizers. type: vtable since V 15, class before. */
void mlpd_alloc(
    struct mlpd_buffer *, uint64_t t, uint64_t type, uint64_t obj, uint64_t size, const struct mlpd_stack *);
void mlpd_gc_event(struct mlpd_buffer *, uint64_t t, unsigned kind, unsigned generation);
void mlpd_gc_resize(struct mlpd_buffer *, uint64_t t, uint64_t size);
void mlpd_gc_moves(struct mlpd_buffer *, uint64_t t, const uint64_t *objs, size_t n);
void mlpd_handle_created(struct mlpd_buffer *, uint64_t t, unsigned kind, uint64_t handle, uint64_t obj,
    const struct mlpd_stack *);
void mlpd_handle_destroyed(
    struct mlpd_buffer *, uint64_t t, unsigned kind, uint64_t handle, const struct mlpd_stack *);
void mlpd_finalize_queue(struct mlpd_buffer *, uint64_t t, bool begin);
void mlpd_finalize_object(struct mlpd_buffer *, uint64_t t, bool begin, uint64_t obj); /* no begin until V 13 */

/* Metadata; the name is left out where the subtype has none. */
void mlpd_class(struct mlpd_buffer *, uint64_t t, enum mlpd_meta, uint64_t id, uint64_t image, const char *);
void mlpd_image(
    struct mlpd_buffer *, uint64_t t, enum mlpd_meta, uint64_t id, const char *, const char *mvid);
void mlpd_assembly(
    struct mlpd_buffer *, uint64_t t, enum mlpd_meta, uint64_t id, uint64_t image, const char *);
void mlpd_domain(struct mlpd_buffer *, uint64_t t, enum mlpd_meta, uint64_t id, const char *);
void mlpd_thread(struct mlpd_buffer *, uint64_t t, enum mlpd_meta, uint64_t id, const char *);
void mlpd_context(struct mlpd_buffer *, uint64_t t, enum mlpd_meta, uint64_t id, uint64_t domain);
void mlpd_vtable(
    struct mlpd_buffer *, uint64_t t, enum mlpd_meta, uint64_t id, uint64_t domain, uint64_t class_id);

/* Methods, exceptions, monitors. */
void mlpd_enter(struct mlpd_buffer *, uint64_t t, uint64_t method);
void mlpd_leave(struct mlpd_buffer *, uint64_t t, uint64_t method);
void mlpd_exc_leave(struct mlpd_buffer *, uint64_t t, uint64_t method);
void mlpd_method(
    struct mlpd_buffer *, uint64_t t, uint64_t method, uint64_t code, uint64_t size, const char *);
void mlpd_throw(struct mlpd_buffer *, uint64_t t, uint64_t obj, const struct mlpd_stack *);
void mlpd_clause(
    struct mlpd_buffer *, uint64_t t, unsigned kind, uint64_t index, uint64_t method, uint64_t obj);
void mlpd_monitor(struct mlpd_buffer *, uint64_t t, unsigned event, uint64_t obj, const struct mlpd_stack *);

/* Heap shots and roots. A heap object of size 0 continues the references of an earlier one. */
void mlpd_heap_begin(struct mlpd_buffer *, uint64_t t);
void mlpd_heap_end(struct mlpd_buffer *, uint64_t t);
void mlpd_heap_object(struct mlpd_buffer *, uint64_t t, uint64_t obj, uint64_t type, uint64_t size,
    unsigned generation, const struct mlpd_ref *, size_t n);
void mlpd_roots(struct mlpd_buffer *, uint64_t t, const struct mlpd_root *, size_t n);
/*
 * A collection from the stop of the world to its restart. Since V 15 a shot begins before the collection does, and
 * its roots, which are recorded for it alone, come inside. Until V 14 every collection records its roots, and a shot
 * begins when the collection is over. V 13 writes the restart last.
 */
void mlpd_collect(struct mlpd_buffer *, const struct mlpd_collection *);
void mlpd_root_register(struct mlpd_buffer *, uint64_t t, uint64_t start, uint64_t size, unsigned source,
    uint64_t key, const char *);
void mlpd_root_unregister(struct mlpd_buffer *, uint64_t t, uint64_t start);

/* Samples, counters, JIT helpers (kinds as in V >= 14). Frames of a hit are leaf first. */
void mlpd_hit(struct mlpd_buffer *, uint64_t t, uint64_t thread, const uint64_t *ips, size_t n,
    const struct mlpd_stack *);
void mlpd_symbol(struct mlpd_buffer *, uint64_t t, uint64_t address, uint64_t size, const char *);
void mlpd_binary(
    struct mlpd_buffer *, uint64_t t, uint64_t address, uint64_t offset, uint64_t size, const char *);
void mlpd_counter_desc(struct mlpd_buffer *, uint64_t t, const struct mlpd_counter *, size_t n);
void mlpd_counters(struct mlpd_buffer *, uint64_t t, const struct mlpd_count *, size_t n);
void mlpd_jit_helper(
    struct mlpd_buffer *, uint64_t t, unsigned kind, uint64_t start, uint64_t size, const char *name);

/* Coverage and meta events. */
void mlpd_cov_assembly(struct mlpd_buffer *, uint64_t t, const char *name, const char *guid, const char *file,
    const uint64_t figures[3]);
void mlpd_cov_method(struct mlpd_buffer *, uint64_t t, const char *const texts[5], const uint64_t figures[3]);
void mlpd_cov_statement(struct mlpd_buffer *, uint64_t t, const uint64_t figures[5]);
void mlpd_cov_class(
    struct mlpd_buffer *, uint64_t t, const char *assembly, const char *name, const uint64_t figures[3]);
void mlpd_sync(struct mlpd_buffer *, uint64_t t, unsigned kind);
void mlpd_aot_id(struct mlpd_buffer *, uint64_t t, const char *);

#endif
