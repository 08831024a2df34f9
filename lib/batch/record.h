/**
 * The record of one archive of a batch: its members that are not captures, and its damage.
 *
 * Counts by kind, and for each kind of complaint the first lines and how many there were. Plain data in
 * a few hundred bytes for any archive.
 */
#ifndef TT_BATCH_RECORD_H
#define TT_BATCH_RECORD_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

#define TT_RECORD_LINES 10
#define TT_RECORD_KINDS 32

struct tt_record {
	const char *format;
	uint64_t members, captures;
	uint64_t spooled;             /* bytes of nested archives that were spooled, because they must be read whole */
	uint64_t listing;             /* if shards share the archive: hash of all its members, in any shard; 0: not known */
	struct { const char *name; uint64_t n; } kind[TT_RECORD_KINDS];       /* in order of name; constant text */
	size_t nkind;
	struct tt_complaints {
		const char *name;
		uint64_t n;
		uint64_t at[TT_RECORD_LINES];         /* number of the member */
		char *line[TT_RECORD_LINES];
	} complaint[8];
	size_t ncomplaint;
	int failed;                   /* status for which the rest could not be read; TT_OK: all was read */
	char detail[480];
};

void tt_record_begin(struct tt_record *r, const char *format);
void tt_record_free(struct tt_record *r);

/* Count one more member of this kind, which is not a capture. */
int tt_record_kind(struct tt_record *r, const char *kind, struct tt_err *err);

/* Add a complaint about member number ${at}. TT_END: it is among the first of its kind, so print it; TT_OK: it is only counted. */
int tt_record_complain(struct tt_record *r, const char *kind, uint64_t at, const char *line, struct tt_err *err);

/* True if captures may be missing after a complaint of this kind: it is counted as a member that could not be read. */
bool tt_record_costs(const char *kind);

/* Note that the rest of the archive could not be read, because of ${status} (TT_E_DAMAGED, TT_E_LIMIT, ...). */
int tt_record_fail(struct tt_record *r, int status, const char *detail, struct tt_err *err);

/**
 * tt_record_join(r, doc, err):
 * Add the record of another part of the same archive, read back from its line, which must live as long as ${r}.
 * The order of parts does not matter. TT_E_DAMAGED: it is not a record.
 */
int tt_record_join(struct tt_record *r, const json_t *doc, struct tt_err *err);

/* Append the body of the archive's line of results. */
int tt_record_put(const struct tt_record *r, struct tt_buf *body, struct tt_err *err);

#endif
