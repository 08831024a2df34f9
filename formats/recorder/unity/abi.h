/**
 * Unity's native plug-in interface, as far as a recorder of profiler events needs it.
 *
 * These are our own declarations of the binary interface: tables of functions found by a 128-bit id, descriptors passed to callbacks, and the numbers in
 * them. The plug-in and the tests' stand-in host share them. Every size and offset is asserted below.
 *
 * All interfaces are plain structs of function pointers: no virtual table, no self argument. Functions that return int return 0 for success.
 *
 * Source: Unity's published manual and plug-in interface (2018.2 to 6000.5), described in our own words; sizes and offsets were compared with three
 * generations of it.
 */
#ifndef TT_UNITY_ABI_H
#define TT_UNITY_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Calling convention of all functions but one, and how entry points are exported. */
#if defined _WIN32 || defined __CYGWIN__
#define UNITY_CALL __stdcall
#define UNITY_EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define UNITY_CALL
#define UNITY_EXPORT __attribute__((visibility("default")))
#else
#define UNITY_CALL
#define UNITY_EXPORT
#endif

/* --- descriptors ---------------------------------------------- */

struct unity_category {               /* lives as long as the process */
	uint16_t id;
	uint16_t reserved;
	uint32_t rgba;                /* red in the most significant byte */
	const char *name;
};

struct unity_marker {                 /* lives as long as the process, so that the pointer identifies it */
	const void *callbacks;        /* private to the engine */
	uint32_t id;
	uint16_t flags;               /* enum unity_marker_flag */
	uint16_t category;
	const char *name;
	const void *metadata;         /* private to the engine; names and units of values cannot be read */
};

struct unity_value {                  /* valid during the callback only */
	uint8_t type;                 /* enum unity_type */
	uint8_t reserved0;
	uint16_t reserved1;
	uint32_t size;                /* bytes at data; more reliable than the type */
	const void *data;
};

struct unity_thread {                 /* copy it inside the callback */
	uint64_t id;                  /* the platform's native id; reused */
	const char *group;            /* may be empty or NULL */
	const char *name;
};

/* --- numbers ---------------------------------------------------- */

enum unity_marker_flag {
	UNITY_M_SCRIPT = 0x0002,      /* made by a user script */
	UNITY_M_EDITOR = 0x0004,      /* in the Editor only */
	UNITY_M_RELEASE = 0x0008,     /* in release players too */
	UNITY_M_WARNING = 0x0010,     /* performance warning */
	UNITY_M_INVOKE = 0x0020,      /* native code calls a managed method */
	UNITY_M_DEEP = 0x0040,        /* managed method: deep profiling */
	UNITY_M_COUNTER = 0x0080,
	UNITY_M_GPU = 0x0100,
	UNITY_M_PRECREATED = 0x8000,  /* the engine's own bit, to be ignored */
};

/* Three independent bits up to 6000.2, a number since. Read as a number, old markers keep their meaning. */
#define UNITY_VERBOSITY(flags) ((unsigned)(flags) >> 10 & 7)
enum unity_verbosity {
	UNITY_V_USER = 0, UNITY_V_DEBUG = 1, UNITY_V_INTERNAL = 2, UNITY_V_EXTERNAL = 3, UNITY_V_ADVANCED = 4,
};

enum unity_event { UNITY_BEGIN = 0, UNITY_END = 1, UNITY_SINGLE = 2 };

/* Later engines add types, so never compare with a maximum. */
enum unity_type {
	UNITY_T_NONE = 0, UNITY_T_INSTANCE = 1, UNITY_T_I32 = 2, UNITY_T_U32 = 3, UNITY_T_I64 = 4, UNITY_T_U64 = 5,
	UNITY_T_F32 = 6, UNITY_T_F64 = 7, UNITY_T_TEXT = 8, UNITY_T_TEXT16 = 9, UNITY_T_VECTOR = 10,
	UNITY_T_BLOB = 11, UNITY_T_RESOURCE = 12, UNITY_T_ENTITY = 13,
};

enum unity_unit {
	UNITY_U_NONE = 0, UNITY_U_NS = 1, UNITY_U_BYTES = 2, UNITY_U_COUNT = 3, UNITY_U_PERCENT = 4, UNITY_U_HZ = 5,
};

/* The "next" of older versions is the "parallel next" of later ones. */
enum unity_flow { UNITY_FLOW_BEGIN = 0, UNITY_FLOW_PARALLEL = 1, UNITY_FLOW_END = 2, UNITY_FLOW_NEXT = 3 };

enum unity_counter_flag { UNITY_C_FLUSH = 0x0002, UNITY_C_RESET = 0x0004 };

/* --- callbacks: no time, no thread, no frame number ------------ */

