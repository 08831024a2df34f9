/**
 * Names in brief: the beginning of a name that is too long to be repeated, and a number that tells it from all others.
 *
 * For whatever has a name again and again, as outputs that write it with every event. The number is a hash of the whole name, so that the name is the
 * same in every file, whichever other names there are.
 */
#ifndef TT_BASE_BRIEF_H
#define TT_BASE_BRIEF_H

/* The most bytes of a name that are repeated. Names of real captures are far below it. */
enum { TT_BRIEF_MAX = 1000, TT_BRIEF_BYTES = TT_BRIEF_MAX + 24 };

/* ${s}, or where it is longer, its beginning, cut between two characters, and "…#" and 16 digits, in ${room}: longer than any name that is not cut. */
const char *tt_brief_name(char room[TT_BRIEF_BYTES], const char *s);

#endif
