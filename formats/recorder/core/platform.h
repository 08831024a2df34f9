/**
 * What recording needs of the operating system; platform_linux.c and platform_windows.c implement it.
 *
 * After a thread's first event, it calls nothing of this but rec_now().
 */
#ifndef TT_PLATFORM_H
#define TT_PLATFORM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- the clock ----------------------------------------------------------------- */

extern bool rec_has_counter;      /* the processor's own invariant counter is used */
uint64_t rec_now_slow(void);  /* the system's monotonic clock, in its ticks */

/**
 * rec_now():
 * Raw ticks: the processor's counter where it is invariant, else the system's monotonic clock. Not ordered
 * against the instructions around it. Right only after plat_init (rec_open, or the library's load).
 */
static inline uint64_t
rec_now(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(rec_has_counter, 1))
		return __builtin_ia32_rdtsc();
#elif defined(__aarch64__) && !defined(_WIN32)
	if (__builtin_expect(rec_has_counter, 1)) {
		uint64_t t;

		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
		return t;
	}
#endif
	return rec_now_slow();
}

/* One instant on three clocks; ticks and mono_ns were read at most ${apart} ticks from one another. */
struct plat_instant { uint64_t ticks, mono_ns, wall_ns, apart; };
void plat_instant(struct plat_instant *i);

/*
 * Choose the clock. Once, at load; early, so that the counter's rate is known better when recording
 * starts. TRACETOOL_CLOCK=system in the environment has it be the system's: for machines whose counters are not what
 * their processors promise.
 */
void plat_init(void);
/*
 * ns = ticks * num / den. Returns enum ttc_clock. A rate that has to be measured is known to 100 ppm, mostly after less than a
 * millisecond: enough to tell good spans from bad ones, and the instants of the recording make it exact (struct ttc_rate).
 * The longer ago plat_init() was, the better it is known; of TTC_CLOCK_TSC ${num} is that time.
 */
unsigned plat_ratio(uint64_t *num, uint64_t *den);

#define PLAT_RATE_MOST_NS 50000000u   /* longer is not measured, even where a busy machine disturbs each look at the clocks */

/* True if the rate between these instants is known to 100 ppm. ${step_ns}: what the monotonic clock advances by. */
static inline bool
plat_rate_known(const struct plat_instant *a, const struct plat_instant *b, uint64_t step_ns)
{
	uint64_t ns = b->mono_ns - a->mono_ns;

	if (ns >= PLAT_RATE_MOST_NS)
		return true;
	return ns > 20000 * step_ns && (b->ticks - a->ticks) / 10000 > a->apart + b->apart;
}

/* --- memory all threads share and a reader can find after a crash ------------------- */

struct plat_map {
	void *p;
	size_t n;
	char path[512];               /* of the file, or the mapping's name */
	void *handle;
};

/*
 * Make ${n} bytes, reserved, and touched if ${touch}, readable by this user alone. 0 or -errno; ${why} as rec_open;
 * may warn.
 */
int plat_map_make(struct plat_map *m, const char *dir, const char *capture, size_t n, bool touch, char why[256]);
/* Take away the memory, or (${keep_memory}) only the name. */
void plat_map_drop(struct plat_map *m, bool keep_memory);

/* --- files ---------------------------------------------------------------------------- */

/*
 * A new file, readable by this user alone, and held by a lock until it is closed. Its descriptor or -errno: -EEXIST where
 * the name is taken; with ${replace} a file of that name is taken away first, unless another recorder holds it: -EBUSY.
 * A pipe or a device is written to as it is.
 */
int plat_create(const char *path, bool replace);
/* As above, with ${n} bytes in it; where the system can, there is no file of that name before they are. */
int plat_create_begun(const char *path, bool replace, const void *p, size_t n);
/* 1 if the file has these ${n} bytes (at most 64) at ${at}, 0 if not, -errno where it cannot be read. */
int plat_has(const char *path, uint64_t at, const void *p, size_t n);
long plat_write(int fd, const void *p, size_t n);     /* bytes, or -errno; interrupted calls are repeated */
int plat_patch(int fd, uint64_t at, const void *p, size_t n);
int plat_truncate(int fd, uint64_t n);
int plat_sync(int fd);             /* fsync; 0 or -errno */
int plat_close(int fd);
int plat_unlink(const char *path);      /* regular files only */

/* --- threads ----------------------------------------------------------------------------- */

struct plat_thread { void *handle[2]; };
int plat_thread_start(struct plat_thread *t, void (*run)(void));
void plat_thread_join(struct plat_thread *t);
uint64_t plat_thread_self(void);      /* as the program names its threads: pthread_self, GetCurrentThreadId */
uint64_t plat_thread_kernel(void);
uint64_t plat_thread_ns(void);        /* processor time of the caller */
void plat_sleep_us(unsigned us);
/* As plat_sleep_us, but over when the bell rings, also if it rang before. One thread sleeps by a bell. */
enum plat_bell { PLAT_BELL_WRITER, PLAT_BELL_SYNC, PLAT_BELLS };
void plat_nap_us(enum plat_bell b, unsigned us);
void plat_wake(enum plat_bell b);
/* A barrier on all threads of the process; false: not there, and the hot path must not rely on it. */
bool plat_barrier(void);
/* Call ${end} with rec_thread's end when a thread that has one exits. */
void plat_thread_exit_hook(void (*end)(void *t));
void plat_thread_exit_arm(void *t);
/* In a forked child call ${child}. */
void plat_fork_hook(void (*child)(void));
/* Never unload this library: callbacks and thread destructors may come late. */
void plat_pin(void);

void *plat_alloc(size_t n);           /* zeroed pages, touched on demand; NULL */
void plat_free(void *p, size_t n);

uint64_t plat_pid(void);
void plat_random(void *p, size_t n);
const char *plat_os(void);            /* "Linux 6.1", "Windows" */
const char *plat_arch(void);
void plat_args(char *buf, size_t n);  /* the program's command line */

/* Where ThreadSanitizer watches, plain stores and a process-wide barrier are not an order it can see. */
#if defined(__SANITIZE_THREAD__)
#define REC_BUSY_ORDER memory_order_seq_cst
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define REC_BUSY_ORDER memory_order_seq_cst
#endif
#endif
#ifndef REC_BUSY_ORDER
#define REC_BUSY_ORDER memory_order_relaxed
#endif

#endif
