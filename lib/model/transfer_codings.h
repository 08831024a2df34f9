/**
 * Codings of bytes as text, and how each is undone: internal to transfer.c, which asks the readers about the bytes that come out.
 *
 * transfer_text.c has digits, escapes and the list of all; transfer_dumps.c the dumps of xxd, od and hexdump.
 */
#ifndef TT_MODEL_TRANSFER_CODINGS_H
#define TT_MODEL_TRANSFER_CODINGS_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes undone: more than any reader looks at. */
#define TT_UNDONE_MAX 1024

/* The first bytes of a file, with its coding undone. */
struct tt_undone {
	uint8_t p[TT_UNDONE_MAX];
	size_t n;
	bool lost;                    /* true: some character stands for no byte */
};

static inline void
tt_undone_put(struct tt_undone *u, uint32_t byte)
{
	if (u->n < sizeof u->p)
		u->p[u->n++] = (uint8_t)byte;
}

/* Restore the first byte of the magic of a .ttc, which is not text, so that a transfer may have lost it. */
static inline void
tt_undone_mend(struct tt_undone *u)
{
	if (u->n > 8 && memcmp(u->p + 1, "TTC", 3) == 0)
		u->p[0] = 0x89;
}

/* The value of a hex digit; -1: it is none. */
static inline int
tt_digit16(uint8_t c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* A coding: how it is undone, and the command that makes bytes of it again. */
struct tt_coding {
	void (*undo)(struct tt_undone *u, const uint8_t *p, size_t n);
	int min_bid;                  /* least bid of the reader that knows the bytes that come out */
	const char *as, *command, *note;      /* command NULL: nothing undoes it */
	bool keeps_line_ends;         /* true: carriage returns of the text are bytes of the file */
};

/* All known codings, in the order to try them; each command gets the text that transfer.c lets through. */
extern const struct tt_coding tt_codings[];
extern const size_t tt_ncodings;

/* transfer_dumps.c: undo the first line of a dump, or all its lines; nothing, if it is another dump. */
void tt_undo_characters(struct tt_undone *u, const uint8_t *p, size_t n);
void tt_undo_decimal_bytes(struct tt_undone *u, const uint8_t *p, size_t n);
void tt_undo_decimal_words(struct tt_undone *u, const uint8_t *p, size_t n);
void tt_undo_dump(struct tt_undone *u, const uint8_t *p, size_t n);
void tt_undo_floats(struct tt_undone *u, const uint8_t *p, size_t n);
void tt_undo_long_words(struct tt_undone *u, const uint8_t *p, size_t n);
void tt_undo_named(struct tt_undone *u, const uint8_t *p, size_t n);
void tt_undo_octal(struct tt_undone *u, const uint8_t *p, size_t n);
void tt_undo_octal_bytes(struct tt_undone *u, const uint8_t *p, size_t n);
void tt_undo_words(struct tt_undone *u, const uint8_t *p, size_t n);
void tt_undo_xxd(struct tt_undone *u, const uint8_t *p, size_t n);
void tt_undo_xxd_bits(struct tt_undone *u, const uint8_t *p, size_t n);
void tt_undo_xxd_words(struct tt_undone *u, const uint8_t *p, size_t n);

#endif
