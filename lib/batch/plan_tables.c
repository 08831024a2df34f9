/**
 * Names and explains the columns of a plan's tables.
 */
#include "batch/plan_tables.h"

static const struct tt_col sum_col[S_N] = {
	[S_FILES] = { "files", "files", TT_UNIT_COUNT, "Files." },
	[S_BYTES] = { "bytes", "bytes", TT_UNIT_BYTES, "Their bytes, as they are on disk." },
	[S_CAPTURES] = { "captures", "captures, about", TT_UNIT_COUNT, "Captures in them, as far as the sample tells." },
	[S_HOURS] = { "core_hours", "core hours", TT_UNIT_MILLI, "Hours of one processor for all of them." },
	[S_TIME] = { "core_ns", "core time", TT_UNIT_NS, "The same as a time." },
	[S_SHARDS] = { "shards", "shards advised", TT_UNIT_COUNT, "Shards with ten minutes of work each, or as many as were asked for." },
	[S_CORES] = { "cores", "cores of a node", TT_UNIT_COUNT, "Processors that a shard uses, one for each job." },
	[S_MEMORY] = { "memory_bytes", "memory of a shard", TT_UNIT_BYTES, "Memory to ask for: twice the largest process of the sample for each processor." },
	[S_LIMIT] = { "limit_ns", "time limit of a shard", TT_UNIT_NS, "Time to ask for: three times the longest shard, and five minutes." },
};

static const struct tt_col kind_col[K_N] = {
	[K_KIND] = { "kind", "kind", TT_UNIT_TEXT, "By the names of the files; plain is anything that no name says to be compressed or packed." },
	[K_FILES] = { "files", "files", TT_UNIT_COUNT, "Files." },
	[K_BYTES] = { "bytes", "bytes", TT_UNIT_BYTES, "Their bytes." },
	[K_CAPTURES] = { "captures", "captures, about", TT_UNIT_COUNT, "Captures in them." },
	[K_SAMPLE] = { "sample_bytes", "sample", TT_UNIT_BYTES, "Bytes that were analysed for this; 0: the rest is a guess." },
	[K_SPEED] = { "mb_s", "MB/s a core", TT_UNIT_MILLI, "Millions of bytes, as they are on disk, that a processor does in a second." },
	[K_HOURS] = { "core_hours", "core hours", TT_UNIT_MILLI, "Hours of one processor for all of them." },
};

static const struct tt_col node_col[N_N] = {
	[N_NODES] = { "nodes", "nodes", TT_UNIT_COUNT, "Machines, or tasks that run at once." },
	[N_SHARDS] = { "shards", "shards", TT_UNIT_COUNT, "Three for each of several nodes, or as many as were asked for." },
	[N_WALL] = { "wall_ns", "time", TT_UNIT_NS, "From the start of the first shard to the end of the last." },
	[N_SLOW] = { "slow_ns", "one half as fast", TT_UNIT_NS, "The same, where one node works half as fast." },
	[N_LOST] = { "lost_ns", "one lost", TT_UNIT_NS, "The same, if one node is lost in the middle, and its shard continues elsewhere 7 minutes later." },
	[N_EVEN] = { "most", "longest by mean", TT_UNIT_MILLI, "The longest shard's time by the mean: work that cannot be divided makes it large." },
};

const struct tt_pass_table tt_batch_plan_tables[] = {
	{ .id = "plan", .title = "Plan", .col = sum_col, .ncol = TT_NCOL(sum_col) },
	{ .id = "plan_kinds", .title = "Kinds of files", .col = kind_col, .ncol = TT_NCOL(kind_col) },
	{ .id = "plan_nodes", .title = "Time on so many nodes", .col = node_col, .ncol = TT_NCOL(node_col) },
	{ .id = NULL },
};
