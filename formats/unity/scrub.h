/**
 * Texts of Unity's captures in copies without names (model/scrub.h). Names that mean something to the program stay (tt_name_meaning(), and Unity's own of
 * producers/unity.h), so that the copy gives the same tables, and so do markers that are Unity's own (producers/unity_markers.h); tracetool-unity-raw(7) lists
 * it.
 */
#ifndef TT_UNITY_SCRUB_H
#define TT_UNITY_SCRUB_H

#include "model/scrub.h"
#include "unity/profiler.h"

/* Scrub the ${n} bytes of text at ${p}. Labels are values too, and become names of markers. */
int unity_scrub_text(struct tt_scrub *s, uint8_t *p, size_t n, struct tt_err *err);
/* Scrub the group and name of a thread. Both keep what the marker "Group.Name" keeps. */
int unity_scrub_thread(struct tt_scrub *s, uint8_t *group, size_t ngroup, uint8_t *name, size_t nname, struct tt_err *err);
/*
 * Scrub texts that damage put among the ${n} bytes of numbers at ${p}: runs of UTF-8, or of UTF-16 of Latin letters, so long that hardly any numbers look like
 * them; if the capture shows no damage, that none do. Letters and digits take their place, so that numbers too large to make sense stay so.
 */
enum unity_numbers {
	UNITY_COUNTS,                 /* of 32 bits, mostly small: indexes, sizes, counts */
	UNITY_WIDE,                   /* with times, ids and addresses of 48 bits */
	UNITY_STACK,                  /* addresses of 64 bits, whose highest bits may be signatures */
	UNITY_STACK_32,               /* addresses of 32 bits, any bytes */
	UNITY_UNREAD,                 /* with floats, any bytes; but no figure is made of them */
};
int unity_scrub_numbers(struct tt_scrub *s, uint8_t *p, size_t n, enum unity_numbers kind, struct tt_err *err);
/* Scrub the id of a marker at ${p}, if it is a text. */
int unity_scrub_id(struct tt_scrub *s, uint8_t *p, struct tt_err *err);
/* A value of a sample, of ${type} and ${n} bytes: texts are scrubbed, blobs become zeros. */
int unity_scrub_value(struct tt_scrub *s, unsigned type, uint8_t *p, size_t n, struct tt_err *err);

#endif
