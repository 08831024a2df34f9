/**
 * The readers, one line each, and the formats that are recognised but not read. Nothing else in the program names a reader, but
 * for tracetool recover.
 */
#include "model/format.h"

extern const struct tt_format tt_format_mlpd;
extern const struct tt_format tt_format_raw;
extern const struct tt_format tt_format_ttc;

extern const struct tt_foreign tt_foreign_unity_log;

const struct tt_foreign *const tt_foreigns[] = {
	&tt_foreign_unity_log,
	NULL,
};

const struct tt_format *const tt_formats[] = {
	&tt_format_mlpd,
	&tt_format_raw,
	&tt_format_ttc,
	NULL,
};
