/**
 * Holds the schema of a capture's database: tables, indexes, views.
 */
#include "emit/sqlite_schema.h"

#define ID(help) { "id", "INTEGER PRIMARY KEY", help }
#define PROCESS { "process", "INTEGER", "Row of process." }
#define THREAD { "thread", "INTEGER", "Row of thread." }
#define COLUMNS(c) (c), sizeof (c) / sizeof *(c)

static const struct tt_db_col about[] = {
	{ "table_name", "TEXT", "Table or view." },
	{ "column_name", "TEXT", "Column; empty in the row about the table itself." },
	{ "unit", "TEXT", "Unit of a column of stats, as in \"tracetool list metrics\"." },
	{ "help", "TEXT", "What it is, in a sentence." },
};

static const struct tt_db_col info[] = {
	{ "key", "TEXT PRIMARY KEY", "generator: program and version; kind: capture; schema: number of the schema; level: frames, markers or slices." },
	{ "value", "", "Its value." },
};

static const struct tt_db_col process[] = {
	ID("Number of the input, from 1."),
	{ "name", "TEXT", "Name of the program or, where that is not known, of the file." },
	{ "path", "TEXT", "Name of the input, as given." },
	{ "format", "TEXT", "Format of the input." },
	{ "version", "TEXT", "Version of the file format." },
	{ "producer", "TEXT", "Program that recorded the capture." },
	{ "pid", "INTEGER", "Process id." },
	{ "arch", "TEXT", "Architecture of the recorded process." },
	{ "os", "TEXT", "Operating system of the recorded process." },
	{ "args", "TEXT", "Options of the recorder." },
	{ "clock", "TEXT", "Source of the times." },
	{ "wall_ns", "INTEGER", "Wall clock at the start, in ns since 1970, UTC." },
	{ "first_ns", "INTEGER", "Time of the first event." },
	{ "last_ns", "INTEGER", "Time of the last event." },
	{ "events", "INTEGER", "Events in the file, before any filter." },
	{ "bytes", "INTEGER", "Bytes read, after decompression." },
};

static const struct tt_db_col thread[] = {
	ID("Number of the thread in all outputs, from 1."),
	PROCESS,
	{ "tid", "INTEGER", "Thread id from the producer; the GPU has none." },
	{ "name", "TEXT", "Name, or \"Thread\" and its number." },
	{ "group_name", "TEXT", "Group of threads from the engine, like Job." },
	{ "gpu", "INTEGER", "1 for the GPU's own work." },
	{ "first_ns", "INTEGER", "Time of its first event." },
	{ "last_ns", "INTEGER", "Time of its last event." },
	{ "events", "INTEGER", "Events from the producer, before any filter." },
};

static const struct tt_db_col frame[] = {
	ID("Number over all inputs, from 1."),
	PROCESS,
	{ "number", "INTEGER", "Number of the frame in its input, from 1, as filters by frame use it." },
	{ "engine_number", "INTEGER", "Number that the engine gave it." },
	{ "thread", "INTEGER", "Frame thread." },
	{ "start_ns", "INTEGER", "Start." },
	{ "dur_ns", "INTEGER", "Wall time." },
	{ "cpu_ns", "INTEGER", "CPU-active time." },
	{ "uncapped_ns", "INTEGER", "Time without the wait for the frame limit." },
	{ "wait_ns", "INTEGER", "Waits on the frame thread." },
	{ "alloc_bytes", "INTEGER", "Bytes allocated in the frame on all threads." },
	{ "allocs", "INTEGER", "Allocations in the frame on all threads." },
	{ "main_ns", "INTEGER", "Work of the main thread, as the engine measured it." },
	{ "render_ns", "INTEGER", "Work of the render thread, as in the table hitches." },
	{ "present_ns", "INTEGER", "Wait to present, as the engine measured it." },
	{ "gpu_ns", "INTEGER", "GPU time, likewise." },
	{ "shown_ns", "INTEGER", "How long it was shown: whole periods where a limit shows, else its wall time; what budgets are held against." },
	{ "refreshes", "INTEGER", "How many refreshes of the display, or periods of a timer, it took; empty where no limit shows." },
	{ "late", "INTEGER", "1 if it took more than the limit gives it, else 0; empty where no limit shows." },
	{ "needed_ns", "INTEGER", "Time the main thread needed for it: without waits for the limit, the GPU and the render thread, and without the Editor's." },
};

static const struct tt_db_col fact[] = {
	PROCESS,
	{ "start_ns", "INTEGER", "When it was set; empty in the row for the whole capture, which has the last value." },
	{ "end_ns", "INTEGER", "When it was set again; empty where it holds to the end." },
	{ "key", "TEXT", "Key: device, build, label and whatever else the program says." },
	{ "value", "TEXT", "Its value." },
};

static const struct tt_db_col category[] = {
	ID("Number."),
	{ "name", "TEXT", "Name." },
	{ "rgba", "INTEGER", "Colour that the producer gives it, as 0xRRGGBBAA; empty where it gives none." },
};

