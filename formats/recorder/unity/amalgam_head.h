/*
 * tracetool_unity.c: the recorder of tracetool for Unity, all of it in one C11 file.
 *
 * Made by formats/recorder/unity/amalgamate.py of tracetool from the sources named below; change those. MIT License:
 * see LICENSE.md of the package. README.md beside this file tells how to compile it.
 *
 * TRACETOOL_STATIC: the file becomes part of a player that links plug-ins in, beside others that have the
 * same entry points. They then get names of their own, and tracetool_register() gives them to the engine.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#ifdef TRACETOOL_STATIC
#define UnityPluginLoad tracetool_plugin_load
#define UnityPluginUnload tracetool_plugin_unload
#endif
#ifdef __clang__
/* Headers are part of this file, and clang warns about unused functions in it. */
#pragma clang diagnostic ignored "-Wunused-function"
#endif
