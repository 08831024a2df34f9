/**
 * The settings by the names of the library; a program that names them otherwise has a table of its own, which is linked instead.
 */
#include "base/setting.h"

const char *const tt_setting_name[TT_SETTINGS] = {
	[TT_SETTING_NONE] = "",
	[TT_SETTING_MEMORY] = "tt_mem.cap",
	[TT_SETTING_DECODED] = "tt_env.decoded_max",
	[TT_SETTING_RATIO] = "tt_env.ratio_max",
	[TT_SETTING_SPOOL] = "tt_env.spool_max",
	[TT_SETTING_PATHS] = "tt_run_opts.max_paths",
	[TT_SETTING_UNPACK_MEMORY] = "tt_many_opts.unpack_memory",
	[TT_SETTING_NESTING] = "tt_many_opts.depth",
	[TT_SETTING_MEMBERS] = "tt_many_opts.members_max",
	[TT_SETTING_CAPTURE_TIME] = "tt_many_opts.capture_ns",
	[TT_SETTING_INPUT_FORMAT] = "tt_run_opts.format",
	[TT_SETTING_META] = "tt_run_opts.meta",
	[TT_SETTING_TIME] = "tt_filter.from and to",
	[TT_SETTING_FRAMES] = "tt_filter.has_frames",
	[TT_SETTING_FRAME_MARKER] = "tt_run_opts.frame_marker",
	[TT_SETTING_FROM_LABEL] = "tt_filter.from_label",
	[TT_SETTING_TO_LABEL] = "tt_filter.to_label",
	[TT_SETTING_GROUP_BY] = "tt_judge_opts.group_by",
	[TT_SETTING_TABLE] = "tables",
	[TT_SETTING_BASELINE] = "tt_judge",
	[TT_SETTING_FORCE_BASELINE] = "no tt_baseline_check",
	[TT_SETTING_SAVE] = "tt_baseline_write",
	[TT_SETTING_APPEND] = "tt_baseline_write",
};
