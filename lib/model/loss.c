/**
 * Describes each kind of loss and adds up the ledger.
 */
#include "model/loss.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"

const char *const tt_severity_name[4] = { "info", "notice", "loss", "error" };

/*
 * Damage is what makes a capture less than its producer wrote; it gives exit code 3. The rest is either the
 * producer's doing (it was killed, it dropped events) or a decision of ours that figures depend on.
 */
const struct tt_loss_info tt_loss_info[TT_LOST_KINDS] = {
	[TT_LOST_CUT] = { "cut", "ends inside a chunk",
	    "Copy it again; the rest was read.", TT_ERROR, true, TT_SETTING_NONE },
	[TT_LOST_TEXT] = { "text", "probably changed by a transfer as text",
	    "Copy it again as it is (FTP: in binary mode; git: \"*.SUFFIX binary\" in .gitattributes).", TT_ERROR, true, TT_SETTING_NONE },
	[TT_LOST_CODING] = { "coding", "compressed stream cut or damaged",
	    "Check it (gzip -t, xz -t) and copy it again; the rest was read.",
	    TT_ERROR, true, TT_SETTING_NONE },
	[TT_LOST_SYNC] = { "sync", "bytes skipped to find the next chunk",
	    "Copy it again (FTP: in binary mode); the rest was read.", TT_ERROR,
	    true, TT_SETTING_NONE },
	[TT_LOST_DAMAGED] = { "damaged", "chunks not fully decoded",
	    "Their threads lack events.",
	    TT_ERROR, true, TT_SETTING_NONE },
	[TT_LOST_UNKNOWN] = { "unknown", "event of an unknown type; rest of its chunk skipped",
	    "Look for a newer tracetool, or report the capture.", TT_ERROR,
	    true, TT_SETTING_NONE },
	[TT_LOST_GARBAGE] = { "garbage", "bytes after the end",
	    "Ignored: appended, or damaged.", TT_LOSS, true, TT_SETTING_NONE },
	[TT_LOST_CHANGED] = { "changed", "input changed while it was read",
	    "Figures may mix two states: run again when it is complete.", TT_ERROR, true, TT_SETTING_NONE },
	[TT_LOST_DROPPED] = { "dropped", "events dropped by the recorder",
	    "Record less, or with a larger buffer: figures are lower bounds.", TT_LOSS, false, TT_SETTING_NONE },
	[TT_LOST_NOT_ENDED] = { "not_ended", "capture ends early, without an end record",
	    "The program was killed, crashed or is still running, or the file is cut: the last events are missing, and the last frames may lack threads.",
	    TT_NOTICE, false, TT_SETTING_NONE },
	[TT_LOST_KILLED] = { "killed", "producer did not end cleanly; its ring was read",
	    "The program still runs, or was killed or crashed; all it recorded until now is here.", TT_INFO, false, TT_SETTING_NONE },
	[TT_LOST_RUNNING] = { "running", "producer still runs; its ring was read",
	    "What it records while the capture is read, and later, is not here: read it again when it has ended.", TT_NOTICE, false,
	    TT_SETTING_NONE },
	[TT_LOST_OVERTAKEN] = { "overtaken", "chunks that the running program moved while they were read",
	    "Their threads lack events here, not in the recording: read it again, or when it has ended.", TT_LOSS, false, TT_SETTING_NONE },
	[TT_LOST_SHORT] = { "short", "parts of a flight recording shorter than asked for: the ring was full",
	    "Record with a larger ring, or less.", TT_NOTICE, false, TT_SETTING_NONE },
	[TT_LOST_PAUSED] = { "paused", "places where recording paused, or frames are missing",
	    "Nothing in the capture tells which. The frame before the place is left out.", TT_NOTICE, false, TT_SETTING_NONE },
	[TT_LOST_SHARED] = { "shared", "covered methods compiled in several domains at once",
	    "The runtime goes on counting in the newest code only: figures are lower bounds, and a line with 0 may have run.", TT_LOSS,
	    false, TT_SETTING_NONE },
	[TT_LOST_UNMATCHED] = { "unmatched", "ends without a begin, ignored",
	    "Usual where an exception leaves code that is not instrumented; otherwise calls are missing.", TT_INFO,
	    false, TT_SETTING_NONE },
	[TT_LOST_POPPED] = { "popped", "zones without an end, closed with the zone around them",
	    "Their times are upper bounds; usual after exceptions.", TT_INFO, false, TT_SETTING_NONE },
	[TT_LOST_SPANNING] = { "spanning", "zones that end outside the zone or frame in which they begin",
	    "The table spanning_zones has begins and ends; all other times are those up to the end of the zone around them (markers: cut).", TT_NOTICE,
	    false, TT_SETTING_NONE },
	[TT_LOST_OPEN] = { "open", "zones still open at the end",
	    "Closed at their thread's last event: their times are lower bounds.", TT_INFO, false, TT_SETTING_NONE },
	[TT_LOST_DEPTH] = { "depth", "zones nested deeper than the stack limit",
	    "Their time is in the deepest zone kept; look for endless recursion.", TT_LOSS, false, TT_SETTING_NONE },
	[TT_LOST_NESTED] = { "nested", "calls as deep as the recorder's limit (calldepth)",
	    "Calls inside them are not in the capture: record with a larger calldepth=N (without it: 100).", TT_NOTICE, false, TT_SETTING_NONE },
	[TT_LOST_CLOCK] = { "clock", "times that ran backwards, treated as standing still",
	    "Durations around them are too short; the recording machine's clock is suspect.", TT_NOTICE, false, TT_SETTING_NONE },
	[TT_LOST_NAMES] = { "names", "keys without a definition",
	    "Their names were not recorded (capture cut early, or code unloaded): shown as (unknown).", TT_NOTICE,
	    false, TT_SETTING_NONE },
	[TT_LOST_PATHS] = { "paths", "calls, samples and allocations on paths beyond the limit, joined in \"(more paths)\"",
	    " to tell them apart: their figures are under (more paths), not under their markers and threads.", TT_NOTICE, false, TT_SETTING_PATHS },
	[TT_LOST_REUSED] = { "reused", "addresses used for several things that cannot be told apart",
	    "Code or classes were unloaded and their addresses reused: figures of the later ones include the earlier ones.",
	    TT_NOTICE, false, TT_SETTING_NONE },
	[TT_LOST_VALUES] = { "values", "values that could not be written",
	    "The format of this output has no NaN, infinity or number that large: these points were left out.", TT_NOTICE,
	    false, TT_SETTING_NONE },
	[TT_LOST_STACKS] = { "stacks", "stacks cut by the recorder's depth limit",
	    "Their outermost callers are missing: the recorder keeps only the innermost stack frames.", TT_INFO,
	    false, TT_SETTING_NONE },
	[TT_LOST_MISSING] = { "missing", "chunks missing, repeated or out of order",
	    "Copy it again; if recover joined it from files of a rotation, join all of them.",
	    TT_ERROR, true, TT_SETTING_NONE },
	[TT_LOST_STOPPED] = { "stopped", "recorder stopped before the program did",
	    "The disk was full or the size limit reached: later events are missing.", TT_LOSS, false, TT_SETTING_NONE },
	[TT_LOST_SAMPLED] = { "sampled", "sampled allocations, each representing many others",
	    "Numbers and bytes are estimates: the tables of allocations have the standard error.", TT_INFO,
	    false, TT_SETTING_NONE },
	[TT_LOST_ARGS] = { "arguments", "zones written without their arguments",
	    "Zones that were open at one time had more than 4 MiB of them; nothing else about these zones is missing.", TT_NOTICE,
	    false, TT_SETTING_NONE },
	[TT_LOST_NO_PLACE] = { "no_place", "events dropped: no room for their thread",
	    "Too many threads at once: record with room for more (Mono: threads=N).", TT_LOSS, false, TT_SETTING_NONE },
	[TT_LOST_COUNTER_VALUES] = { "counter_values", "values of counters beside the first, left out",
	    "A counter has one value at a time: a marker with several is better recorded as one without the flag of counters (0x80).", TT_NOTICE,
	    false, TT_SETTING_NONE },
	[TT_LOST_ALLOC_BYTES] = { "alloc_bytes", "allocations whose bytes are missing or negative",
	    "They are zones or instants of their marker, and the figures of allocations lack them.", TT_NOTICE, false, TT_SETTING_NONE },
	[TT_LOST_METADATA] = { "sample_metadata", "further metadata of samples that have some, left out",
	    "A sample has one set of values and one instance id: please report the capture.", TT_NOTICE, false, TT_SETTING_NONE },
	[TT_LOST_VALUE_TYPES] = { "value_types", "values of unknown types or wrong sizes, and counters without a number",
	    "Values that cannot be read are shown as bytes, counters without a number as zones: look for a newer tracetool, or report the capture.",
	    TT_NOTICE, false, TT_SETTING_NONE },
	[TT_LOST_ZONE_STACKS] = { "zone_stacks", "call stacks of zones, left out",
	    "Only those of allocations are kept; nothing else about these zones is missing.", TT_NOTICE, false, TT_SETTING_NONE },
	[TT_LOST_BEGINS] = { "begins", "zones left out: several of their marker lack their begin in one frame",
	    "They began before the recording, or their begins are damaged: then copy it again. Their time counts for the zones around them.", TT_NOTICE, false,
	    TT_SETTING_NONE },
	[TT_LOST_ENDS] = { "ends", "ends of markers without a begin, taken as those of the zones around them",
	    "Those zones have no other end, and their marker's number is one bit away: it is probably damaged, so copy it again.", TT_NOTICE, false,
	    TT_SETTING_NONE },
	[TT_LOST_GPU_TIMES] = { "gpu_times", "GPU times longer than the time that passed before they were reported",
	    "They are wrong, so no GPU zones are made of them; counters of the GPU may have some.", TT_NOTICE, false, TT_SETTING_NONE },
	[TT_LOST_NOTED] = { "noted", "texts, values and definitions that the recorder cut or left out",
	    "A message with \"the recorder says\" names them, where messages are not turned off.", TT_INFO, false, TT_SETTING_NONE },
	[TT_LOST_RING] = { "ring", "the recording's ring is another user's, and was not read",
	    "It holds the newest events: run tracetool as the user who recorded.", TT_LOSS, true, TT_SETTING_NONE },
	[TT_LOST_FILES] = { "files", "files of the rotation missing between those given",
	    "Give them too.", TT_ERROR, true, TT_SETTING_NONE },
	[TT_LOST_DEFINITIONS] = { "definitions", "definitions missing or damaged",
	    "Copy it again: what is known by name, like waits, allocations and collections, is missing from figures.", TT_ERROR, true, TT_SETTING_NONE },
	[TT_LOST_HEADER] = { "header", "headers whose main thread is not in the capture",
	    "Copy it again: the frames are those of the thread called Main Thread; without one, there are none.", TT_ERROR, true, TT_SETTING_NONE },
};

