/**
 * Times by which complete events (Chrome's X) nest as the zones did.
 *
 * Viewers find the parent of a complete event by times alone. When two events begin together, Perfetto's engine takes the longer one for the outer; it
 * nests zones of length 0 at the same time in the order of the file, and ends a zone before anything that begins at its end. So a zone of length 0 would
 * fall into a sibling that begins at its time, and out of a parent that ends there. The engine keeps whole nanoseconds only, so such zones must
 * begin earlier.
 *
 * Internal to lib/emit.
 */
#ifndef TT_EMIT_ZONE_TIMES_H
#define TT_EMIT_ZONE_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emit/emit.h"

/* A chunk's place among the chunks of its thread. */
struct tt_zone_edges {
	int64_t seen_ts;              /* time of the last event before the chunk */
	int64_t last_ts;              /* time of the last event in the chunk */
	bool is_end;                  /* true: the chunk has the zones that are open when the capture ends */
};

/* True if one of the ${n} zones has length 0, or the first begin or end is not after the last event of the thread's previous chunk. */
bool tt_zone_times_meet(const struct tt_slice *s, size_t n, const struct tt_zone_edges *edges);

/* Numbers of ${room} that tt_zone_times_part() needs for each zone. */
#define TT_ZONE_TIMES_MAX 3

/**
 * tt_zone_times_part(s, n, begun, nbegun, edges, room):
 * Separate the times of the begins and ends of the ${n} zones at ${s} and of the begins of ${nbegun} zones (together less than 2^30, in the order of struct
 * tt_view), so that times alone nest them. A zone of length 0 begins 1 ns before the next change on its thread if both have the same time; changes that it
 * meets move along, by at most 1 ns for each zone of length 0 at its time, and by at most 900 ns in all. A zone of length 0 around another gets a length; no
 * other zone's length becomes 0. Nothing moves before the begin of a zone that continues, or before the last event of the previous chunk; it moves later
 * instead. A change at that event's time is 1 ns later if nothing follows so soon; zones of length 0 before it may have that time. A zone that is open when
 * the capture ends lasts up to 16 ns longer than its thread's last event. Zones that do not nest as their depths say (a damaged capture) stay as they are,
 * and so do begins in other chunks.
 */
void tt_zone_times_part(struct tt_slice *s, size_t n, const struct tt_begun *begun, size_t nbegun, const struct tt_zone_edges *edges, uint32_t *room);

#endif
