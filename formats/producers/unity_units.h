/**
 * Units of Unity's counters in the terms of the model, for readers; the recorder keeps Unity's own numbers (producers/unity.h).
 *
 * Source: ProfilerMarkerDataUnit of Unity's published C# reference.
 */
#ifndef TT_PRODUCERS_UNITY_UNITS_H
#define TT_PRODUCERS_UNITY_UNITS_H

#include "model/event.h"

/* Return the unit of the counter ${name}, of ${n} bytes. ${said}: Unity's number for it; 0: guess from the name. */
enum tt_counter_unit unity_unit(uint64_t said, const char *name, size_t n);

#endif
