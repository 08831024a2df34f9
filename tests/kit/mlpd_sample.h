/*
 * A capture of the Mono log profiler with everything in it: one run of a small made-up program, written by mlpd_encode.c.
 */
#ifndef TESTS_MLPD_SAMPLE_H
#define TESTS_MLPD_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/**
 * mlpd_sample(version, ptrsize, seed, n):
 * Return a healthy capture of 1 to 8 KiB, its length in ${n}, that holds every event the version
 * has: three threads (one tid is used twice), nested, recursive, unwound and unbalanced calls,
 * allocations before and after the records they need, a reused class address, a collection with
 * a heap shot, contention, samples, counters of each type, coverage, the end of every thread.
 * The same arguments give the same bytes everywhere.
 *
 * Owns: the caller frees it.
 * Errors: NULL without memory.
 */
uint8_t *mlpd_sample(int version, int ptrsize, uint64_t seed, size_t *n);

#endif
