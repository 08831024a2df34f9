/**
 * Maps hashes to rows of somebody else's array, by linear probing.
 */
#include "base/map.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

static void
put(const struct tt_map *map, struct tt_map_slot what)
{
	size_t i = what.hash & (map->nslot - 1);

	while (map->slot[i].row)
		i = (i + 1) & (map->nslot - 1);
	map->slot[i] = what;
}

static int
grow(struct tt_map *map, struct tt_mem *mem, struct tt_err *err)
{
	struct tt_map bigger = { .nslot = map->nslot ? map->nslot * 2 : 64, .n = map->n };
	size_t first = 0;

	if (!(bigger.slot = tt_mem_alloc(mem, bigger.nslot * sizeof *bigger.slot, err)))
		return err->code;
	/* Begin after an empty slot, so that rows of one hash keep their order. */
	while (first < map->nslot && map->slot[first].row)
		first++;
	for (size_t i = 0; i < map->nslot; i++)
		if (map->slot[(first + i) & (map->nslot - 1)].row)
			put(&bigger, map->slot[(first + i) & (map->nslot - 1)]);
	tt_map_free(map, mem);
	*map = bigger;
	return TT_OK;
}

int
tt_map_add(struct tt_map *map, struct tt_mem *mem, uint64_t hash, size_t row, struct tt_err *err)
{
	if (map->n * 2 >= map->nslot && grow(map, mem, err) != TT_OK)
		return err->code;
	put(map, (struct tt_map_slot){ (uint32_t)hash, (uint32_t)row + 1 });
	map->n++;
	return TT_OK;
}

int
tt_map_push_row(struct tt_map *map, struct tt_mem *mem, uint64_t hash, void *v, size_t *cap, size_t n, size_t size, struct tt_err *err)
{
	int rc = tt_mem_grow(mem, v, cap, n + 1, size, err);

	return rc == TT_OK ? tt_map_add(map, mem, hash, n, err) : rc;
}

void
tt_map_replace(struct tt_map *map, uint64_t hash, size_t row, size_t now)
{
	size_t i = (uint32_t)hash & (map->nslot - 1);

	while (map->slot[i].row != row + 1)
		i = (i + 1) & (map->nslot - 1);
	map->slot[i].row = (uint32_t)now + 1;
}

void
tt_map_clear(struct tt_map *map)
{
	if (map->n)
		memset(map->slot, 0, map->nslot * sizeof *map->slot);
	map->n = 0;
}

void
tt_map_free(struct tt_map *map, struct tt_mem *mem)
{
	tt_mem_free(mem, map->slot, map->nslot * sizeof *map->slot);
	*map = (struct tt_map){ 0 };
}
