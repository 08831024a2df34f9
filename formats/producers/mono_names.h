/**
 * Names that belong to Mono, the class library or an engine's assemblies, not to a program: anybody can look them up, so a copy of a capture without names
 * keeps them.
 */
#ifndef TT_PRODUCERS_MONO_NAMES_H
#define TT_PRODUCERS_MONO_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* True if the assembly of ${n} bytes at ${name}, without version and suffix, comes with the runtime or with an engine. */
bool mono_is_own_assembly(const char *name, size_t n);

/* True if the class of ${n} bytes at ${name}, with its namespace, is in a namespace of the class library or of an engine. */
bool mono_is_in_own_namespace(const char *name, size_t n);

/* True if the ${n} bytes at ${name} are a word for a type of the class library in names of methods: "string". */
bool mono_is_type_word(const char *name, size_t n);

/* True if the runtime gives ${name} to one of its threads; to roots that it registers; to code that it generates; to a function in its library. */
bool mono_is_own_thread(const char *name);
bool mono_is_own_root(const char *name);
bool mono_is_own_helper(const char *name);
bool mono_is_own_function(const char *name);

/* True if the ${n} bytes at ${name} are an option of the log profiler; *${free}: true if its value is free text, such as a file name. */
bool mlpd_is_option(const char *name, size_t n, bool *free);

#endif
