/**
 * Runs another program where lib/sys does that: on Windows, where a console's signals reach it without help. In a browser it fails.
 */
#if defined(_WIN32) || defined(__EMSCRIPTEN__)
#include <errno.h>

#include "io/program.h"
#include "sys/sys.h"

int
tt_program_run(const char *const *argv, int *status, struct tt_err *err)
{
	return tt_sys_run(argv, status) == 0 ? TT_OK : tt_fail_sys(err, errno, "%s", argv[0]);
}

bool
tt_program_succeeded(int status)
{
	return status == 0;
}

int
tt_program_end(int status)
{
	return status;
}

#else
typedef int tt_no_program;            /* C wants a declaration in every file */
#endif
