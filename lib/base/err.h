/**
 * Status codes, the error record, and how a cause travels to the user.
 *
 * A function that can fail returns int: TT_OK, TT_END (there is no more; not an
 * error), or one of the negative grades below, and fills the caller's struct
 * tt_err. The record is a fixed struct, so reporting an error never allocates.
 * The place that finds the fault calls tt_fail(); each caller that knows more
 * prepends what it was doing with tt_err_in(), so that the user reads one line:
 *
 *	tracetool: game.mlpd: buffer at byte 53216768: length 4.1 GB exceeds the 12 kB left
 *
 * Threads: every function works on its arguments alone.
 */
#ifndef TT_BASE_ERR_H
#define TT_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/* Checked in this header because every file that can fail includes it. */
#if !defined(__SIZEOF_INT128__) || (defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
#error "tracetool is built for little-endian machines whose compiler has integers of 128 bits: it counts in these, and loads numbers as they lie in files"
#endif

enum tt_status {
	TT_OK = 0,
	TT_END = 1,           /* no more; not an error */
	TT_E_DAMAGED = -1,    /* the input is damaged here; recovery may go on */
	TT_E_UNKNOWN = -2,    /* not recognised, or a newer version than we read */
	TT_E_LIMIT = -3,      /* a cap was reached (memory, size, count) */
	TT_E_NOMEM = -4,      /* the allocator said no */
	TT_E_IO = -5,         /* the operating system said no; tt_err.sys is the errno */
	TT_E_STOPPED = -6,    /* the user asked to stop (signal) */
	TT_E_USAGE = -7,      /* the command line or a document given with it is wrong */
};

/* "This error has no place in the input." */
#define TT_NOWHERE UINT64_MAX

struct tt_err {
	int code;             /* enum tt_status */
	int sys;              /* errno where code is TT_E_IO, else 0 */
	uint64_t at;          /* byte offset in the (decoded) input, or TT_NOWHERE */
	char msg[480];        /* one line, UTF-8, no control characters, no final period */
};

#if defined(_WIN32)
#define TT_PRINTF(f, a) __attribute__((format(gnu_printf, f, a)))
#elif defined(__GNUC__)
#define TT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define TT_PRINTF(f, a)
#endif

/**
 * tt_fail(err, code, at, fmt, ...):
 * Fill ${err} (which may be NULL) and return ${code}, so that a caller can write
 * `return tt_fail(...)`. Control characters that come in through arguments
 * (file names, text of a capture) are replaced by '?'.
 */
int tt_fail(struct tt_err *err, int code, uint64_t at, const char *fmt, ...) TT_PRINTF(4, 5);

/**
 * tt_fail_sys(err, sys, fmt, ...):
 * As tt_fail() with code TT_E_IO for the errno ${sys}, whose text is appended
 * after ": ", of EMFILE with the limit. ENOMEM becomes TT_E_NOMEM.
 */
int tt_fail_sys(struct tt_err *err, int sys, const char *fmt, ...) TT_PRINTF(3, 4);

/* True if ${err} says that too many descriptors are open: the fault of the system's limits, not of the input. */
bool tt_err_short_of_files(const struct tt_err *err);

/**
 * tt_fail_nomem(err):
 * The one message for a failed allocation; returns TT_E_NOMEM.
 */
int tt_fail_nomem(struct tt_err *err);

/**
 * tt_err_in(err, fmt, ...):
 * Prepend what the caller was doing and ": " to the message; return err->code.
 * A message too long is cut at its end, never at the new beginning.
 */
int tt_err_in(struct tt_err *err, const char *fmt, ...) TT_PRINTF(2, 3);

/**
 * tt_exit_code(status):
 * The process exit code for a status: 0 fine, 2 usage, 3 input damaged or not
 * recognised, 4 environment (I/O, memory, cap). See tracetool(1), EXIT STATUS.
 */
int tt_exit_code(int status);

/* Do the next step of a chain: set ${rc} to the result of ${call}, unless ${rc} is an error of an earlier step already. */
#define TT_THEN(rc, call) \
	do { \
		if ((rc) == TT_OK) \
			(rc) = (call); \
	} while (0)

/* The findings of a verdict, in rising order of weight: the last one found decides. */
enum tt_verdict_found { TT_FOUND_NOTHING, TT_FOUND_OPEN, TT_FOUND_WORSE, TT_FOUND_DAMAGE };

/* Return the exit code for a verdict: 0 nothing is wrong, 5 undecided, 1 something is worse, or more than allowed, 3 its data is damaged. */
int tt_verdict_exit(enum tt_verdict_found found);

#endif