static const struct tt_db_col marker[] = {
	ID("Number."),
	{ "name", "TEXT", "Name, as tables of stats have it; with arguments where others that something happened in would be called the same." },
	{ "full_name", "TEXT", "Name with namespace and arguments." },
	{ "category", "INTEGER", "Row of category." },
};

static const struct tt_db_col class[] = {
	ID("Number."),
	{ "name", "TEXT", "Name." },
};

static const struct tt_db_col slice[] = {
	ID("Number, in the order of the file: zones of one part of a thread are in order of begin."),
	THREAD,
	{ "start_ns", "INTEGER", "Begin." },
	{ "dur_ns", "INTEGER", "Duration." },
	{ "depth", "INTEGER", "Zones open around it." },
	{ "marker", "INTEGER", "Row of marker." },
};

static const struct tt_db_col arg[] = {
	{ "slice", "INTEGER PRIMARY KEY", "Row of slice." },
	{ "args", "TEXT", "What the zone carried, as a JSON object; its last member is cut, true, if the zone has no end of its own." },
};

static const struct tt_db_col stack[] = {
	ID("Number."),
	{ "parent", "INTEGER", "Row of stack that called it; empty for the outermost." },
	{ "marker", "INTEGER", "Row of marker: the frame." },
};

static const struct tt_db_col allocation[] = {
	ID("Number."),
	THREAD,
	{ "time_ns", "INTEGER", "When." },
	{ "class", "INTEGER", "Row of class." },
	{ "bytes", "INTEGER", "Size; for a sampled allocation, the size of all that it represents." },
	{ "count", "INTEGER", "Allocations it represents: 1, or more where they were sampled." },
	{ "stack", "INTEGER", "Row of stack; empty where none was recorded." },
};

static const struct tt_db_col sample[] = {
	ID("Number."),
	THREAD,
	{ "time_ns", "INTEGER", "When." },
	{ "address", "INTEGER", "Address that was hit." },
	{ "stack", "INTEGER", "Row of stack; empty where none was recorded." },
};

static const struct tt_db_col counter[] = {
	ID("Number."),
	PROCESS,
	{ "name", "TEXT", "Name." },
	{ "section", "TEXT", "Section: the part of the runtime, or the producer's category." },
	{ "unit", "TEXT", "What it counts: bytes, count, ns and so on; value where that is not known." },
};

static const struct tt_db_col point[] = {
	{ "counter", "INTEGER", "Row of counter." },
	{ "time_ns", "INTEGER", "When." },
	{ "value", "", "Value from then on: a number, or a text." },
};

static const struct tt_db_col flow[] = {
	{ "flow", "INTEGER", "Number of the flow: its steps have the same." },
	{ "time_ns", "INTEGER", "When." },
	THREAD,
	{ "step", "TEXT", "begin, parallel, sequential or end." },
};

static const struct tt_db_col heap_object[] = {
	ID("Number."),
	THREAD,
	{ "shot", "INTEGER", "Number of the shot, as in heapshots; empty outside all shots." },
	{ "time_ns", "INTEGER", "When." },
	{ "address", "INTEGER", "Address of the object." },
	{ "class", "INTEGER", "Row of class." },
	{ "bytes", "INTEGER", "Size, without the objects it refers to." },
};

static const struct tt_db_col heap_root[] = {
	ID("Number."),
	THREAD,
	{ "time_ns", "INTEGER", "When." },
	{ "object", "INTEGER", "Address of the object that it holds." },
	{ "address", "INTEGER", "Where the reference lies; empty where that is not recorded." },
};

static const struct tt_db_col event[] = {
	ID("Number."),
	{ "time_ns", "INTEGER", "When." },
	THREAD,
	{ "kind", "TEXT", "Kind: instant, frame, gc, gc_heap, gc_move, root, throw, clause, monitor, handle, finalize and others, as in CSV." },
	{ "name", "TEXT", "Marker of an instant, class, phase or what else the kind has." },
	{ "value", "", "Number." },
	{ "detail", "TEXT", "Text or id." },
	{ "args", "TEXT", "What an instant carried, as a JSON object." },
};

