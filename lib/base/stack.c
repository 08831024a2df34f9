/**
 * Runs the program on a stack of its own if the system's limit is small.
 *
 * Contexts, not a thread: signals interrupt the waiting call, the sandbox holds for all that runs, and forks copy the stack, as without it.
 */
#include "base/stack.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

/* The stack that glibc gives threads if there is no limit; the deepest recursion, of JSON and SQL, takes a quarter. */
#define MIN_STACK_BYTES ((size_t)2 << 20)

/* makecontext() passes int arguments only. */
static struct {
	int (*run)(int argc, char **argv);
	int argc, code;
	char **argv;
	ucontext_t first, own;
} call;

static void
run_call(void)
{
	call.code = call.run(call.argc, call.argv);
}

/* Give threads enough: without this their stacks are as large as the limit. */
static void
enlarge_thread_stacks(void)
{
	pthread_attr_t attr;

	if (pthread_attr_init(&attr) != 0)
		return;
	if (pthread_attr_setstacksize(&attr, MIN_STACK_BYTES) == 0)
		(void)pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
}

/* Map a stack above a page that nothing may touch; NULL: no memory. */
static char *
map_stack(size_t guard)
{
	char *p = mmap(NULL, guard + MIN_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	(void)mprotect(p, guard, PROT_NONE);
	return p + guard;
}

int
tt_stack_run(int (*run)(int argc, char **argv), int argc, char **argv)
{
	const long page = sysconf(_SC_PAGESIZE);
	struct rlimit limit;
	char *stack;

	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= MIN_STACK_BYTES)
		return run(argc, argv);
	enlarge_thread_stacks();
	stack = map_stack(page > 0 ? (size_t)page : 4096);
	if (!stack || getcontext(&call.own) != 0)
		return run(argc, argv);
	call.run = run;
	call.argc = argc;
	call.argv = argv;
	call.own.uc_stack.ss_sp = stack;
	call.own.uc_stack.ss_size = MIN_STACK_BYTES;
	call.own.uc_link = &call.first;
	makecontext(&call.own, run_call, 0);
	if (swapcontext(&call.first, &call.own) != 0)
		return run(argc, argv);
	return call.code;
}
