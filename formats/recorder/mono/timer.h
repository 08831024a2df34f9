/**
 * Timers on the processor time of single threads, which send the signal with which the runtime samples.
 *
 * The runtime's own sampler is a thread that wakes at each tick and signals every thread, even waiting ones, which is most of the cost of its samples. A
 * timer of the system interrupts only the thread whose time has passed. The signal and its handler remain the runtime's: the handler prepares what a walk of
 * the stack needs.
 *
 * Callable anywhere, also in signal handlers: only system calls. 64-bit Linux; elsewhere there are no timers.
 */
#ifndef TT_MONO_TIMER_H
#define TT_MONO_TIMER_H

#include <stdint.h>

/* Return the signal being handled, from its handler's ${context}, which interrupted the code at ${ip}; 0: unknown. */
int timer_signal(const void *context, const void *ip);

/* Send ${signal} to the calling thread each time it has used another ${period_ns}. Returns the timer's number, or -1. */
int timer_start(int signal, uint64_t period_ns);

/* Stop a timer of any thread; -1 means no timer. */
void timer_stop(int timer);

#endif
