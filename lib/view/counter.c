/**
 * Names counters, their sections and units.
 */
#include "view/counter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "model/filter.h"

struct tt_counter_base
tt_counter_base(const struct tt_def *d)
{
	static const struct tt_counter_base by_unit[] = {
		[TT_CU_NONE] = { TT_OF_NUMBER, 1, "value" },
		[TT_CU_BYTES] = { TT_OF_BYTES, 1, "bytes" },
		[TT_CU_100NS] = { TT_OF_TIME, 100, "ns" },
		[TT_CU_COUNT] = { TT_OF_NUMBER, 1, "count" },
		[TT_CU_FRACTION] = { TT_OF_PERCENT, 100, "percent" },
		[TT_CU_NS] = { TT_OF_TIME, 1, "ns" },
		[TT_CU_PERCENT] = { TT_OF_PERCENT, 1, "percent" },
		[TT_CU_HZ] = { TT_OF_HZ, 1, "hz" },
		[TT_CU_NS_GUESSED] = { TT_OF_TIME, 1, "ns?" },
		[TT_CU_BYTES_GUESSED] = { TT_OF_BYTES, 1, "bytes?" },
		[TT_CU_COUNT_GUESSED] = { TT_OF_NUMBER, 1, "count?" },
		[TT_CU_US] = { TT_OF_TIME, 1000, "ns" },
	};
	unsigned unit = tt_counter_unit_of(d);

	return by_unit[unit < sizeof by_unit / sizeof *by_unit ? unit : TT_CU_NONE];
}

const char *
tt_counter_called(const struct tt_def *d, uint64_t id, char room[TT_COUNTER_NAME])
{
	if (d && d->len)
		return d->text;
	/* Not "#" and the number, because readers of CSV take such a line for a comment. */
	strcpy(tt_put_u64(stpcpy(room, "(unknown counter "), id), ")");
	return room;
}

const char *
tt_counter_section(const struct tt_def *d)
{
	return d && d->len2 ? d->text2 : "";
}

bool
tt_counter_chosen(const struct tt_filter *f, const struct tt_def *d, uint64_t id)
{
	char room[TT_COUNTER_NAME];

	return tt_glob_any(f->marker, tt_counter_called(d, id, room)) && tt_glob_any(f->category, tt_counter_section(d));
}

double
tt_counter_times(double v, double n)
{
	char text[40];
	double d;

	if (n == 1)
		return v;
	snprintf(text, sizeof text, "%.15g", v * n);
	d = strtod(text, NULL);
	return d / n == v ? d : v * n;
}

void
tt_counter_scale(const struct tt_def *d, enum tt_type *type, uint64_t *bits)
{
	const int64_t num = tt_counter_base(d).num;
	uint64_t product;
	int64_t whole;
	double v;

	if (num == 1)
		return;
	if (*type == TT_T_U64 && !__builtin_mul_overflow(*bits, (uint64_t)num, &product)) {
		*bits = product;
		return;
	}
	if (*type == TT_T_I64 && !__builtin_mul_overflow((int64_t)*bits, num, &whole)) {
		*bits = (uint64_t)whole;
		return;
	}
	memcpy(&v, bits, sizeof v);
	if (*type != TT_T_F64)
		v = *type == TT_T_U64 ? (double)*bits : (double)(int64_t)*bits;
	v = tt_counter_times(v, (double)num);
	memcpy(bits, &v, sizeof v);
	*type = TT_T_F64;
}
