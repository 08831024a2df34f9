/**
 * The C functions of libtracetool-unity, for native code and for P/Invoke.
 *
 * Every function may be called from any thread at any time, capturing or not. If Unity offers no profiler interface, and in a forked child, functions do
 * nothing and say so. Texts are UTF-8; NULL counts as "". No function keeps a pointer. Calling convention: the platform's plain C one.
 *
 * Versions: functions and fields are added at the end and never change; tracetool_api() returns the version.
 */
#ifndef TRACETOOL_UNITY_H
#define TRACETOOL_UNITY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined _WIN32
#define TRACETOOL_API __declspec(dllexport)
#elif defined __GNUC__
#define TRACETOOL_API __attribute__((visibility("default")))
#else
#define TRACETOOL_API
#endif

/* Errors of functions that return int. */
enum tracetool_result {
	TRACETOOL_OK = 0,
	TRACETOOL_E_OPTION = -1,      /* an option could not be read: see tracetool_message() */
	TRACETOOL_E_STATE = -2,       /* capturing already, or not capturing */
	TRACETOOL_E_UNITY = -3,       /* no profiler interface, so there is nothing to record */
	TRACETOOL_E_SYSTEM = -4,      /* the file or memory could not be obtained: see tracetool_message() */
};

enum tracetool_state {
	TRACETOOL_IDLE = 0,
	TRACETOOL_STARTING = 1,       /* requested; begins with the next frame */
	TRACETOOL_CAPTURING = 2,
	TRACETOOL_STOPPING = 3,       /* callbacks are removed, the rest is being written */
};

/* Return the version of this header: 2. Calling it also makes Android load the library. */
TRACETOOL_API int32_t tracetool_api(void);

/* Return the version of the profiler callbacks that Unity offers: 2, 1, or 0 for none. */
TRACETOOL_API int32_t tracetool_interface(void);

/**
 * tracetool_start(path, options):
 * Capture to ${path} from the next frame on; NULL or "" takes the path from the environment or the command line. ${options}: as in tracetool-unity(7); they
 * override those of the environment and the command line. Result: TRACETOOL_OK, or a negative enum tracetool_result. Another thread makes the file;
 * tracetool_state() and tracetool_message() tell whether that succeeded.
 */
TRACETOOL_API int32_t tracetool_start(const char *path, const char *options);

/* End the capture with the next frame. TRACETOOL_OK or TRACETOOL_E_STATE. */
TRACETOOL_API int32_t tracetool_stop(void);

/* Flight recorder (option keep): write the held events. TRACETOOL_OK or TRACETOOL_E_STATE. */
TRACETOOL_API int32_t tracetool_dump(void);

TRACETOOL_API int32_t tracetool_state(void);

/* Copy the last message with its NUL into ${size} bytes at ${to}; return its length without NUL. */
TRACETOOL_API int32_t tracetool_message(char *to, int32_t size);

/* Set a mark on the calling thread, now. */
TRACETOOL_API void tracetool_mark(const char *text);

/* Set the label, which tells what the program does from now on ("level 3", "boss fight"): the fact "label" with its time. */
TRACETOOL_API void tracetool_label(const char *text);

/*
 * Set a fact about the run, with its time. Facts set while nothing is captured go into every later capture; at most 64 KiB of keys and values are kept. An
 * empty value removes the fact.
 */
TRACETOOL_API void tracetool_meta(const char *key, const char *value);

/* One record of FrameTimingManager; 0: the engine has no value. */
struct tracetool_frame_timing {
	double cpu_total_ms;          /* cpuFrameTime */
	double cpu_main_ms;           /* cpuMainThreadFrameTime */
	double cpu_present_wait_ms;   /* cpuMainThreadPresentWaitTime */
	double cpu_render_ms;         /* cpuRenderThreadFrameTime */
	double gpu_ms;                /* gpuFrameTime */
	uint64_t frame_start;         /* frameStartTimestamp, in ticks */
	uint64_t first_submit;        /* firstSubmitTimestamp */
	uint64_t present_called;      /* cpuTimePresentCalled */
	uint64_t frame_complete;      /* cpuTimeFrameComplete */
	uint32_t flags;               /* TRACETOOL_COMPLETE_COMPUTED */
	uint32_t age;                 /* frames from the described frame to the running one: 4 */
};
#define TRACETOOL_COMPLETE_COMPUTED 1u        /* frame_complete is computed by the platform, not measured */

/* Record ${n} frame timings; ${ticks_per_second} is FrameTimingManager.GetCpuTimerFrequency(). */
TRACETOOL_API void tracetool_frame_timings(const struct tracetool_frame_timing *t, int32_t n,
    uint64_t ticks_per_second);

/* Further values of a record, since version 2. */
struct tracetool_frame_settings {
	float height_scale;           /* heightScale, widthScale of dynamic resolution */
	float width_scale;
	uint32_t sync_interval;       /* syncInterval: vertical blanks each frame waits for */
};

/* As tracetool_frame_timings(), with ${n} frame settings as well; NULL: no settings. */
TRACETOOL_API void tracetool_frame_timings2(const struct tracetool_frame_timing *t, const struct tracetool_frame_settings *s,
    int32_t n, uint64_t ticks_per_second);

/* Counts of the running capture so far, or of the last one. */
struct tracetool_counts {
	uint64_t events;              /* number of events in the file by now; while capturing, events of about the last second are missing */
	uint64_t dropped;             /* number of events not kept because the ring was full */
	uint64_t bytes;               /* number of bytes written to the file */
	uint64_t frames;
	uint64_t markers;             /* number of markers whose events are recorded */
	uint64_t filtered;            /* number of markers left out by the options */
};
/* Fill ${size} bytes (sizeof *c) of ${c}. */
TRACETOOL_API void tracetool_counts(struct tracetool_counts *c, int32_t size);

#ifdef __cplusplus
}
#endif

#endif
