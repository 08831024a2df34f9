/**
 * Finds the unit of a counter, in the terms of the model.
 */
#include "producers/unity_units.h"

#include <string.h>

#include "producers/unity.h"

enum tt_counter_unit
unity_unit(uint64_t said, const char *name, size_t n)
{
	static const uint8_t known[] = { TT_CU_NONE, TT_CU_NS, TT_CU_BYTES, TT_CU_COUNT, TT_CU_PERCENT, TT_CU_HZ };
	static const uint8_t guessed[] = { [UNITY_UNIT_UNKNOWN] = TT_CU_NONE, [UNITY_UNIT_NS] = TT_CU_NS_GUESSED,
		[UNITY_UNIT_BYTES] = TT_CU_BYTES_GUESSED, [UNITY_UNIT_COUNT] = TT_CU_COUNT_GUESSED };
	char s[256];

	if (said > 0)
		return said < sizeof known ? known[said] : TT_CU_NONE;
	if (n >= sizeof s)
		return TT_CU_NONE;
	memcpy(s, name, n);
	s[n] = '\0';
	return guessed[unity_counter(s).unit];
}
