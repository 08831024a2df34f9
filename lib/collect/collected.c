/**
 * Looks up what a collector left in a model. Apart from the list of collectors, which ask each other.
 */
#include "collect/collected.h"

#include <stdalign.h>

#include "model/model.h"

const void *
tt_collected(const struct tt_model *m, enum tt_collects which)
{
	static const alignas(max_align_t) char nothing[TT_COLLECTED_SIZE];

	return m->collected[which] ? m->collected[which] : nothing;
}
