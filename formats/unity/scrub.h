/**
 * Texts of Unity's captures in copies without names (model/scrub.h). Names that mean something to the program stay (tt_name_meaning(), and Unity's own in
 * producers/unity.h), so that the copy gives the same tables; so do Unity's own markers (producers/unity_markers.h). tracetool-unity-raw(7) lists what stays.
 */
#ifndef TT_UNITY_SCRUB_H
#define TT_UNITY_SCRUB_H

#include "model/scrub.h"
#include "unity/profiler.h"

/* Scrub the ${n} bytes of text at ${p}, a name or a text value, by the rules for names: the text value of a marker of labels becomes a marker's name. */
int unity_scrub_text(struct tt_scrub *s, uint8_t *p, size_t n, struct tt_err *err);
/* Scrub the group and name of a thread. Both keep the parts that the marker "Group.Name" keeps. */
int unity_scrub_thread(struct tt_scrub *s, uint8_t *group, size_t ngroup, uint8_t *name, size_t nname, struct tt_err *err);
/*
 * Scrub text that damage put among the ${n} bytes of numbers at ${p}: runs of UTF-8, or of UTF-16 of Latin letters, that are longer than numbers hardly ever
 * look like; if the capture shows no damage, longer than numbers never do. The replacements are letters and digits, so that numbers too large to make sense
 * remain so.
 */
enum unity_numbers {
	UNITY_COUNTS,                 /* 32 bits, mostly small: indexes, sizes, counts */
	UNITY_WIDE,                   /* with times, ids and 48-bit addresses */
	UNITY_STACK,                  /* 64-bit addresses, whose highest bits may be signatures */
	UNITY_STACK_32,               /* 32-bit addresses, any bytes */
	UNITY_UNREAD,                 /* with floats, any bytes; no figure depends on them */
};
int unity_scrub_numbers(struct tt_scrub *s, uint8_t *p, size_t n, enum unity_numbers kind, struct tt_err *err);
/* Scrub the id of a marker at ${p}, if it is text. */
int unity_scrub_id(struct tt_scrub *s, uint8_t *p, struct tt_err *err);
/* Scrub a value of a sample, of ${type} and ${n} bytes: scrub text, set blobs to zero. */
int unity_scrub_value(struct tt_scrub *s, unsigned type, uint8_t *p, size_t n, struct tt_err *err);

#endif