typedef void UNITY_CALL unity_category_cb(const struct unity_category *, void *user);
typedef void UNITY_CALL unity_marker_cb(const struct unity_marker *, void *user);
typedef void UNITY_CALL unity_event_cb(const struct unity_marker *, uint16_t event, uint16_t n,
    const struct unity_value *, void *user);
typedef void UNITY_CALL unity_frame_cb(void *user);
typedef void UNITY_CALL unity_thread_cb(const struct unity_thread *, void *user);
typedef void UNITY_CALL unity_flow_cb(uint8_t event, uint32_t id, void *user);

/* --- interfaces --------------------------------------------------------------- */

/* The first two functions take the id by value, which C and C++ pass differently, so they are not declared. */
struct unity_interfaces {
	void (*get_by_value)(void);
	void (*register_by_value)(void);
	void *(UNITY_CALL *get)(uint64_t high, uint64_t low);         /* NULL: unknown id */
	void (UNITY_CALL *add)(uint64_t high, uint64_t low, void *table);
};

#define UNITY_CALLBACKS_V1 0x572FDB38CE3C4B1Fu, 0xA6071A9A7C4F52D8u   /* IUnityProfilerCallbacks, 2018.2 */
#define UNITY_CALLBACKS_V2 0x5DEB59E88F2D4571u, 0x81E8583069A5E33Cu   /* 2019.1 */
#define UNITY_PROFILER_V1  0x2CE79ED8316A4833u, 0x87076B2013E1571Fu   /* IUnityProfiler, 2020.1 */
#define UNITY_PROFILER_V2  0xB957E0189CB6A30Bu, 0x83CE589AE85B9068u   /* 2021.2 */

/*
 * At most four callbacks of a kind (categories, markers, threads, frames) can be installed in the process, so check the result. Version 1 ends before the
 * flow functions; its table is a prefix of this one.
 */
struct unity_callbacks {
	int (UNITY_CALL *add_category)(unity_category_cb *, void *user);
	int (UNITY_CALL *del_category)(unity_category_cb *, void *user);
	int (UNITY_CALL *add_marker)(unity_marker_cb *, void *user);  /* calls back for every existing marker */
	int (UNITY_CALL *del_marker)(unity_marker_cb *, void *user);
	int (UNITY_CALL *add_event)(const struct unity_marker *, unity_event_cb *, void *user);
	/* Marker NULL: remove the callback from all markers; user NULL as well: with any user pointer. */
	int (UNITY_CALL *del_event)(const struct unity_marker *, unity_event_cb *, void *user);
	int (UNITY_CALL *add_frame)(unity_frame_cb *, void *user);
	int (UNITY_CALL *del_frame)(unity_frame_cb *, void *user);
	int (UNITY_CALL *add_thread)(unity_thread_cb *, void *user);
	int (UNITY_CALL *del_thread)(unity_thread_cb *, void *user);
	int (UNITY_CALL *add_flow)(unity_flow_cb *, void *user);      /* V2 */
	int (UNITY_CALL *del_flow)(unity_flow_cb *, void *user);      /* V2 */
};
#define UNITY_CALLBACKS_V1_SIZE (10 * sizeof(void (*)(void)))

struct unity_profiler_v1 {
	void (UNITY_CALL *emit)(const struct unity_marker *, uint16_t event, uint16_t n, const struct unity_value *);
	int (UNITY_CALL *enabled)(void);      /* 1 while the profiler records */
	int (UNITY_CALL *available)(void);    /* 1 in the Editor and development players */
	int (UNITY_CALL *create_marker)(const struct unity_marker **, const char *name, uint16_t category,
	    uint16_t flags, int max_values);
	int (UNITY_CALL *name_value)(const struct unity_marker *, int i, const char *name, uint8_t type, uint8_t unit);
	int (UNITY_CALL *register_thread)(uint64_t *id, const char *group, const char *name);
	int (UNITY_CALL *unregister_thread)(uint64_t id);     /* 0: the calling thread */
};

/* Version 1 is not a prefix of this: a function was inserted at the sixth place. */
struct unity_profiler_v2 {
	void (UNITY_CALL *emit)(const struct unity_marker *, uint16_t event, uint16_t n, const struct unity_value *);
	int (UNITY_CALL *enabled)(void);
	int (UNITY_CALL *available)(void);
	int (UNITY_CALL *create_marker)(const struct unity_marker **, const char *name, uint16_t category,
	    uint16_t flags, int max_values);
	int (UNITY_CALL *name_value)(const struct unity_marker *, int i, const char *name, uint8_t type, uint8_t unit);
	int (UNITY_CALL *create_category)(uint16_t *, const char *name, uint32_t unused);
	int (UNITY_CALL *register_thread)(uint64_t *id, const char *group, const char *name);
	int (UNITY_CALL *unregister_thread)(uint64_t id);
	/* Returns the value's storage, at most 8 bytes, or NULL. The two hooks have the plain C calling convention everywhere. */
	void *(UNITY_CALL *create_counter)(uint16_t category, const char *name, uint16_t marker_flags, uint8_t type,
	    uint8_t unit, size_t size, uint16_t counter_flags, void (*activate)(void *), void (*deactivate)(void *),
	    void *user);
	void (UNITY_CALL *flush_counter)(void *value);
};