const struct tt_db_table tt_sqlite_table[TT_SQL_TABLES] = {
	[TT_SQL_ABOUT] = { "about", COLUMNS(about), "A table, view or column, in words.", NULL },
	[TT_SQL_INFO] = { "info", COLUMNS(info), "What made the database.", NULL },
	[TT_SQL_PROCESS] = { "process", COLUMNS(process), "An input.", NULL },
	[TT_SQL_THREAD] = { "thread", COLUMNS(thread), "A thread.", NULL },
	[TT_SQL_FRAME] = { "frame", COLUMNS(frame), "A whole frame.", NULL },
	[TT_SQL_FACT] = { "fact", COLUMNS(fact), "A fact: of a capture, or from when to when a program says it.", NULL },
	[TT_SQL_CATEGORY] = { "category", COLUMNS(category), "A category of markers.", NULL },
	[TT_SQL_MARKER] = { "marker", COLUMNS(marker), "A marker that something happened in.", NULL },
	[TT_SQL_CLASS] = { "class", COLUMNS(class), "A class of objects.", NULL },
	[TT_SQL_SLICE] = { "slice", COLUMNS(slice), "A zone.", NULL },
	[TT_SQL_ARG] = { "slice_arg", COLUMNS(arg), "What a zone carried, and whether it has an end of its own.", NULL },
	[TT_SQL_STACK] = { "stack", COLUMNS(stack), "A recorded call stack: a frame and the stack that called it.", NULL },
	[TT_SQL_ALLOCATION] = { "allocation", COLUMNS(allocation), "An allocation.", NULL },
	[TT_SQL_SAMPLE] = { "sample", COLUMNS(sample), "A sample of a thread.", NULL },
	[TT_SQL_COUNTER] = { "counter", COLUMNS(counter), "A counter.", NULL },
	[TT_SQL_POINT] = { "counter_value", COLUMNS(point), "A value of a counter.", NULL },
	[TT_SQL_FLOW] = { "flow", COLUMNS(flow), "A step of a flow.", NULL },
	[TT_SQL_HEAP_OBJECT] = { "heap_object", COLUMNS(heap_object), "An object of a heap shot.", NULL },
	[TT_SQL_HEAP_ROOT] = { "heap_root", COLUMNS(heap_root), "A root of a heap shot.", NULL },
	[TT_SQL_EVENT] = { "event", COLUMNS(event), "An event of any other kind.", NULL },
};

const char *
tt_sqlite_level_name(size_t i)
{
	static const char *const name[] = { "frames", "markers", "slices" };

	return i < sizeof name / sizeof *name ? name[i] : NULL;
}

#define THREAD_NAME { "thread", "TEXT", "Name of the thread." }
#define CLASS_NAME { "class", "TEXT", "Name of the class." }

static const struct tt_db_col slices_view[] = {
	{ "id", "INTEGER", "Row of slice." },
	PROCESS,
	THREAD_NAME,
	{ "start_ns", "INTEGER", "Begin." },
	{ "dur_ns", "INTEGER", "Duration." },
	{ "depth", "INTEGER", "Zones open around it." },
	{ "marker", "TEXT", "Name of the marker." },
	{ "category", "TEXT", "Name of its category." },
};

static const struct tt_db_col allocations_view[] = {
	{ "id", "INTEGER", "Row of allocation." },
	PROCESS,
	THREAD_NAME,
	{ "time_ns", "INTEGER", "When." },
	CLASS_NAME,
	{ "bytes", "INTEGER", "Size, as in allocation." },
	{ "count", "INTEGER", "Allocations it represents." },
	{ "stack", "INTEGER", "Row of stack; empty where none was recorded." },
};

static const struct tt_db_col heap_objects_view[] = {
	{ "id", "INTEGER", "Row of heap_object." },
	PROCESS,
	THREAD_NAME,
	{ "shot", "INTEGER", "Number of the shot." },
	{ "time_ns", "INTEGER", "When." },
	{ "address", "INTEGER", "Address of the object." },
	CLASS_NAME,
	{ "bytes", "INTEGER", "Size, without the objects it refers to." },
};

static const struct tt_db_col stack_frames_view[] = {
	{ "stack", "INTEGER", "Row of stack." },
	{ "depth", "INTEGER", "0 for the innermost frame." },
	{ "marker", "TEXT", "Name of the frame." },
};

const struct tt_sqlite_view tt_sqlite_view[] = {
	{ "slices", "SELECT s.id, t.process, t.name AS thread, s.start_ns, s.dur_ns, s.depth, m.name AS marker, c.name AS category "
	    "FROM slice s JOIN thread t ON t.id = s.thread JOIN marker m ON m.id = s.marker LEFT JOIN category c ON c.id = m.category",
	    "The rows of slice, with names in place of numbers.", COLUMNS(slices_view) },
	{ "allocations", "SELECT a.id, t.process, t.name AS thread, a.time_ns, c.name AS class, a.bytes, a.count, a.stack "
	    "FROM allocation a JOIN thread t ON t.id = a.thread LEFT JOIN class c ON c.id = a.class",
	    "The rows of allocation, likewise.", COLUMNS(allocations_view) },
	{ "heap_objects", "SELECT o.id, t.process, t.name AS thread, o.shot, o.time_ns, o.address, c.name AS class, o.bytes "
	    "FROM heap_object o JOIN thread t ON t.id = o.thread LEFT JOIN class c ON c.id = o.class",
	    "The rows of heap_object, likewise.", COLUMNS(heap_objects_view) },
	{ "stack_frames", "WITH RECURSIVE up (stack, depth, at) AS (SELECT id, 0, id FROM stack UNION ALL "
	    "SELECT up.stack, up.depth + 1, s.parent FROM up JOIN stack s ON s.id = up.at WHERE s.parent IS NOT NULL) "
	    "SELECT up.stack, up.depth, m.name AS marker FROM up JOIN stack s ON s.id = up.at JOIN marker m ON m.id = s.marker",
	    "The frames of each stack; depth 0 is the innermost.", COLUMNS(stack_frames_view) },
	{ 0 },
};
