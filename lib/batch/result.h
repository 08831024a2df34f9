/**
 * One line of a results file: the result of a capture, of an archive, or of a file that is neither.
 *
 *	{"key":"a.zip!b.mlpd","type":"capture","by":"0123456789abcdef","file_size":12,"file_mtime":"1700000000.000000000",
 *	 "size":34,"hash":"0123456789abcdef","outcome":"ok",...,"crc":"01234567"}
 *
 * on one line. The part from "outcome" to the checksum is the body; it depends on the capture alone. Results of a run begin with
 * a line whose key is empty, and which says which shard of which list of files it is, 1 of 1 for a whole run. The checksum
 * (CRC-32 as in gzip, of all bytes in front of `,"crc"`) tells a line that is whole from one that was torn. The
 * format is described in tracetool-batch(1), RESULTS.
 *
 * Lines may come from anywhere: tt_result_scan() and tt_result_load() take any bytes.
 */
#ifndef TT_BATCH_RESULT_H
#define TT_BATCH_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define TT_RESULT_LINE_MAX ((size_t)256 << 10)

/* Frame times are also counted in rows, from 1/240 to 1/4 s: a row has the frames up to its edge and longer than the edge before. */
#define TT_FRAME_ROWS 11
#define TT_FRAME_ROW_30 6             /* the last row not over 33.33 ms */
extern const int64_t tt_frame_edge[TT_FRAME_ROWS];    /* ns; the last edge is INT64_MAX */

/* The bits of `by` that facts of --meta do not change: results in which they are equal can be added up. */
#define TT_RESULT_OPTIONS UINT64_C(0xffffffff00000000)

/* The facts of a result that the parent process knows, and writes. */
struct tt_result_id {
	const char *key;
	size_t nkey;
	const char *type;             /* "capture", "archive", "file", "shard" */
	uint64_t by;                  /* hash of version and options */
	uint64_t file_size;           /* of the file on disk */
	int64_t file_mtime_ns;
	bool has_content;             /* size and hash are known */
	uint64_t size, hash;          /* of the capture as it lies in its archive */
	unsigned part, parts;         /* part of an archive's record, and number of parts; parts 0: the record is whole */
	const char *facts;            /* `,"meta":{...}` to append to a body without it; NULL: nothing */
};

/* Append a whole line with its LF. ${body} is the inside of an object, from "outcome" on. */
int tt_result_compose(struct tt_buf *line, const struct tt_result_id *id, const char *body, size_t n, struct tt_err *err);

/* Append `,"meta":{...}` of the texts in the object ${facts}; nothing of NULL. */
int tt_result_facts(struct tt_buf *b, json_t *facts, struct tt_err *err);

/* The key of a line whose checksum is right, still escaped as in JSON, empty for the record of a run; NULL for any other line. */
const char *tt_result_scan(const char *line, size_t n, size_t *nkey);

/* A line that was parsed. */
struct tt_result {
	json_t *doc;                  /* NULL: not loaded */
	const char *key, *type, *outcome, *why, *detail, *hash, *mtime;       /* texts in doc; "" if missing */
	uint64_t by, file_size, size;
	unsigned part, parts;
	bool copy, held;              /* true: a copy or part of another capture, with which its figures count; tt_results_finish() sets this to ${before} */
	bool overlaps;                /* true: it shares files of its recording with another capture, and neither holds the other */
	uint64_t missing;             /* files of its recording missing between the capture before it and this one */
	uint64_t before;              /* if no capture is before it: files of its recording before it */
	const char *body;             /* the body, in the line */
	size_t nbody;
};

/* The detail of ${r}, without the name of the file in front, which is the key. */
const char *tt_result_detail(const struct tt_result *r);

/**
 * tt_result_load(line, n, r, err):
 * Check and parse the ${n} bytes of a line without its LF. TT_E_DAMAGED: it is not a line of results.
 */
int tt_result_load(const char *line, size_t n, struct tt_result *r, struct tt_err *err);
void tt_result_free(struct tt_result *r);

/* True if another try may succeed (after a crash, a timeout, an error of the system). */
bool tt_result_again(const struct tt_result *r);

/* True for an archive that was given up before its end: its unpacker died, or a limit was reached. */
bool tt_result_unended(const struct tt_result *r);

/* The rank of a result among those of the same key: the highest wins. */
int tt_result_rank(const struct tt_result *r);

/* The page that was made of the capture, among the files made of captures; "": there is none. */
const char *tt_result_page(const struct tt_result *r);

#endif
