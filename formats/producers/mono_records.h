/**
 * Records that the Mono module adds to .ttc: its recorder writes them, the .ttc reader decodes them.
 *
 * Their kinds are those of TTC_OTHER from 16; tracetool-capture(5) describes the payloads. Numbers and addresses are varints. "addresses" means a count, then
 * zigzag differences of addresses shifted down by 3. A stack is a count, then zigzag differences of methods' addresses, innermost first. Uses libc only.
 */
#ifndef TT_PRODUCERS_MONO_RECORDS_H
#define TT_PRODUCERS_MONO_RECORDS_H

#include <stdint.h>

/* The producer of captures that our module writes. */
#define MONO_PRODUCER "tracetool Mono module"

/* The fact with the recorded kinds, separated by commas: names of enum tt_records (formats/producers/mono.c). */
#define MONO_RECORDS "mono.records"

/*
 * The fact with the number of covered methods whose counts are lower bounds, because domains compiled them while another domain's code of them could still
 * run.
 */
#define MONO_SHARED "coverage.shared_methods"

enum mono_record {
	MONO_GC = 16,                 /* byte phase (the runtime's number), generation */
	MONO_GC_HEAP = 17,            /* bytes */
	MONO_GC_MOVES = 18,           /* addresses: old, new, old, new ... */
	MONO_GC_ROOTS = 19,           /* count; for each root: zigzag differences of slot (whole: some are not addresses) and of object (>> 3) */
	MONO_HANDLE = 20,             /* byte kind, byte 1 for destroyed, handle, object */
	MONO_FINALIZE = 21,           /* byte 1 for the end, object (0: the queue); class, from 1.1 */
	MONO_THROW = 22,              /* object, class, stack */
	MONO_CLAUSE = 23,             /* byte kind, index, method, object */
	MONO_MONITOR = 24,            /* byte enum tt_monitor, object, stack */
	MONO_ROOT = 25,               /* byte 1 for unregistered, start, size, source, key, text */
	MONO_CODE = 26,               /* byte enum mono_code, start, size, text, of MONO_CODE_READY the method's key: machine code */
	MONO_GONE = 27,               /* byte enum ttc_object, key: unloaded */
	MONO_SAMPLE = 28,             /* address of the instruction, stack */
	MONO_HEAP_SHOT = 29,          /* byte 0, number: begins; byte 1, number, objects, bytes: ends */
	/*
	 * Objects up to the end; for each: zigzag difference of its address (>> 3) from the previous object's, zigzag difference of its class, size (0: more
	 * references of the previous object), generation, count of references, then for each reference its offset and the zigzag difference of its target,
	 * the first from the object, others from the previous reference.
	 */
	MONO_HEAP_OBJECTS = 30,
	/* id, token, statements, then texts: assembly, class, name, signature, file */
	MONO_COVER_METHOD = 31,
	MONO_COVER_STATEMENTS = 32,   /* id, then up to the end: zigzag difference of the IL offset, count, line, column */
};

/* Kinds of code: the runtime's (MonoProfilerCodeBufferType), and our own: a method's code is ready, that is, compiled or loaded; from 1.1. */
enum mono_code { MONO_CODE_METHOD = 0, MONO_CODE_READY = 128 };

/*
 * Keys of zones that are not methods, equal to those of the log profiler's reader (TT_KEY_*): collections, stops of the world, waits for a lock, the time
 * from a throw to its catch, compiling.
 */
#define MONO_KEY_GC_PAUSE   (UINT64_MAX - 1)
#define MONO_KEY_GC_GEN(g)  (UINT64_MAX - 16 + ((g) < 7 ? (uint64_t)(g) : 7))
#define MONO_KEY_GC_STOP    (UINT64_MAX - 5)
#define MONO_KEY_CONTENTION (UINT64_MAX - 2)
#define MONO_KEY_EXCEPTION  (UINT64_MAX - 3)
#define MONO_KEY_JIT        (UINT64_MAX - 17)

#endif
