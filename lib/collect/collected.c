/**
 * Looks up what a collector left in a model. Not in the file that lists the collectors, because collectors read each other's results.
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
