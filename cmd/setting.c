/**
 * Which option moves what a message of the library names; tests/project/check.py sees that the library names none itself.
 */
#include "base/setting.h"

const char *const tt_setting_name[TT_SETTINGS] = {
	[TT_SETTING_NONE] = "",
	[TT_SETTING_MEMORY] = "--max-memory",
	[TT_SETTING_DECODED] = "--max-decoded",
	[TT_SETTING_RATIO] = "--max-ratio",
	[TT_SETTING_SPOOL] = "--spool-max",
	[TT_SETTING_PATHS] = "--max-paths",
	[TT_SETTING_UNPACK_MEMORY] = "--unpack-memory",
	[TT_SETTING_NESTING] = "--nesting",
	[TT_SETTING_MEMBERS] = "--max-members",
	[TT_SETTING_CAPTURE_TIME] = "--capture-time",
	[TT_SETTING_INPUT_FORMAT] = "--input-format",
	[TT_SETTING_META] = "--meta",
	[TT_SETTING_TIME] = "--time",
	[TT_SETTING_FRAMES] = "--frames",
	[TT_SETTING_FRAME_MARKER] = "--frame-marker",
	[TT_SETTING_FROM_LABEL] = "--from-label",
	[TT_SETTING_TO_LABEL] = "--to-label",
	[TT_SETTING_GROUP_BY] = "--group-by",
	[TT_SETTING_TABLE] = "tracetool stats --table",
	[TT_SETTING_BASELINE] = "--baseline",
	[TT_SETTING_FORCE_BASELINE] = "--force-baseline",
	[TT_SETTING_SAVE] = "tracetool stats --save",
	[TT_SETTING_APPEND] = "tracetool stats --save --append",
};
