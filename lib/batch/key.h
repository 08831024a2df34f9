/**
 * The name of a capture in a batch, the shard that owns it, and the names of files made from it.
 *
 * A key is the file's path below the root of the input, and for members of archives the names that lead
 * to it, with '!' in front of each: "nightly/42.zip!logs.tar.gz!device-3/game.mlpd". The second member of one
 * name in an archive gets "#2" after it. Bytes that would confuse are written as %XX: control characters,
 * what is not UTF-8, and '%', '!', '#'. Keys say nothing about content, and are the same wherever the root is.
 */
#ifndef TT_BATCH_KEY_H
#define TT_BATCH_KEY_H

#include <stdbool.h>

#include "base/buf.h"

/* Longer names are cut at this length, and a hash of the whole name is appended. */
#define TT_KEY_NAME_MAX 1024

/* Append a name of ${n} bytes, escaped. */
int tt_key_add(struct tt_buf *key, const char *s, size_t n, struct tt_err *err);

/* Append a member: its name, and ${ordinal} where it is not the first (1) of this name. */
int tt_key_member(struct tt_buf *key, const char *path, uint64_t ordinal, struct tt_err *err);

/* Append the path that the key of ${n} bytes stands for: bytes as they are, a slash in front of members, and no ordinals. */
int tt_key_path(struct tt_buf *path, const char *key, size_t n, struct tt_err *err);

/* Shard ${index} of ${count}, from 1; count 1: all of it. Files are split by split.h. */
struct tt_shard { unsigned index, count; };

/* True if the key belongs to the shard, by its hash: for members without a known place in the archive. */
bool tt_shard_owns(const struct tt_shard *s, const char *key, size_t n);

/* Room for tt_key_file(). */
#define TT_KEY_FILE_MAX 128

/**
 * tt_key_file(to, key, n):
 * A file name made of the harmless characters in the last part of the key, and the key's hash: no two keys share one,
 * also where names are equal up to case. Ends with NUL.
 */
void tt_key_file(char *to, const char *key, size_t n);

#endif
