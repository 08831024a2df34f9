/**
 * Cuts names that are too long to be repeated.
 */
#include "base/brief.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

const char *
tt_brief_name(char room[TT_BRIEF_BYTES], const char *s)
{
	size_t n = TT_BRIEF_MAX;

	if (strnlen(s, TT_BRIEF_MAX + 1) <= TT_BRIEF_MAX)
		return s;
	while (n > TT_BRIEF_MAX - 3 && (s[n] & 0xc0) == 0x80)
		n--;
	snprintf(room, TT_BRIEF_BYTES, "%.*s…#%016" PRIx64, (int)n, s, tt_hash_bytes(s, strlen(s)));
	return room;
}
