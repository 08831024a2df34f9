#include "model/format.h"

extern const struct tt_format tt_format_mlpd;
extern const struct tt_format tt_format_capture;

const struct tt_format *const tt_formats[] = {
	&tt_format_mlpd,
	&tt_format_capture,
	NULL,
};
