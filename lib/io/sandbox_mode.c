/**
 * Reads the mode of the sandbox, and does without one where the system has none.
 */
#include <string.h>

#include "io/sandbox.h"

int
tt_sandbox_mode(const char *text, enum tt_sandbox_mode *mode, struct tt_err *err)
{
	if (!text || !*text || strcmp(text, "on") == 0)
		*mode = TT_SANDBOX_ON;
	else if (strcmp(text, "off") == 0)
		*mode = TT_SANDBOX_OFF;
	else if (strcmp(text, "require") == 0)
		*mode = TT_SANDBOX_REQUIRE;
	else
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
		    "TRACETOOL_SANDBOX is \"%s\", which is none of on, off, require", text);
	return TT_OK;
}

#if defined(_WIN32) || defined(__EMSCRIPTEN__)

/* In a browser, a page can read no file but those that its user gave it. */
#ifdef _WIN32
#define NONE "there is none for Windows yet"
#else
#define NONE "WebAssembly needs none in a browser, and has none under Node"
#endif

struct tt_sandbox_parts
tt_sandbox_probe(void)
{
	return (struct tt_sandbox_parts){ .why = NONE };
}

int
tt_sandbox_enter(const struct tt_env *env, const struct tt_sandbox_plan *plan, struct tt_err *err)
{
	(void)plan;
	if (env->sandbox == TT_SANDBOX_REQUIRE)
		return tt_fail(err, TT_E_IO, TT_NOWHERE, "TRACETOOL_SANDBOX=require, and there is no sandbox: " NONE);
	if (env->sandbox == TT_SANDBOX_ON)
		tt_log(env, TT_LOG_VERBOSE, "no sandbox: " NONE);
	return TT_OK;
}

int
tt_sandbox_seal(const struct tt_env *env, const struct tt_sandbox_plan *plan, struct tt_err *err)
{
	(void)env, (void)plan, (void)err;
	return TT_OK;
}

#endif
