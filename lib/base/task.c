/**
 * Runs one task on a thread of its own.
 */
#include "base/task.h"

#include <stddef.h>

static void *
run(void *arg)
{
	const struct tt_task *a = arg;

	a->task(a->arg);
	return NULL;
}

void
tt_task_begin(struct tt_task *a, bool in_place, void (*task)(void *arg), void *arg)
{
	a->task = task;
	a->arg = arg;
	a->running = !in_place && pthread_create(&a->thread, NULL, run, a) == 0;
	if (!a->running)
		task(arg);
}

void
tt_task_wait(struct tt_task *a)
{
	if (a->running)
		pthread_join(a->thread, NULL);
	a->running = false;
}
