/**
 * Checks in one pass over a thread's samples that they add up, if their events are not wanted. If the check cannot decide, data_samples.c does.
 *
 * A stack holds the level of each child that has not begun, so the level of the next sample is known without waiting for the effects of the previous one.
 */
#include "data/data.h"

enum { LEVELS = 128, WAITING = 1 << 12 };     /* maximum number of open samples, and of children that have not begun, that this check handles */
enum { WORD = 8 };                            /* number of children that are pushed at once */
/*
 * ns by which samples may begin before the end of the previous one, and end after the end of their parent. data_samples.c moves such samples and allows
 * DATA_APART at each level; here none is moved, so the differences may add up over all levels.
 */
enum { SLACK = DATA_APART / LEVELS / 2 };

/* Push ${n} children at ${level}; there is room for a word of them. */
static inline void
put_children(uint8_t *to, uint32_t n, uint32_t level)
{
	const uint64_t word = level * UINT64_C(0x0101010101010101);

	memcpy(to, &word, WORD);
	if (n > WORD)
		memset(to, (int)level, n);
}

static bool
is_near(int64_t ts)
{
	return ts > -INT64_MAX / 8 && ts < INT64_MAX / 8;
}

static bool
is_root(const uint8_t *p, int64_t zero)
{
	float ns;

	return data_ns(p + 4, &ns) && is_near((int64_t)(unity_u64(p + 8) - (uint64_t)zero));
}

/*
 * True if the first sample begins after the last one, and near enough to the frame that later samples, which may lie DATA_APART before it, are also near
 * enough.
 */
static bool
begins_well(const struct data_piece *piece, int64_t last)
{
	return is_near(piece->start) && is_near(piece->most) && piece->first >= last && piece->first >= piece->start - DATA_FARTHEST + DATA_APART;
}

bool
data_add_up(const struct data_thread *th, const struct data_piece *piece, int64_t zero, int64_t last)
{
	struct { int64_t from, to; } level[LEVELS];   /* by level: the earliest begin of the next sample inside the open one, and its latest end */
	uint8_t waiting[WAITING + WORD];
	const uint8_t *p = th->sample;
	uint64_t n = th->nsample ? unity_u32(p + 16) : 0;

	if (th->nsample == 0)
		return true;
	if (n >= th->nsample || n >= WAITING || !is_root(p, zero) || !begins_well(piece, last))
		return false;
	level[0].from = last;
	level[0].to = piece->most > last ? piece->most : last;
	waiting[0] = LEVELS;          /* a sentinel: the level of no sample */
	put_children(waiting + 1, (uint32_t)n, 1);
	for (const uint8_t *const end = p + (size_t)th->nsample * 20; (p += 20) < end;) {
		const uint32_t children = unity_u32(p + 16), at = waiting[n];
		const int64_t ts = (int64_t)(unity_u64(p + 8) - (uint64_t)zero);
		float ns;
		if (at >= LEVELS || !data_ns(p + 4, &ns) || ts < level[at - 1].from)
			return false;
		const int64_t to = ts + (int64_t)ns;
		if (to > level[at - 1].to || n + children > WAITING)
			return false;
		level[at - 1].from = to - SLACK > level[at - 1].from ? to - SLACK : level[at - 1].from;
		level[at].from = ts - SLACK;
		level[at].to = to + SLACK;
		put_children(waiting + n, children, at + 1);
		n += children - UINT64_C(1);
	}
	return n == 0;
}