struct tt_loss_info
tt_loss_info_in_words(enum tt_loss_kind k, const struct tt_loss_words *said)
{
	struct tt_loss_info i = tt_loss_info[k];

	if (said && said->text)
		i.text = said->text;
	if (said && said->advice)
		i.advice = said->advice;
	if (said && said->severity > i.severity)
		i.severity = said->severity;
	return i;
}

struct tt_loss_info
tt_loss_info_of(const struct tt_loss *l, enum tt_loss_kind k)
{
	const struct tt_loss_entry *e = &l->e[k];
	struct tt_loss_info i = tt_loss_info_in_words(k, e->words);

	if (k == TT_LOST_SHORT && l->flight.asked_ms)
		i.advice = l->flight.advice;
	if (e->forced && (k == TT_LOST_DAMAGED || k == TT_LOST_SYNC || k == TT_LOST_MISSING || k == TT_LOST_DEFINITIONS || k == TT_LOST_CUT ||
	    k == TT_LOST_GARBAGE))
		i.advice = "Its layout is not known: the file may be whole.";
	return i;
}

const char *
tt_loss_advice(const struct tt_loss_info *i, char room[TT_LOSS_ADVICE])
{
	snprintf(room, TT_LOSS_ADVICE, "%s%s%s", i->raise ? "Raise " : "", tt_setting_name[i->raise], i->advice);
	return room;
}

