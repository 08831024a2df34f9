/**
 * Reads the options of tracetool ab: how many runs, how they are recorded, how they are judged.
 */
#include "ab_opts.h"

#include "cmd.h"
#include "stat/pairs.h"

static const char *
until_value(size_t i)
{
	static const char *const v[] = { [TT_TRIAL_CLEAR] = "clear", [TT_TRIAL_DECIDED] = "decided", [TT_TRIAL_ALL] = "all", NULL };

	return v[i];
}

#define AT(f) offsetof(struct ab_opts, f)

static const struct tt_opt run_opt[] = {
	{ .letter = 'n', .name = "pairs", .arg = "N", .set = tt_opt_count, .at = AT(pairs), .lo = 1, .hi = TT_PAIRS_MAX,
	    .help = "run each build at most N times; default 10" },
	{ .name = "until", .arg = "WHEN", .set = tt_opt_choice, .at = AT(until), .value = until_value,
	    .help = "stop as soon as the answer is clear; decided: the same, but with up to --max-runs runs; all: run and judge all pairs" },
	{ .name = "max-runs", .arg = "N", .set = tt_opt_count, .at = AT(max_runs), .lo = 2, .hi = 2 * TT_PAIRS_MAX,
	    .help = "run at most N times, both builds together; default with --until decided: 40" },
	{ .name = "warmup", .arg = "N", .set = tt_opt_count, .at = AT(warmup), .hi = 100,
	    .help = "before the pairs run each build N times, which is not judged; default 1" },
	{ .name = "seed", .arg = "N", .set = tt_opt_count, .at = AT(seed), .hi = UINT64_MAX - 1,
	    .help = "choose the order within pairs by N; default: a random number, which is printed" },
	{ .name = "timeout", .arg = "DUR", .set = tt_opt_duration, .at = AT(timeout),
	    .help = "end a run that takes longer, and count it as a crash" },
	{ .name = "max-crashes", .arg = "N", .set = tt_opt_count, .at = AT(more_crashes), .hi = 1000000,
	    .help = "let the new build crash in N more runs than the old one; default 0" },
	{ .name = "keep", .arg = "DIR", .set = tt_opt_text, .at = AT(keep), .help = "keep the captures in this folder" },
	{ .name = "resume", .set = tt_opt_flag, .at = AT(resume), .help = "with --keep: take the runs that are there already" },
	{ .name = NULL },
};

static const struct tt_opt record_opt[] = {
	{ .name = "mono", .set = tt_opt_flag, .at = AT(mono),
	    .help = "record the builds as \"tracetool record\" does; without it, a build whose first word is mono" },
	{ .letter = 'p', .name = "profile", .arg = "OPTIONS", .set = tt_opt_add, .at = AT(profile),
	    .help = "the same, and set what to record; repeatable; see tracetool-mono(7)" },
	{ .name = NULL },
};

static const struct tt_opt judge_opt[] = {
	{ .name = "gate", .arg = "BUDGET", .set = tt_opt_text, .at = AT(budget),
	    .help = "judge the rows of this budget (tracetool-budget(5)); default: frame times, long frames, allocations, the largest markers" },
	{ .name = "inconclusive", .arg = "HOW", .set = tt_opt_choice, .at = AT(inconclusive), .value = gate_inconclusive,
	    .help = "exit status if no row fails, but some cannot be judged (5) or are undecided (0; auto, the default); fail: both 5; pass: both 0" },
	{ .name = "today", .arg = "DATE", .set = tt_opt_text, .at = AT(today),
	    .help = "check waivers against this day, YYYY-MM-DD; default: SOURCE_DATE_EPOCH, otherwise the clock" },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Runs", run_opt, 0 },
	{ "Recording", record_opt, 0 },
	{ "Judging", judge_opt, 0 },
	VERDICT_GROUP(struct ab_opts, to),
	INPUT_GROUPS(struct ab_opts, in),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_ab = {
	.name = "ab",
	.summary = "run two builds in turn and compare their captures",
	.operands = "-- OLD [ARG...] -- NEW [ARG...]",
	.about = "Run the builds OLD and NEW in turn, record each run, and say whether NEW is worse. Both runs of a pair share whatever the machine is like "
	    "at the time, so differences within pairs are judged. A run is recorded by a Unity player's "
		 "recorder, by tracetool's Mono module, or by any command that writes a capture to $TRACETOOL_CAPTURE.\n"
		 "The exit status is 0: not worse, or undecided, 1: worse, 5: cannot be judged.",
	.examples = "  tracetool ab -n 8 -- ./old/Game -batchmode -- ./new/Game -batchmode\n"
		    "  tracetool ab --frame-marker Game:Tick -- mono old.exe -- mono new.exe\n"
		    "  tracetool ab --until decided --gate budget.json --keep runs --junit ab.xml -- ./play old -- ./play new\n",
	.group = groups,
	.operand_at = AT(words),
};
