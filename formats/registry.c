#include "model/format.h"

extern const struct tt_format tt_format_mlpd;

const struct tt_format *const tt_formats[] = {
	&tt_format_mlpd,
	NULL,
};
