/**
 * Names that are Mono's own, of the class library or of an engine's assemblies, and not a program's: anybody can look them up. A copy of a capture without
 * names keeps them.
 */
#ifndef TT_PRODUCERS_MONO_NAMES_H
#define TT_PRODUCERS_MONO_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* True if the ${n} bytes at ${name}, an assembly's name without its version and suffix, come with the runtime, or with an engine. */
bool mono_is_own_assembly(const char *name, size_t n);

/* True if the ${n} bytes at ${name}, a class with its namespace, are in a namespace of the class library or of an engine. */
bool mono_is_in_own_namespace(const char *name, size_t n);

/* True if the ${n} bytes at ${name} are the word that method names have for a type of the class library: "string". */
bool mono_is_type_word(const char *name, size_t n);

/* True if the runtime gives ${name} to one of its threads; to roots that it registers; to code that it makes; to a function in its library. */
bool mono_is_own_thread(const char *name);
bool mono_is_own_root(const char *name);
bool mono_is_own_helper(const char *name);
bool mono_is_own_function(const char *name);

/* True if the ${n} bytes at ${name} are an option of the log profiler; *${free}: its value is free text, like the name of a file. */
bool mlpd_is_option(const char *name, size_t n, bool *free);

#endif