/* --- entry points --------------------------------------------------- */

typedef void UNITY_CALL unity_load_fn(struct unity_interfaces *);     /* "UnityPluginLoad" */
typedef void UNITY_CALL unity_unload_fn(void);                        /* "UnityPluginUnload" */

/* --- every size and offset --------------------------------------------------------- */

#if UINTPTR_MAX > 0xffffffffu
#define UNITY_IS(a, on64, on32) _Static_assert((a) == (on64), #a)
#else
#define UNITY_IS(a, on64, on32) _Static_assert((a) == (on32), #a)
#endif
#define UNITY_AT(s, field, on64, on32) UNITY_IS(offsetof(struct unity_##s, field), on64, on32)

UNITY_IS(sizeof(struct unity_category), 16, 12);
UNITY_AT(category, id, 0, 0);
UNITY_AT(category, reserved, 2, 2);
UNITY_AT(category, rgba, 4, 4);
UNITY_AT(category, name, 8, 8);
UNITY_IS(sizeof(struct unity_marker), 32, 20);
UNITY_AT(marker, callbacks, 0, 0);
UNITY_AT(marker, id, 8, 4);
UNITY_AT(marker, flags, 12, 8);
UNITY_AT(marker, category, 14, 10);
UNITY_AT(marker, name, 16, 12);
UNITY_AT(marker, metadata, 24, 16);
UNITY_IS(sizeof(struct unity_value), 16, 12);
UNITY_AT(value, type, 0, 0);
UNITY_AT(value, reserved0, 1, 1);
UNITY_AT(value, reserved1, 2, 2);
UNITY_AT(value, size, 4, 4);
UNITY_AT(value, data, 8, 8);
UNITY_IS(sizeof(struct unity_thread), 24, 16);
UNITY_AT(thread, id, 0, 0);
UNITY_AT(thread, group, 8, 8);
UNITY_AT(thread, name, 16, 12);

UNITY_IS(sizeof(struct unity_interfaces), 32, 16);
UNITY_AT(interfaces, get, 16, 8);
UNITY_AT(interfaces, add, 24, 12);
UNITY_IS(UNITY_CALLBACKS_V1_SIZE, 80, 40);
UNITY_IS(sizeof(struct unity_callbacks), 96, 48);
UNITY_AT(callbacks, add_category, 0, 0);
UNITY_AT(callbacks, del_category, 8, 4);
UNITY_AT(callbacks, add_marker, 16, 8);
UNITY_AT(callbacks, del_marker, 24, 12);
UNITY_AT(callbacks, add_event, 32, 16);
UNITY_AT(callbacks, del_event, 40, 20);
UNITY_AT(callbacks, add_frame, 48, 24);
UNITY_AT(callbacks, del_frame, 56, 28);
UNITY_AT(callbacks, add_thread, 64, 32);
UNITY_AT(callbacks, del_thread, 72, 36);
UNITY_AT(callbacks, add_flow, 80, 40);
UNITY_AT(callbacks, del_flow, 88, 44);
UNITY_IS(sizeof(struct unity_profiler_v1), 56, 28);
UNITY_AT(profiler_v1, emit, 0, 0);
UNITY_AT(profiler_v1, enabled, 8, 4);
UNITY_AT(profiler_v1, available, 16, 8);
UNITY_AT(profiler_v1, create_marker, 24, 12);
UNITY_AT(profiler_v1, name_value, 32, 16);
UNITY_AT(profiler_v1, register_thread, 40, 20);
UNITY_AT(profiler_v1, unregister_thread, 48, 24);
UNITY_IS(sizeof(struct unity_profiler_v2), 80, 40);
UNITY_AT(profiler_v2, emit, 0, 0);
UNITY_AT(profiler_v2, enabled, 8, 4);
UNITY_AT(profiler_v2, available, 16, 8);
UNITY_AT(profiler_v2, create_marker, 24, 12);
UNITY_AT(profiler_v2, name_value, 32, 16);
UNITY_AT(profiler_v2, create_category, 40, 20);
UNITY_AT(profiler_v2, register_thread, 48, 24);
UNITY_AT(profiler_v2, unregister_thread, 56, 28);
UNITY_AT(profiler_v2, create_counter, 64, 32);
UNITY_AT(profiler_v2, flush_counter, 72, 36);

#undef UNITY_AT
#undef UNITY_IS

#endif
