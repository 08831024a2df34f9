/**
 * A stack that is large enough, whatever the limit of the system (ulimit -s) is.
 *
 * The program and its libraries need up to some hundred kilobytes. A limit below that, as build machines and containers have, would end it with a
 * segmentation fault that names nothing; memory for a larger stack is there all the same.
 */
#ifndef TT_BASE_STACK_H
#define TT_BASE_STACK_H

/**
 * tt_stack_run(run, argc, argv):
 * Call ${run} and return what it returns. If the limit of the stack is below MIN_STACK_BYTES (stack.c), it runs on a stack of its own in the same thread,
 * and threads that are started later get stacks of that size; where there is no memory for one it runs on the given stack. Call once, first in main().
 */
int tt_stack_run(int (*run)(int argc, char **argv), int argc, char **argv);

#endif
