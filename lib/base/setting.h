/**
 * The settings that a caller of the library may change, with their names in messages: "raise %s".
 *
 * The library has settings and knows no command line. The program that it is linked into defines this table with the options that set them
 * (cmd/setting_options.c); if no program does, setting.c has the fields of the library's own structs.
 */
#ifndef TT_BASE_SETTING_H
#define TT_BASE_SETTING_H

enum tt_setting {
	TT_SETTING_NONE,
	TT_SETTING_MEMORY,            /* limits */
	TT_SETTING_DECODED,
	TT_SETTING_RATIO,
	TT_SETTING_SPOOL,
	TT_SETTING_PATHS,
	TT_SETTING_UNPACK_MEMORY,
	TT_SETTING_NESTING,
	TT_SETTING_MEMBERS,
	TT_SETTING_CAPTURE_TIME,
	TT_SETTING_ALIGN,
	TT_SETTING_INPUT_FORMAT,      /* how captures are read */
	TT_SETTING_FORCE,
	TT_SETTING_SCRUB,
	TT_SETTING_META,
	TT_SETTING_TIME,
	TT_SETTING_FRAMES,
	TT_SETTING_FRAME_MARKER,
	TT_SETTING_THREAD,
	TT_SETTING_MARKER,
	TT_SETTING_CATEGORY,
	TT_SETTING_MIN_DURATION,
	TT_SETTING_DEPTH,
	TT_SETTING_WAIT,
	TT_SETTING_NO_WAIT,
	TT_SETTING_PLAYER_ONLY,
	TT_SETTING_FRAME_THREAD,
	TT_SETTING_FROM_LABEL,
	TT_SETTING_TO_LABEL,
	TT_SETTING_GROUP_BY,          /* how captures are analysed */
	TT_SETTING_TABLE,
	TT_SETTING_BASELINE,
	TT_SETTING_FORCE_BASELINE,
	TT_SETTING_META_FROM_PATH,
	TT_SETTING_SAVE,
	TT_SETTING_APPEND,
	TT_SETTING_SUGGEST,
	TT_SETTING_RENAME,
	TT_SETTING_THRESHOLD,
	TT_SETTING_SPLIT,
	TT_SETTING_VALUE,
	TT_SETTING_ALL_ROWS,
	TT_SETTING_ALL_COLUMNS,
	TT_SETTING_GATE,
	TT_SETTING_ROW,
	TT_SETTING_EXPLAIN,
	TT_SETTING_KEEP,              /* how builds are run */
	TT_SETTING_RESUME,
	TT_SETTING_TMPDIR,
	TT_SETTING_MONO,
	TT_SETTING_MODULE,
	TT_SETTING_TIMEOUT,
	TT_SETTING_MAX_TIME,
	TT_SETTING_SEED,
	TT_SETTING_PAIR_COUNT,
	TT_SETTING_PAIRS,             /* all settings that decide the pairs; next: all that decide how builds are recorded */
	TT_SETTING_RECORDING,
	TT_SETTING_ROOT,              /* batches */
	TT_SETTING_SHARD,
	TT_SETTING_PARTIAL,
	TT_SETTING_METRIC,
	TT_SETTING_SHARD_COUNT,
	TT_SETTINGS
};

extern const char *const tt_setting_name[TT_SETTINGS];

#endif
