/**
 * The meaning of Unity's names: built-in categories, markers that mean more than a zone, counters and their units.
 *
 * Descriptors have names but neither units nor meaning, and category ids differ between versions of the engine; only this file knows them. Names are compared
 * whole and exactly. The recorder uses it too: libc only, no state, any thread.
 *
 * Source: Unity's manual of built-in markers and counters, and the categories of its published C# reference.
 */
#ifndef TT_PRODUCERS_UNITY_H
#define TT_PRODUCERS_UNITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * unity_category(id, version):
 * The usual name of the built-in category ${id}, or NULL. Only for categories without a descriptor in the capture:
 * a descriptor's name comes first. ${version} is the engine's ("2018.4.36f1"; NULL or "" where unknown: as
 * since 2019.1). 2018 had two categories less, and every id from 9 up two lower; 5.x and 2017 had others.
 */
const char *unity_category(unsigned id, const char *version);

/* True if some version has a category of this name. */
bool unity_is_category(const char *name);

/*
 * The RGBA of a colour of Unity.Profiling.ProfilerCategoryColor, by its number. Unity documents the names of the numbers, not their shades: these are ours,
 * near those of the Profiler window, where scripts are light blue and rendering is light green. 0: a number without a name.
 */
uint32_t unity_color_rgba(unsigned color);
/* The same of a built-in category, by its name; 0: it is none. */
uint32_t unity_category_rgba(const char *name);

/* The meaning of a marker's events, besides zones or instants. */
enum unity_role {
	UNITY_PLAIN,
	UNITY_ALLOC,          /* GC.Alloc: each Begin or Single with a value is one allocation of that many bytes */
	UNITY_COLLECT,        /* GC.Collect: its zones are collections */
	UNITY_LABEL,          /* Profiler.BeginSample(text): {instance id, text, category} */
	UNITY_FRAME_TIMING,   /* our own: one FrameTiming record, see UNITY_FRAME_TIMING_NAME */
};
enum unity_role unity_role(const char *marker);
#define UNITY_NAME_ALLOC "GC.Alloc"
#define UNITY_NAME_COLLECT "GC.Collect"

/* The names of a marker's flags, as in the recorder's option flags, into ${name}: at most ${n} entries including the final NULL. */
void unity_flag_names(unsigned flags, const char **name, unsigned n);

/*
 * True if the marker belongs to the Editor, not to the game: EditorLoop, which contains the Editor's own work, and markers whose flag says that only the Editor
 * has them.
 */
bool unity_is_editor(const char *marker, unsigned flags);

/* The name of the verbosity in bits 10 to 12 of the flags. */
const char *unity_verbosity_name(unsigned flags);

/*
 * The names of the values that events of ${marker} carry, from the list of Unity's markers; NULL-terminated. NULL: not known. Callbacks deliver values without
 * names.
 */
const char *const *unity_arg_names(const char *marker);

/*
 * The instant by which the recorder hands on what FrameTimingManager measured. Values in order: CPU total, main
 * thread, present wait, render thread, GPU (f64, ms; GPU 0: not available), frame start, first submit, present
 * called, frame complete (u64 ticks; 0: not available), ticks per second (u64), flags (u32: UNITY_TIMING_*), how many frames
 * before the running one the record describes (u32); and, from a library of version 2, height scale, width scale (f32), sync interval (u32).
 */
#define UNITY_FRAME_TIMING_NAME "Tracetool.FrameTiming"
#define UNITY_TIMING_COMPLETE_COMPUTED 1u     /* the platform computes the time of completion, it does not measure it */

/* Frame timings, whether from counters or from records, arrive this many frames after the frame they describe. */
#define UNITY_TIMING_DELAY 4

enum unity_unit_of {
	UNITY_UNIT_UNKNOWN, UNITY_UNIT_NS, UNITY_UNIT_BYTES, UNITY_UNIT_COUNT,
};

/* Which measurement of FrameTimingManager a built-in counter holds. */
enum unity_timing {
	UNITY_TIMING_NONE, UNITY_TIMING_TOTAL, UNITY_TIMING_MAIN, UNITY_TIMING_RENDER, UNITY_TIMING_GPU,
};

struct unity_counter {
	enum unity_unit_of unit;
	enum unity_timing timing;
	bool builtin;         /* in Unity's list: a Single of this name with one number is a sample, with any flags */
	bool guess;           /* the unit was taken from the end of an unknown name */
};

/* The unit and meaning of the counter ${name}. */
struct unity_counter unity_counter(const char *name);

/* The number of bytes at the end of ${name} that tell the unit of a counter not in Unity's list ("Memory", "Bytes", "Count" or "Time"); 0: none. */
size_t unity_counter_end(const char *name);

#endif
