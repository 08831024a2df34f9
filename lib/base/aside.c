/**
 * Runs one task on a thread of its own.
 */
#include "base/aside.h"

#include <stddef.h>

static void *
run(void *arg)
{
	const struct tt_aside *a = arg;

	a->task(a->arg);
	return NULL;
}

void
tt_aside_begin(struct tt_aside *a, bool alone, void (*task)(void *arg), void *arg)
{
	a->task = task;
	a->arg = arg;
	a->running = !alone && pthread_create(&a->thread, NULL, run, a) == 0;
	if (!a->running)
		task(arg);
}

void
tt_aside_end(struct tt_aside *a)
{
	if (a->running)
		pthread_join(a->thread, NULL);
	a->running = false;
}
