/**
 * Texts of .mlpd in copies without names (model/scrub.h): chooses the words that stay. tracetool-mlpd(7), SENDING A CAPTURE, lists them.
 */
#ifndef TT_MLPD_MLPD_SCRUB_H
#define TT_MLPD_MLPD_SCRUB_H

#include "mlpd/mlpd.h"
#include "model/scrub.h"

/*
 * The owners of classes. Classes defined by assemblies of the runtime, the class library and engines stay; classes defined by other assemblies do not,
 * whatever their namespace. Rows of images are keyed by address, rows of classes by the hash of their plain name.
 */
struct mlpd_owners {
	struct tt_map image, owner;
	struct mlpd_image { uint64_t key; bool own, other; } *images;
	struct mlpd_owner { uint64_t name; bool own, other; } *owners;
	struct mlpd_class { uint64_t name, image; } *classes;
	size_t nimage, capimage, nowner, capowner, nclass, capclass;
};

/* Collect the classes and images that ${b} defines; then, after all batches, find the owner of each class. */
int mlpd_owners_take(struct mlpd_owners *o, struct tt_mem *mem, const struct tt_batch *b, struct tt_err *err);
int mlpd_owners_find(struct mlpd_owners *o, struct tt_mem *mem, struct tt_err *err);
void mlpd_owners_free(struct mlpd_owners *o, struct tt_mem *mem);

/* Scrub the ${n} texts ${v} of a buffer, whose bytes are writable. */
int mlpd_scrub_texts(struct tt_scrub *s, const struct mlpd_owners *o, const struct mlpd_text_at *v, size_t n, struct tt_err *err);

/* Scrub the recorder's options, ${n} bytes at ${p}: names of files, filters, and unknown options. */
int mlpd_scrub_options(struct tt_scrub *s, uint8_t *p, size_t n, struct tt_err *err);

#endif
