/**
 * The glossary: words that the manual and the tables use, and definitions of them that no column, metric or kind of loss has.
 *
 * tracetool-metrics(7) and tracetool-json(7) have their lists from here ("make man").
 */
#include <stddef.h>

#include "definitions.h"

const struct glossary_word glossary_terms[] = {
	{ "capture",
	    "One recording, in one file or in the numbered files of a rotation. A report over several captures treats them as processes "
	    "of one timeline." },
	{ "producer",
	    "The program that wrote a capture: Mono's log profiler, tracetool's Mono module, or tracetool's Unity plug-in." },
	{ "process",
	    "One input of a run, numbered from 1." },
	{ "thread",
	    "A thread of a process. The system may reuse a thread's id after it ends; the generation tells such threads apart." },
	{ "event",
	    "One entry of a capture, such as a begin, an end, an allocation or a counter value, with its thread and time." },
	{ "marker",
	    "A named place in the program that zones refer to: a method in Mono, a profiler marker in Unity." },
	{ "category",
	    "The group a marker belongs to: Unity's category of a profiler marker, Mono's assembly of a method." },
	{ "zone",
	    "One activation of a marker, from its begin to its end on one thread." },
	{ "wait marker",
	    "A marker whose zones wait instead of work, such as sleep, select, accept or join." },
	{ "self time",
	    "The duration of a zone without the zones directly inside it." },
	{ "total time",
	    "The duration of a zone with everything inside it." },
	{ "path",
	    "The markers open on a thread at one moment, outermost first. The call tree has one node for each path." },
	{ "site",
	    "The place an allocation, exception, handle or lock belongs to: the innermost zone or stack frame that is not the runtime's "
	    "own." },
	{ "sample",
	    "One periodic look at a thread's stack by a sampling profiler." },
	{ "stack frame",
	    "One method in the stack of a sample or an allocation." },
	{ "frame",
	    "One pass of the game loop: from the begin of the frame marker to its next begin on the same thread." },
	{ "whole frame",
	    "A frame with both ends in the capture and no gap in it; statistics use whole frames only, the others are partial." },
	{ "hitch",
	    "One of the longest whole frames, as listed in the table hitches." },
	{ "CPU-active time",
	    "Wall time of a frame without the waits of the frame thread, the Editor's time and the time outside recorded calls." },
	{ "capped frames",
	    "Frames that wait for a frame rate: their wall time says nothing, and they are judged by CPU-active time." },
	{ "instant",
	    "An event without a duration, such as a label or an exception that is never caught." },
	{ "label",
	    "A named instant that the program sets, to mark a scene or a phase of a test." },
	{ "flow",
	    "An arrow between zones, possibly on different threads: work scheduled in one place and run in another." },
	{ "counter",
	    "A named series of values over time." },
	{ "heap shot",
	    "A list of the live objects at one collection, with their classes, sizes and references." },
	{ "loss",
	    "Something that the producer dropped or that damage made unreadable. The table loss lists every kind with its count." },
	{ "ledger",
	    "All losses of a run together." },
	{ "session",
	    "Captures recorded together: those of one job, on one day, on one machine. A baseline holds several sessions, and their "
	    "spread widens its limits." },
	{ "budget",
	    "A JSON file of limits on figures. Each row names a figure and its limit, absolute or relative to a baseline." },
	{ "baseline",
	    "Figures of earlier captures, kept in a file, that relative limits compare with." },
	{ "gate",
	    "A run with a budget: it exits with 0 if every row passes, otherwise with another status, see tracetool-budget(5)." },
	{ "run",
	    "One execution of tracetool over its inputs." },
	{ NULL, NULL },
};

const struct glossary_word glossary_zones[] = {
	{ "GC.Pause",
	    "From the wish to stop the world to its restart, on the thread that triggers the collection." },
	{ "GC.Stop",
	    "The part of GC.Pause in which that thread waits for the others to stop. At the end of a program it can be long (a second is usual "
	    "with Mono 6), and no other thread stops in it: what all threads lose is stopped_ns in the table gcalloc." },
	{ "GC.Collect gen0, GC.Collect gen1",
	    "A collection of that generation, start to end, inside GC.Pause. In Unity captures a zone \"GC.Collect\", of generation 0; "
	    "which threads were stopped meanwhile is not recorded." },
	{ "Contention",
	    "From waiting for a lock to having it or giving up." },
	{ "Exception",
	    "From a throw to the clause that catches it on the same thread, where the file has that clause; else the throw is an instant. "
	    "It counts once, however many methods it leaves; in the call tree its time is with the method that it is about to leave. In "
	    "Chrome JSON and the events of CSV it is one slice, which ends with the first method that it leaves: slices nest." },
	{ "JIT",
	    "Compiling a method, in captures of tracetool's own Mono module." },
	{ NULL, NULL },
};

/* Notes on a report by their id, beside the kinds of loss. */
const struct glossary_word glossary_notes[] = {
	{ "caveat", "Figures of the capture are relative, or include what recording itself costs: the text says which, and why." },
	{ "layout", "The layout of the file is not one that tracetool knows for sure: the text says what it was read as." },
	{ "flight", "The capture is a flight recording: the last moments before a dump, with a gap between dumps." },
	{ "filter", "A filter or a grouping means nothing for some tables, which are as without it, or nothing lies in the time asked for." },
	{ "no_thread", "No thread has the name or number asked for." },
	{ "no_marker", "No marker, and no row of another table, has the name asked for." },
	{ "no_category", "No category has the name asked for." },
	{ "no_frames", "Figures of frames are missing, for a side has no whole frames." },
	{ "no_metric", "A metric has no figure, or no single one: the text says why." },
	{ "rename", "A pattern that renames markers for a comparison matches nothing." },
	{ "exceptions", "Catch clauses and throws do not match: some were not recorded, or not reported by the runtime." },
	{ "missing_shards", "Parts of a batch are missing from what was merged." },
	{ "further_files", "Captures of a batch are further files of recordings that rotate." },
	{ "outside", "Captures of a batch have nothing in the time asked for." },
	{ "copies", "Captures of a batch are copies of others; figures count once." },
	{ "capped", "A total does not fit into 64 bits, and the largest number is in its place." },
	{ NULL, NULL },
};
