/**
 * The list of readers. Nothing else in the program names a reader, except tracetool recover.
 */
#include "model/format.h"

extern const struct tt_format tt_format_data;
extern const struct tt_format tt_format_mlpd;
extern const struct tt_format tt_format_raw;
extern const struct tt_format tt_format_ttc;

const struct tt_format *const tt_formats[] = {
	&tt_format_data,
	&tt_format_mlpd,
	&tt_format_raw,
	&tt_format_ttc,
	NULL,
};
