/**
 * Lists example questions of tracetool query, each with its SQL.
 *
 * Facts distinguish captures: device, build, scene. A capture that is in the database several times counts once. Means over captures are means over all their
 * frames. If frames are capped, their uncapped time is used, because the limit decides their wall time; unless one in twenty is late.
 */
#include "query_examples.h"

/* A row for each capture that has frames, with the facts that questions use. */
#define WITH_FRAMES "WITH c AS (SELECT capture.*, coalesce(frames_uncapped_total_ns, frames_total_ns) AS total_ns, " \
	"CASE WHEN frames_late * 20 >= frames_count THEN frames_p95_ns ELSE coalesce(frames_uncapped_p95_ns, frames_p95_ns) END AS by_p95_ns, " \
	"(SELECT value FROM fact WHERE capture = id AND key = 'device') AS device, " \
	"(SELECT value FROM fact WHERE capture = id AND key = 'build') AS build FROM capture WHERE copy = 0 AND frames_count > 0)"

const struct query_example query_examples[] = {
	{ "Which captures and archives failed, are damaged or were skipped, and why?",
	    "SELECT key, outcome, why, detail FROM capture WHERE outcome <> 'ok' UNION ALL "
	    "SELECT key, outcome, why, detail FROM archive WHERE outcome <> 'ok' ORDER BY outcome, key",
	    "all captures and archives are ok", NULL, NULL },
	{ "Which captures have the slowest frames?",
	    WITH_FRAMES " SELECT key, device, build, frames_count, round(1e9 * frames_count / frames_total_ns, 2) AS shown_fps, frames_late, "
	    "frames_p95_ns, frames_max_ns, frames_cap_ns, frames_uncapped_p95_ns, "
	    "frames_uncapped_max_ns "
	    "FROM c ORDER BY by_p95_ns DESC, key LIMIT 20",
	    "no capture has whole frames", NULL, NULL },
	{ "Which device got slower since Monday?",
	    WITH_FRAMES ", m AS (SELECT date(max(date), '-6 days', 'weekday 1') AS monday FROM c), "
	    "d AS (SELECT device, sum(total_ns) FILTER (WHERE date < monday) / sum(frames_count) FILTER (WHERE date < monday) AS before_ns, "
	    "sum(total_ns) FILTER (WHERE date >= monday) / sum(frames_count) FILTER (WHERE date >= monday) AS since_ns "
	    "FROM c, m GROUP BY device) "
	    "SELECT device, before_ns, since_ns, round(100.0 * (since_ns - before_ns) / before_ns, 2) AS change_percent FROM d "
	    "WHERE before_ns IS NOT NULL AND since_ns IS NOT NULL ORDER BY change_percent DESC, device",
	    "no device has captures with frames both before and since the Monday of the newest one's week", NULL, NULL },
	{ "Which build is slower than the one before it?",
	    WITH_FRAMES ", b AS (SELECT build, min(date) AS since, count(*) AS captures, sum(total_ns) / sum(frames_count) AS mean_ns, "
	    "max(by_p95_ns) AS worst_p95_ns FROM c WHERE build IS NOT NULL GROUP BY build) "
	    "SELECT build, since, captures, mean_ns, round(100.0 * (mean_ns - lag(mean_ns) OVER w) / lag(mean_ns) OVER w, 2) AS change_percent, "
	    "worst_p95_ns FROM b WINDOW w AS (ORDER BY since, build) ORDER BY since, build",
	    "no capture with frames has the fact build, which batch --meta build=NAME adds", NULL, NULL },
	{ "Which marker's p95 grew in most captures of the newest build?",
	    "WITH b AS (SELECT capture, value AS build, date FROM fact JOIN capture ON id = capture WHERE fact.key = 'build' AND copy = 0), "
	    "n AS (SELECT build AS newest FROM b GROUP BY build ORDER BY min(date) DESC, build DESC LIMIT 1), "
	    "old AS (SELECT marker, avg(p95_ns) AS was_ns FROM capture_marker JOIN b USING (capture), n WHERE build <> newest GROUP BY marker) "
	    "SELECT marker.name AS marker, count(*) FILTER (WHERE p95_ns > 1.05 * was_ns) AS grew_in, count(*) AS captures, "
	    "CAST(avg(was_ns) AS INTEGER) AS was_p95_ns, CAST(avg(p95_ns) AS INTEGER) AS is_p95_ns "
	    "FROM capture_marker JOIN b USING (capture) JOIN old USING (marker) JOIN marker ON marker.id = marker, n "
	    "WHERE build = newest GROUP BY marker ORDER BY grew_in DESC, is_p95_ns - was_p95_ns DESC, marker.name LIMIT 20",
	    "no two builds have a marker in common; name the build of captures with batch --meta build=NAME",
	    "markers_left_out", "markers with the least self time" },
	{ "Which markers take most time over all captures?",
	    "SELECT m.name AS marker, m.category, count(*) AS captures, sum(t.self_ns) AS self_ns, sum(t.count) AS calls, max(t.max_ns) AS max_ns "
	    "FROM capture_marker t JOIN marker m ON m.id = t.marker JOIN capture c ON c.id = t.capture WHERE c.copy = 0 "
	    "GROUP BY t.marker ORDER BY self_ns DESC, m.name LIMIT 20",
	    "no capture has markers, or none is in results", "markers_left_out", "markers with the least self time" },
	{ "Which places allocate most over all captures?",
	    "SELECT s.marker, s.class, count(DISTINCT s.capture) AS captures, sum(s.bytes) AS bytes, sum(s.count) AS allocations "
	    "FROM allocation_site s JOIN capture c ON c.id = s.capture WHERE c.copy = 0 GROUP BY s.marker, s.class ORDER BY bytes DESC, 1, 2 LIMIT 20",
	    "no capture has allocations", "sites_left_out", "places that allocate least" },
	{ "On which devices are frames over 33 ms?",
	    WITH_FRAMES " SELECT device, count(*) AS captures, sum(frames_count) AS frames, sum(frames_over_33_33) AS over, "
	    "round(100.0 * sum(frames_over_33_33) / sum(frames_count) "
	    "FILTER (WHERE frames_over_33_33 IS NOT NULL), 2) AS over_percent FROM c GROUP BY device ORDER BY over_percent DESC, device",
	    "no capture has whole frames", NULL, NULL },
	{ "Which captures stop longest to collect garbage?",
	    "SELECT key, gcalloc_collections AS collections, gcalloc_stopped_ns AS stopped_ns, gcalloc_stopped_max_ns AS stopped_max_ns, "
	    "gcalloc_pause_max_ns AS pause_max_ns FROM capture WHERE copy = 0 AND coalesce(gcalloc_stopped_max_ns, gcalloc_pause_max_ns) > 0 "
	    "ORDER BY coalesce(gcalloc_stopped_max_ns, gcalloc_pause_max_ns) DESC, key LIMIT 20",
	    "no capture has pauses for collections", NULL, NULL },
	{ "How many frames are too long for 60, 30 and 20 fps?",
	    "WITH c AS (SELECT sum(frames_count) AS n, sum(frames_over_16_67) AS a, sum(frames_over_33_33) AS b, sum(frames_over_50) AS c "
	    "FROM capture WHERE copy = 0 AND frames_over_16_67 IS NOT NULL AND frames_over_33_33 IS NOT NULL AND frames_over_50 IS NOT NULL) "
	    "SELECT '1: up to 16.67 ms' AS frame_time, n - a AS frames FROM c UNION ALL "
	    "SELECT '2: up to 33.33 ms', a - b FROM c UNION ALL SELECT '3: up to 50 ms', b - c FROM c UNION ALL SELECT '4: over 50 ms', c FROM c "
	    "UNION ALL SELECT '5: too few frames of a capture tell', sum(frames_count) FROM capture WHERE copy = 0 AND frames_count > 0 AND "
	    "(frames_over_16_67 IS NULL OR frames_over_33_33 IS NULL OR frames_over_50 IS NULL) HAVING sum(frames_count) > 0",
	    "no capture has whole frames", NULL, NULL },
};

const size_t query_nexamples = sizeof query_examples / sizeof *query_examples;
