/**
 * tracetool info --scrub.
 */
#ifndef TT_CMD_INFO_SCRUB_H
#define TT_CMD_INFO_SCRUB_H

#include "option/opts.h"

struct app;

/* Write a copy of the only capture in ${path}, without its names, to ${out}. */
int scrub_capture(struct app *app, const struct tt_list *path, const char *out, const char *tmpdir, struct tt_err *err);

#endif
