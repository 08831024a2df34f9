/**
 * Times by which complete events (Chrome's X) nest as the zones did.
 *
 * Viewers find the parent of a complete event by times alone. Perfetto's engine takes the longer one of two that begin together for the
 * outer one, nests zones of length 0 at one time in the order of the file, and ends a zone before what begins at its end. So a zone of
 * length 0 falls into a sibling that begins at its time, and out of a parent that ends there. Whole nanoseconds are all that the
 * engine keeps: such zones must begin earlier.
 *
 * Internal to lib/emit.
 */
#ifndef TT_EMIT_ZONE_TIMES_H
#define TT_EMIT_ZONE_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emit/emit.h"

/* A chunk among those of its thread. */
struct tt_zone_edges {
	int64_t seen_ts;              /* of the last event before it */
	int64_t last_ts;              /* of its last event */
	bool is_end;                  /* it has what is open when the capture ends */
};

/* True if one of the ${n} zones has length 0, or the first one begins or ends when the thread's last chunk did. */
bool tt_zone_times_meet(const struct tt_slice *s, size_t n, const struct tt_zone_edges *edges);

/* Numbers that tt_zone_times_part() needs room for with each zone. */
#define TT_ZONE_TIMES_MAX 3

/**
 * tt_zone_times_part(s, n, begun, nbegun, edges, room):
 * Part the begins and ends of the ${n} zones at ${s} and the begins of ${nbegun} zones, together less than 2^30, which lie as in struct tt_view, so that times
 * alone nest them. A zone of length 0 begins 1 ns before what comes next on its thread, if that is at its time; what this meets moves along, by at most 1 ns
 * for each zone of length 0 at its time. A zone of length 0 around another gets a length; no other zone's length becomes 0. Nothing is moved before the
 * begin of a zone that goes on, or before the last event of the chunk before, but on from there. A change at that event's time is 1 ns later, if nothing
 * follows so soon: zones of length 0 before it may have that time. A zone that is open when the capture ends lasts up to 16 ns longer than its thread's last
 * event. Zones that are not inside one another as their depths say (a damaged capture) stay as they are, and so do begins in other chunks.
 */
void tt_zone_times_part(struct tt_slice *s, size_t n, const struct tt_begun *begun, size_t nbegun, const struct tt_zone_edges *edges, uint32_t *room);

#endif
