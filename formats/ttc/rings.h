/**
 * The rings in memory, their programs, and their captures. Only read, never changed.
 */
#ifndef TT_TTC_RINGS_H
#define TT_TTC_RINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/mem.h"

/* The user of a ring: no program any more, its own process, or perhaps a process that may not be examined. */
enum ttc_ring_user { TTC_RING_ENDED, TTC_RING_RUNS, TTC_RING_UNKNOWN };

/* The state of the capture: it exists; it is gone, or another recording has its name. */
enum ttc_ring_capture { TTC_RING_CAPTURE_THERE, TTC_RING_CAPTURE_GONE };

struct ttc_ring_file {
	const char *path;
	uint64_t size;
	long pid;
	uid_t uid;
	enum ttc_ring_user user;
	bool readable, has_head;      /* readable: it could be opened; has_head: it has a head */
	enum ttc_ring_capture capture_state;
	int64_t wall_ns;
	const char *args, *capture;   /* args: fit to print; capture: the path as the recorder named it */
};

struct ttc_rings {
	struct tt_arena *a;           /* memory of all results */
	struct ttc_ring_file *v;
	size_t n, cap;
	const char **folder;          /* the folders that were searched */
	size_t nfolder, capfolder;
};

/* Add the rings in ${folder}, before the sandbox. The folder must exist only if the user ${named} it. */
int ttc_rings_add(struct ttc_rings *r, const char *folder, bool named, struct tt_err *err);

/* Examine the head of a ring and its capture, inside the sandbox. */
int ttc_ring_look(struct tt_arena *a, struct ttc_ring_file *r, struct tt_err *err);

#endif
