/**
 * Events counted by kind.
 *
 * Always collected; read by the gate.
 */
#ifndef TT_COLLECT_EVENT_COUNTS_H
#define TT_COLLECT_EVENT_COUNTS_H

#include <stdint.h>

#include "collect/collected.h"

struct tt_event_counts { uint64_t throws, contended, samples; };

TT_COLLECTED_AS(tt_event_counts, TT_COLLECTS_COUNTS);

#endif
