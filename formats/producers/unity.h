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
 * Return the usual name of the built-in category ${id}, or NULL. Use it only for categories without a descriptor in the capture, whose name takes precedence.
 * ${version} is the engine's ("2018.4.36f1"; NULL or "" if unknown: as since 2019.1). 2018 had two categories less, and every id from 9 on was two lower; 5.x
 * and 2017 had others.
 */
const char *unity_category(unsigned id, const char *version);

/* True if some version has a category with this name. */
bool unity_is_category(const char *name);

/*
 * Return the RGBA of a colour of Unity.Profiling.ProfilerCategoryColor, by its number. Unity documents the names of the numbers, not the shades: these are
 * our own, close to those of the Profiler window, in which scripts are light blue and rendering is light green. 0: the number has no name.
 */
uint32_t unity_color_rgba(unsigned color);
/* Return the RGBA of a built-in category, by its name; 0: it is not built in. */
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

/* Store the names of a marker's flags, as in the recorder's option flags, in ${name}: at most ${n} entries, including the final NULL. */
void unity_flag_names(unsigned flags, const char **name, unsigned n);

/*
 * True if the marker belongs to the Editor, not to the game: EditorLoop, which contains the Editor's own work, and markers with the flag that only the Editor
 * has them.
 */
bool unity_is_editor(const char *marker, unsigned flags);

/* Return the name of the verbosity in bits 10 to 12 of the flags. */
const char *unity_verbosity_name(unsigned flags);

/*
 * Return the names of the values that events of ${marker} carry, from the list of Unity's markers; NULL-terminated. NULL: unknown. Callbacks deliver values
 * without names.
 */
const char *const *unity_arg_names(const char *marker);

/*
 * The instant with which the recorder passes on the measurements of FrameTimingManager. Values in order: CPU total, main thread, present wait, render thread,
 * GPU (f64, ms; GPU 0: not available), frame start, first submit, present called, frame complete (u64 ticks; 0: not available), ticks per second (u64), flags
 * (u32: UNITY_TIMING_*), number of frames between the described and the running one (u32); and, from a library of version 2, height scale, width scale (f32),
 * sync interval (u32).
 */
#define UNITY_FRAME_TIMING_NAME "Tracetool.FrameTiming"
#define UNITY_TIMING_COMPLETE_COMPUTED 1u     /* the platform computes the time of completion instead of measuring it */

/* Number of frames by which frame timings, from counters or records, arrive after the frame that they describe. */
#define UNITY_TIMING_DELAY 4

enum unity_unit_of {
	UNITY_UNIT_UNKNOWN, UNITY_UNIT_NS, UNITY_UNIT_BYTES, UNITY_UNIT_COUNT,
};

/* The measurement of FrameTimingManager that a built-in counter holds. */
enum unity_timing {
	UNITY_TIMING_NONE, UNITY_TIMING_TOTAL, UNITY_TIMING_MAIN, UNITY_TIMING_RENDER, UNITY_TIMING_GPU,
};

struct unity_counter {
	enum unity_unit_of unit;
	enum unity_timing timing;
	bool builtin;         /* true: in Unity's list, so that a Single with this name and one number is a sample, whatever its flags */
	bool guess;           /* true: the unit was guessed from the end of an unknown name */
};

/* Return the unit and meaning of the counter ${name}. */
struct unity_counter unity_counter(const char *name);

/* Return the length of the suffix of ${name} that tells the unit of a counter not in Unity's list ("Memory", "Bytes", "Count" or "Time"); 0: no such suffix. */
size_t unity_counter_end(const char *name);

#endif
