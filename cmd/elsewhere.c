/**
 * Stands in, on Windows and in browsers, for the commands that run other processes, and says where these run.
 */
#if defined(_WIN32) || defined(__EMSCRIPTEN__)
#include "cmd.h"
#include "verb_recover.h"

#ifdef _WIN32
#define HINT ": use WSL"
#else
#define HINT ""
#endif
#define ELSEWHERE(word, what) \
	const struct tt_verb verb_##word = { .name = #word, .summary = what " (on Linux)", .operands = "", .about = "Runs on Linux, and in WSL." }; \
	int \
	run_##word(struct app *app, int argc, char **argv, struct tt_err *err) \
	{ \
		(void)app, (void)argc, (void)argv; \
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, \
		    "\"tracetool " #word "\" runs other processes, which works on Linux only yet" HINT); \
	}

ELSEWHERE(ab, "run two builds in turn and judge them in pairs")
ELSEWHERE(batch, "analyse thousands of captures")
ELSEWHERE(merge, "join results of shards")
const struct tt_verb verb_batch_merge = { .name = "batch --merge", .summary = "join results of shards (on Linux)", .operands = "" };

ELSEWHERE(record, "run a program and record it")

int
recover_list(struct app *app, const char *const *folder, struct tt_err *err)
{
	(void)app, (void)folder;
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "rings of killed programs are listed on Linux only yet: name the captures");
}

void
pager_start(struct pager *p)
{
	(void)p;
}

bool
pager_show(struct pager *p, const struct tt_buf *text)
{
	(void)p, (void)text;
	return false;
}

#else
typedef int tt_no_elsewhere;          /* a translation unit must not be empty */
#endif
