/**
 * Names of markers as texts: how they are shortened, and how globs match them.
 *
 * Mono writes "Name.Space.Class/Nested:Method<T> (argument,types)", with "(wrapper KIND) " in front of
 * stubs (mono_method_full_name). Names of other producers have no ':' or no list and pass unchanged.
 */
#ifndef TT_MODEL_NAMES_H
#define TT_MODEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* The length of ${s} without its argument list. */
size_t tt_name_bare(const char *s);

/**
 * tt_name_short(to, s):
 * Write class and method without namespaces and argument list ("World:Frame") and a NUL to ${to},
 * which has room for strlen(s) + 1 bytes; return the length.
 */
size_t tt_name_short(char *to, const char *s);

/**
 * tt_name_namespace(s, n, space), tt_name_method_namespace(s, space):
 * The namespace of the class whose name is the ${n} bytes at ${s}, or of the class of method ${s}: *${space} and its length.
 * 0: it has none, or ${s} is not a method of a class. Types that C# has words for ("string") are of System.
 */
size_t tt_name_namespace(const char *s, size_t n, const char **space);
size_t tt_name_method_namespace(const char *s, const char **space);

/* True for one of the runtime's own steps of an allocation, which is not a place where a program allocates. */
bool tt_name_alloc_wrapper(const char *s);

/* The length of "(wrapper KIND) " at the beginning of ${s}, or 0. */
size_t tt_name_wrapper(const char *s);

/**
 * tt_name_rank(asked, s):
 * How exactly ${asked} names ${s}: 3 in full, 2 without the argument list, 1 in its short form, each with or without the
 * "(wrapper KIND) " in front; 0 if there is none.
 */
unsigned tt_name_rank(const char *asked, const char *s);

/* True for a method of the base library that only allocates what its caller asked for. */
bool tt_name_alloc_helper(const char *s);
extern const char *const tt_alloc_helpers[];  /* how their names begin; NULL-terminated, formats/producers/wait_names.c */

/*
 * Markers that collect garbage, compile methods, compile shaders, ask for a lock, load something from the disk, unload it: globs as for waits.
 * NULL-terminated, of the producers.
 */
extern const char *const tt_collect_markers[], *const tt_compile_markers[], *const tt_shader_markers[], *const tt_lock_markers[],
	*const tt_load_markers[], *const tt_unload_markers[];

/* Parts of a method's name: it asks for a collection; it takes as long as one; it constructs an object. NULL-terminated, of the producers. */
extern const char *const tt_collect_requests[], *const tt_collect_calls[], *const tt_constructors[];

/* Namespaces of the class library, and first parts of names of methods that do the runtime's part of a call. NULL-terminated, of the producers. */
extern const char *const tt_library_namespaces[], *const tt_plumbing[];

/* True if the ${n} bytes at ${s} are a category of zones that the program makes itself: "Exceptions". */
bool tt_name_is_own_category(const char *s, size_t n);

/* True if the method ${full} is in one of the namespaces ${space}, a list that NULL ends, or in one below. */
bool tt_name_in_namespace(const char *const *space, const char *full);

/*
 * Words of methods that mostly wait for others: "accept", in lower case. NULL-terminated, of the producers. True if ${full} has one of ${words}, in any
 * case, in the method's own name, which follows the last '.' or ':', or in that of the method that the compiler made its class for: "/<ReadAll>d__3".
 */
extern const char *const tt_waiting_words[];
bool tt_name_has_word(const char *const *words, const char *full);

/* Calls that sleep for a given time, and wait for nothing else; calls that wait for what the system does. NULL-terminated, of the producers. */
extern const char *const tt_sleep_markers[], *const tt_system_waits[];

/* Namespaces of engines, each with all below it; markers in which the render thread waits for the GPU or the display; for the display alone. Likewise. */
extern const char *const tt_engine_namespaces[], *const tt_gpu_wait_markers[], *const tt_present_markers[];

/* The names that engines give the thread that hands the GPU its work. NULL-terminated, from the producers. */
extern const char *const tt_render_threads[];

/* Phases of an engine's loop, in the order in which they run; markers of their steps are called PHASE.STEP. NULL-terminated, of the producers. */
extern const char *const tt_frame_phases[];

/* Markers of an engine that only call the steps of a frame, and the methods of scripts. NULL-terminated, of the producers. */
extern const char *const tt_loop_markers[];

/* True if ${s} is the marker of a step of ${phase}; tt_name_is_loop(): of a step of any phase, or one of tt_loop_markers. */
bool tt_name_is_step(const char *s, const char *phase);
bool tt_name_is_loop(const char *s);

/*
 * All names that mean something to the program: the lists above, and those of waits.h. The place in which a name must have one of ${list}: anywhere, as
 * tt_name_match() finds it; at its beginning; there and a dot after it; as the first part of its method's namespace; it is the name; as tt_name_has_word()
 * finds it. The last row has no list.
 */
enum tt_name_place { TT_NAME_HAS, TT_NAME_BEGINS, TT_NAME_STEP, TT_NAME_NAMESPACE, TT_NAME_IS, TT_NAME_WORD };
struct tt_known_names { const char *means; const char *const *list; enum tt_name_place place; };
extern const struct tt_known_names tt_known_names[];

/**
 * tt_name_meaning(s, keep):
 * Set ${keep}[i] for each byte i of ${s} by which it means something to the program. A name with these bytes in their places, and other letters
 * and digits for its others, means the same.
 */
void tt_name_meaning(const char *s, bool *keep);

/*
 * True if ${s}, its name without the argument list, or its short form matches any of ${globs}, or that is NULL. For a method, "Class:Method", globs also
 * match the name that Unity's deep profiling has of it.
 */
bool tt_name_match(const char *const *globs, const char *s);

#endif
