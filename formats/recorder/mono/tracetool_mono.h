/**
 * Functions of the Mono module for the program that it records, by P/Invoke from "mono-profiler-tracetool" (as in Tracetool.cs).
 *
 * Any thread, at any time; if nothing is recorded they say so and do nothing else. Texts are UTF-8.
 */
#ifndef TRACETOOL_MONO_H
#define TRACETOOL_MONO_H

#include <stdint.h>

#if defined(_WIN32)
#define TRACETOOL_MONO __declspec(dllexport)
#else
#define TRACETOOL_MONO __attribute__((visibility("default")))
#endif

enum { TRACETOOL_MONO_OK = 0, TRACETOOL_MONO_E_STATE = -1 };
enum { TRACETOOL_MONO_OFF, TRACETOOL_MONO_PAUSED, TRACETOOL_MONO_RECORDING };

/* The version of this interface: 2. */
TRACETOOL_MONO int32_t tracetool_mono_api(void);

/* Start or pause recording. E_STATE: it is already started or paused, or nothing can be recorded. A pause takes some milliseconds. */
TRACETOOL_MONO int32_t tracetool_mono_start(void);
TRACETOOL_MONO int32_t tracetool_mono_stop(void);

/* Flight recorder (keep=): write the held events. */
TRACETOOL_MONO int32_t tracetool_mono_dump(void);

/* Request a heap shot (heapshot). E_STATE if none can be taken. */
TRACETOOL_MONO int32_t tracetool_mono_heapshot(void);

/* Write everything recorded so far to the file, waiting up to ${ms} milliseconds. */
TRACETOOL_MONO int32_t tracetool_mono_flush(int32_t ms);

/* Return OFF, PAUSED or RECORDING. */
TRACETOOL_MONO int32_t tracetool_mono_state(void);

/* Set a mark: a text at this moment on this thread. Since version 2. */
TRACETOOL_MONO void tracetool_mono_mark(const char *text);

/*
 * Set the label, which tells what the program does from now on ("level 3"): the fact "label" with its time. tracetool_mono_meta() sets another fact. Also in
 * a pause.
 */
TRACETOOL_MONO void tracetool_mono_label(const char *text);
TRACETOOL_MONO void tracetool_mono_meta(const char *key, const char *value);

#endif