void
tt_loss_reset(struct tt_loss *l)
{
	memset(l, 0, sizeof *l);
}

/* Add to one entry. Its place, ${at}, is kept only for losses in the first input that has some. */
static void
add(struct tt_loss_entry *e, uint64_t n, uint64_t bytes, uint64_t at, const char *input, const struct tt_loss_words *said)
{
	if (e->n == 0) {
		e->first_at = TT_NOWHERE;
		e->input = input;
		e->words = said;
	} else if (input != e->input) {
		e->in_others = true;
		at = TT_NOWHERE;
	}
	if (said != e->words)
		e->words = NULL;
	e->n = n > UINT64_MAX - e->n ? UINT64_MAX : e->n + n;
	e->bytes += bytes;
	if (at < e->first_at)
		e->first_at = at;
}

void
tt_loss_add(struct tt_loss *l, enum tt_loss_kind k, uint64_t n, uint64_t bytes, uint64_t at)
{
	if (n == 0)
		return;
	add(&l->e[k], n, bytes, at, l->input, l->words ? &l->words[k] : NULL);
	l->e[k].forced = l->e[k].forced || l->forced;
	l->any = true;
}

/* Keep the shorter part of a flight recording of both. */
static void
join_held(struct tt_loss_flight *into, const struct tt_loss_flight *from)
{
	if (from->asked_ms && (!into->asked_ms || (double)from->ms / (double)from->asked_ms < (double)into->ms / (double)into->asked_ms))
		*into = *from;
}

