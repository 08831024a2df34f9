/**
 * Timers of single threads' processor time, which send the signal that the runtime samples by.
 *
 * The runtime's own sampler is a thread that wakes at each tick and signals every thread, those that wait, too: that is
 * most of what its samples cost. A timer of the system interrupts the thread whose time has passed and no other. The
 * signal stays the runtime's, and so does its handler: it makes ready what a walk of the stack needs.
 *
 * Anywhere, in signal handlers too: system calls and nothing else. Linux on 64 bits; elsewhere there are none.
 */
#ifndef TT_MONO_TIMER_H
#define TT_MONO_TIMER_H

#include <stdint.h>

/* The signal being handled, of its handler's ${context}, which interrupted the code at ${ip}; 0: not known. */
int timer_signal(const void *context, const void *ip);

/* Send ${signal} to the calling thread whenever it has used ${period_ns} more: a timer's number, or -1. */
int timer_start(int signal, uint64_t period_ns);

/* Of any thread; -1 is none. */
void timer_stop(int timer);

#endif
