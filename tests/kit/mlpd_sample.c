/**
 * Writes one capture with every event that a data version has.
 */
#include "mlpd_sample.h"

#include "mlpd_encode.h"

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

/* The objects of a heap shot, in two buffers. */
static void
sample_heap_shot(void *arg)
{
	struct sample *s = arg;
	struct mlpd_buffer *b = &s->main;
	uint64_t a = s->heap + 0x80, c = s->heap + 0x100, d = s->heap + 0x180;
	struct mlpd_ref refs[3] = { { 16, c }, { 24, d }, { 200, a } };

	mlpd_heap_object(b, tick(s), a, type_of(s, C_PLAYER), 48, 0, refs, 2);
	next_buffer(s, b, s->main_tid);
	mlpd_heap_object(b, tick(s), c, type_of(s, C_STRING), 32, 1, NULL, 0);
	mlpd_heap_object(b, tick(s), d, type_of(s, C_LATE), 256, 1, refs, 3);
	mlpd_heap_object(b, tick(s), d, type_of(s, C_LATE), 0, 1, refs, 1);
}

static uint64_t
tick_of(void *arg)
{
	return tick(arg);
}

/* Each has roots of its own: those of a collection without a shot are of none. */
static void
sample_collection(struct sample *s, unsigned generation)
{
	uint64_t moves[4] = { s->heap + 0x400, s->heap + 0x80, s->heap + 0x440, s->heap + 0x100 };
	struct mlpd_root roots[3] = {
		{ s->meta + 0x50010, s->heap + 0x80, 1 },
		{ 1, s->heap + 0x100, 2 | 0x100 },
		{ s->meta + 0x50020, s->heap + 0x180, 1 },
	};
	struct mlpd_collection c = {
		.generation = generation,
		.moves = moves,
		.nmoves = generation == 0 ? 2 : 4,
		.roots = roots,
		.nroots = generation == 0 ? 3 : 2,
		.heap_bytes = (1 + below(s, 100)) << 16,
		.objects = generation == 1 ? sample_heap_shot : NULL,
		.now = tick_of,
		.arg = s,
	};

	mlpd_collect(&s->main, &c);
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