void
tt_loss_note_flight(struct tt_loss *l, uint64_t ms, uint64_t asked_ms, uint64_t room)
{
	struct tt_loss_flight h = { .ms = ms, .asked_ms = asked_ms };

	snprintf(h.advice, sizeof h.advice, "It had room for %llu ms of %llu ms; about %llu MB have it for all. %s", (unsigned long long)ms,
	    (unsigned long long)asked_ms, (unsigned long long)(room >> 20) + 1, tt_loss_info[TT_LOST_SHORT].advice);
	join_held(&l->flight, &h);
	tt_loss_add(l, TT_LOST_SHORT, 1, 0, TT_NOWHERE);
}

void
tt_loss_join(struct tt_loss *into, const struct tt_loss *from)
{
	if (!from->any)
		return;
	for (unsigned k = 0; k < TT_LOST_KINDS; k++) {
		const struct tt_loss_entry *e = &from->e[k];

		if (e->n) {
			add(&into->e[k], e->n, e->bytes, e->first_at, e->input ? e->input : into->input,
			    e->words || !into->words ? e->words : &into->words[k]);
			into->e[k].in_others = into->e[k].in_others || e->in_others;
			into->e[k].forced = into->e[k].forced || e->forced || into->forced;
		}
	}
	into->any = true;
	join_held(&into->flight, &from->flight);
}

bool
tt_loss_damaged(const struct tt_loss *l)
{
	if (!l->any)
		return false;
	for (unsigned k = 0; k < TT_LOST_KINDS; k++) {
		if (tt_loss_info[k].damage && l->e[k].n)
			return true;
	}
	return false;
}

uint64_t
tt_loss_count_damage(const struct tt_loss *l, bool *cut)
{
	uint64_t n = 0;

	*cut = l->any && (l->e[TT_LOST_CUT].n || l->e[TT_LOST_CODING].n);
	for (unsigned k = 0; l->any && k < TT_LOST_KINDS; k++)
		if (tt_loss_info[k].damage && k != TT_LOST_CUT && k != TT_LOST_CODING)
			n += l->e[k].n;
	return n;
}
