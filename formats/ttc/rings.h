/**
 * The rings that lie in memory, whose they are, and where their captures are. Nothing is changed.
 */
#ifndef TT_TTC_RINGS_H
#define TT_TTC_RINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/mem.h"

/* Who records into the ring: nobody any more, its process, or perhaps a process that cannot be looked into. */
enum ttc_ring_user { TTC_RING_ENDED, TTC_RING_RUNS, TTC_RING_UNKNOWN };

/* The state of the capture: it is there; it is gone, or another recording has its name. */
enum ttc_ring_capture { TTC_RING_CAPTURE_THERE, TTC_RING_CAPTURE_GONE };

struct ttc_ring_file {
	const char *path;
	uint64_t size;
	long pid;
	uid_t uid;
	enum ttc_ring_user user;
	bool readable, has_head;      /* it could be opened; it has a head */
	enum ttc_ring_capture capture_state;
	int64_t wall_ns;
	const char *args, *capture;   /* fit to print; as the recorder named it */
};

struct ttc_rings {
	struct tt_arena *a;           /* for all */
	struct ttc_ring_file *v;
	size_t n, cap;
	const char **folder;          /* the folders looked at */
	size_t nfolder, capfolder;
};

/* Add the rings in ${folder}, before the sandbox. A folder that is not ${named} by the user need not be there. */
int ttc_rings_add(struct ttc_rings *r, const char *folder, bool named, struct tt_err *err);

/* Look at the head of a ring and at its capture, inside the sandbox. */
int ttc_ring_look(struct tt_arena *a, struct ttc_ring_file *r, struct tt_err *err);

#endif
