/**
 * Copies of captures without their names: each character of a word of a text becomes a letter, made of the word's hash, that is as long, both in UTF-8 and in
 * UTF-16: a name that is there in both stays one.
 *
 * The characters between words stay, so that "Game.dll!Game::Enemy.Update()" still has an assembly, a namespace and a class, and the thread "Worker 0" of the
 * group "Job" is still the marker "Job.Worker 0". Words are hashed with a number that differs in every process, so that nobody finds them by trying words.
 * Names that mean something to the program stay (tt_name_meaning(), and Unity's own of producers/unity.h), so that the copy gives the same tables, and so do
 * markers that are Unity's own (producers/unity_markers.h); tracetool-unity-raw(7) lists it.
 */
#ifndef TT_UNITY_SCRUB_H
#define TT_UNITY_SCRUB_H

#include "base/map.h"
#include "model/format.h"
#include "unity/profiler.h"

struct unity_scrub {
	struct tt_mem *mem;
	struct tt_scrubbed *done;
	struct tt_map word, used;     /* indexes of short: by the word, and by its replacement */
	struct unity_short { uint64_t word; uint8_t n, text[7]; } *row;       /* short words: hashes of two could give the same letters */
	size_t n, cap;
	char *text;                   /* the current text, and which of its bytes stay */
	bool *keep;
	size_t captext, capkeep;
};

void unity_scrub_free(struct unity_scrub *s);

/* Read the whole input with the functions of its format, to find what is missing or makes no sense. They change ${ctx}. */
int unity_scrub_read(struct unity_scrub *s, const struct tt_format *f, void *ctx, struct tt_err *err);

/* Scrub the ${n} bytes of text at ${p}. Labels are values too, and become names of markers. */
int unity_scrub_text(struct unity_scrub *s, uint8_t *p, size_t n, struct tt_err *err);
/* Scrub the group and name of a thread. Both keep what the marker "Group.Name" keeps. */
int unity_scrub_thread(struct unity_scrub *s, uint8_t *group, size_t ngroup, uint8_t *name, size_t nname, struct tt_err *err);
/* A value of a sample, of ${type} and ${n} bytes: texts are scrubbed, blobs become zeros. */
int unity_scrub_value(struct unity_scrub *s, unsigned type, uint8_t *p, size_t n, struct tt_err *err);

#endif
