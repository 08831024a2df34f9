/**
 * Decides by a method's name whether it belongs to the program, the base library or the engine.
 */
#include "why/causes_parts.h"

#include <string.h>

#include "model/names.h"

bool
tt_causes_is_library(const char *full)
{
	return tt_name_wrapper(full) || tt_name_alloc_helper(full) || tt_name_in_namespace(tt_library_namespaces, full);
}

bool
tt_why_is_script(const char *full)
{
	return strchr(full, '(') && !tt_causes_is_library(full) && !tt_name_in_namespace(tt_engine_namespaces, full);
}
