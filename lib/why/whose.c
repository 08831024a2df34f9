/**
 * Whose a method is, by its name: the program's, the base library's or the engine's; the contract is in causes_parts.h.
 */
#include "why/causes_parts.h"

#include <string.h>

#include "model/names.h"

/* True if the method ${full} is in one of these namespaces, or in one below. */
static bool
is_in_namespace(const char *const *space, const char *full)
{
	const char *at;
	const size_t n = tt_name_method_namespace(full, &at);

	for (; n && *space; space++) {
		const size_t k = strlen(*space);

		if (n >= k && memcmp(at, *space, k) == 0 && (n == k || at[k] == '.'))
			return true;
	}
	return false;
}

bool
tt_causes_library(const char *full)
{
	return tt_name_wrapper(full) || tt_name_alloc_helper(full) || is_in_namespace(tt_library_namespaces, full);
}

bool
tt_why_is_script(const char *full)
{
	return strchr(full, '(') && !tt_causes_library(full) && !is_in_namespace(tt_engine_namespaces, full);
}
