/**
 * Copies of captures without their names: each character of a word becomes a letter that the word's hash chooses, as long both in UTF-8 and in UTF-16, so that
 * a name that a capture has in both stays one name.
 *
 * A word is a run of letters, digits and bytes beyond ASCII. The characters between words stay, so that "Game.dll!Game::Enemy.Update()" still has an assembly,
 * a namespace and a class, and the thread "Worker 0" of the group "Job" is still the marker "Job.Worker 0". Words are hashed with a number that differs in
 * every process, so that nobody finds them by trying words. Each format says which stay (formats/<name>/scrub.c).
 */
#ifndef TT_MODEL_SCRUB_H
#define TT_MODEL_SCRUB_H

#include <stdbool.h>

#include "base/map.h"

struct tt_err;
struct tt_format;
struct tt_loss;
struct tt_mem;

/*
 * The result of a copy without names: texts in it; bytes that could not be decoded, in whose place are zeros; bytes of a part that the input ends in, which
 * are left out (cut), or of which only the length is kept (begun). Events: those of the input that the copy lacks, though they can be decoded, as nothing
 * proves that they are no names. Misplaced: bytes of texts where numbers belong, which were replaced. Damaged: zeros are in it, or parts of the input are
 * missing or make no sense, the first at ${at}.
 */
struct tt_scrubbed { uint64_t ntexts, nzeroed_bytes, nlost_events, nmisplaced_bytes, ncut_bytes, nbegun_bytes, damaged_at; bool is_damaged; };

/* A text, and what takes its place. */
struct tt_scrub_replacement { uint8_t n, text[63], to[63]; };

struct tt_scrub {
	struct tt_mem *mem;
	struct tt_scrubbed *done;
	struct tt_map word, used;     /* indexes of short: by the word, and by its replacement */
	struct tt_scrub_short { uint64_t word; uint8_t n, text[7]; } *row;    /* short words: hashes of two could give the same letters */
	size_t n, cap;
	char *text;                   /* the current text, and which of its bytes stay */
	bool *keep;
	size_t captext, capkeep;
	struct tt_scrub_replacement *replaced_last; /* texts that were replaced last, by their hash; NULL: none was */
	uint64_t nevent;              /* events of the whole input that its reader decodes: tt_scrub_read() */
};

void tt_scrub_free(struct tt_scrub *s);

/* Read the whole input with the functions of its format, which gives chunks with their bytes, to find what is damaged. They change ${ctx}. */
int tt_scrub_read(struct tt_scrub *s, const struct tt_format *f, void *ctx, struct tt_err *err);

/* Take the damage that is in ${all}, which was lost in the whole input, and its first place. */
void tt_scrub_damage(struct tt_scrub *s, const struct tt_loss *all);

/* Make room for a text of ${n} bytes, and a NUL, in s->text, and for a flag for each byte in s->keep. */
int tt_scrub_room(struct tt_scrub *s, size_t n, struct tt_err *err);

/* Reserve the short words among the ${n} bytes at ${p}, some of which may stay: no other word is replaced by one of them. */
int tt_scrub_reserve(struct tt_scrub *s, const uint8_t *p, size_t n, struct tt_err *err);

/*
 * Texts repeat many times: replace the ${n} bytes at ${p} as the same text was replaced before, and return true; false if no replacement is kept.
 * tt_scrub_keep() keeps ${to} as the replacement of ${text}.
 */
bool tt_scrub_again(struct tt_scrub *s, uint8_t *p, size_t n);
int tt_scrub_keep(struct tt_scrub *s, const char *text, const uint8_t *to, size_t n, struct tt_err *err);

/* Replace the words of the ${n} bytes at ${p}, except bytes for which ${keep} is set. */
int tt_scrub_words(struct tt_scrub *s, uint8_t *p, size_t n, const bool *keep, struct tt_err *err);

#endif
