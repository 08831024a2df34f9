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
/* A value of a sample, of ${type} and ${n} bytes: texts are scrubbed, blobs become zeros. */
int unity_scrub_value(struct tt_scrub *s, unsigned type, uint8_t *p, size_t n, struct tt_err *err);

#endif
