#include "model/format.h"

extern const struct tt_format tt_format_mlpd;
extern const struct tt_format tt_format_capture;

extern const struct tt_foreign tt_foreign_unity_log;

const struct tt_foreign *const tt_foreigns[] = {
	&tt_foreign_unity_log,
	NULL,
};

const struct tt_format *const tt_formats[] = {
	&tt_format_mlpd,
	&tt_format_capture,
	NULL,
};
