/**
 * Timers of single threads' processor time, which send the signal that the runtime samples by.
 *
 * The runtime's own sampler is a thread that wakes at each tick and signals every thread, also waiting ones: most of the cost of its samples. A timer of the
 * system interrupts only the thread whose time has passed. The signal and its handler stay the runtime's: the handler prepares what a walk of the stack needs.
 *
 * Anywhere, also in signal handlers: only system calls. Linux on 64 bits; elsewhere there are no timers.
 */
#ifndef TT_MONO_TIMER_H
#define TT_MONO_TIMER_H

#include <stdint.h>

/* The signal being handled, from its handler's ${context}, which interrupted the code at ${ip}; 0: not known. */
int timer_signal(const void *context, const void *ip);

/* Send ${signal} to the calling thread each time it has used another ${period_ns}. Returns the timer's number, or -1. */
int timer_start(int signal, uint64_t period_ns);

/* Stop a timer of any thread; -1 is none. */
void timer_stop(int timer);

#endif
