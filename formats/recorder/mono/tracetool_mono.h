/**
 * Functions of the Mono module for the program it records, by P/Invoke from "mono-profiler-tracetool" (Tracetool.cs does).
 *
 * Any thread, at any time; where nothing is recorded they say so and do nothing else. Texts are UTF-8.
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

/* The version of these functions: 2. */
TRACETOOL_MONO int32_t tracetool_mono_api(void);

/* Record from now on; pause. E_STATE where it is so already, or nothing can be recorded. A pause takes some milliseconds. */
TRACETOOL_MONO int32_t tracetool_mono_start(void);
TRACETOOL_MONO int32_t tracetool_mono_stop(void);

/* Flight recorder (keep=): write the events held. */
TRACETOOL_MONO int32_t tracetool_mono_dump(void);

/* Have a heap shot taken soon (heapshot). E_STATE where none can be. */
TRACETOOL_MONO int32_t tracetool_mono_heapshot(void);

/* Have everything so far written to the file; wait for it up to ${ms} milliseconds. */
TRACETOOL_MONO int32_t tracetool_mono_flush(int32_t ms);

/* OFF, PAUSED or RECORDING. */
TRACETOOL_MONO int32_t tracetool_mono_state(void);

/* A mark: a text at this moment on this thread. Since version 2. */
TRACETOOL_MONO void tracetool_mono_mark(const char *text);

/* What the program does from now on ("level 3"): the fact "label", with its time. Another fact. In a pause, too. */
TRACETOOL_MONO void tracetool_mono_label(const char *text);
TRACETOOL_MONO void tracetool_mono_meta(const char *key, const char *value);

#endif
