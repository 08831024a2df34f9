/**
 * A map from hashes to rows of an array that the map's owner keeps: open addressing, never shrunk, at least two slots a row.
 *
 * The map knows no keys. A look-up offers the rows with the right hash, and the caller compares keys; the hash is kept beside each
 * row number, so that rows of other hashes are skipped and the table can grow without reading rows. Use hashes of base/hash_seed.h,
 * because keys come out of captures.
 *
 * A table that is not a map says why where it is declared: "Not a tt_map".
 *
 * Errors: TT_E_NOMEM, TT_E_LIMIT. One thread at a time.
 */
#ifndef TT_BASE_MAP_H
#define TT_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct tt_err;
struct tt_mem;

struct tt_map {
	struct tt_map_slot { uint32_t hash, row; } *slot;     /* row: number of the row + 1; 0: the slot is empty */
	size_t nslot, n;
};

/**
 * tt_map_find(map, hash, i, same):
 * Return the number + 1 of the row with ${hash} for which the expression ${same}, in which ${i} is the row, is true; 0: no row. If several match, the first.
 */
#define tt_map_find(map, of, i, same) __extension__ ({ \
	const struct tt_map *map_ = (map); \
	const uint32_t hash_ = (uint32_t)(of); \
	uint32_t found_ = 0; \
	for (size_t at_ = hash_; map_->nslot; at_++) { \
		const struct tt_map_slot *slot_ = &map_->slot[at_ & (map_->nslot - 1)]; \
		const uint32_t i = slot_->row - 1; \
		if (slot_->row == 0) \
			break; \
		if (slot_->hash == hash_ && (same)) { \
			found_ = i + 1; \
			break; \
		} \
	} \
	found_; })

/* Add row ${row}, which is not in the map; other rows may have the same hash. */
int tt_map_add(struct tt_map *map, struct tt_mem *mem, uint64_t hash, size_t row, struct tt_err *err);

/**
 * tt_map_push(map, mem, hash, v, cap, n, err):
 * Make room for row ${n}, the next one, in the array *${v} of *${cap} rows, as tt_mem_grow() does, and add it. The caller fills the row and raises ${n}.
 */
#define tt_map_push(map, mem, hash, v, cap, n, err) tt_map_push_row(map, mem, hash, v, cap, n, sizeof **(v), err)
int tt_map_push_row(struct tt_map *map, struct tt_mem *mem, uint64_t hash, void *v, size_t *cap, size_t n, size_t size, struct tt_err *err);

/* Replace row ${row}, which is in the map, with row ${now}, which has the same hash. */
void tt_map_replace(struct tt_map *map, uint64_t hash, size_t row, size_t now);

/* Remove all rows, but keep the table's memory. */
void tt_map_clear(struct tt_map *map);

void tt_map_free(struct tt_map *map, struct tt_mem *mem);

#endif
