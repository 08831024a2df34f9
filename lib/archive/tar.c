/**
 * Finds the headers of a tar, also after damage.
 *
 * A tar has no directory: if a header is lost, so is its member, and zeros may be the end or a header that was
 * overwritten. So each header is checked here before libarchive reads it, and bytes after an end mark are checked, too:
 * another tar (`cat a.tar b.tar`) is read, all else is damage. After damage, reading goes on at the next block with a
 * correct header checksum. Only the end of the source is the end.
 */
#include "archive/reader.h"

#include <stdio.h>
#include <string.h>

#define END_MARK (2 * TT_TAR_BLOCK)
/* The most zeros of an empty tar: one record of the usual size. */
#define EMPTY_MAX ((uint64_t)20 * TT_TAR_BLOCK)

/* Compare the stored checksum with the sum of the header's bytes, in which the eight bytes of the checksum count as blanks. */
bool
tt_is_tar_header(const uint8_t *p)
{
	unsigned sum = 0, stored = 0;
	bool digits = false;

	for (unsigned i = 0; i < TT_TAR_BLOCK; i++)
		sum += i >= 148 && i < 156 ? ' ' : p[i];
	for (unsigned i = 148; i < 156; i++) {
		if (p[i] >= '0' && p[i] <= '7') {
			stored = stored * 8 + (unsigned)(p[i] - '0');
			digits = true;
		} else if (digits || p[i] != ' ') {
			break;
		}
	}
	return digits && sum == stored;
}

static bool
all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i])
			return false;
	}
	return true;
}

/* Point *${p} at the block at ${pos}: *${n} is less than a block only where the source ends. */
static int
look(struct tt_archive *ar, uint64_t pos, const uint8_t **p, size_t *n, struct tt_err *err)
{
	size_t have = pos >= ar->buf_at && pos < ar->buf_at + ar->buf_n ? (size_t)(ar->buf_at + ar->buf_n - pos) : 0;

	while (have < TT_TAR_BLOCK) {
		size_t got;
		int rc;

		if (have > 0 || pos != ar->fetch_at)
			tt_archive_drop(ar);
		if (have == 0 && ar->can_seek)
			ar->fetch_at = pos;
		memmove(ar->buf, ar->buf + ar->buf_n - have, have);
		ar->buf_at = ar->fetch_at - have;
		ar->buf_n = have;
		rc = tt_archive_fetch(ar, have, ar->fetch_bytes, &got, err);
		if (rc != TT_OK && have == 0)
			return rc;
		if (rc != TT_OK || got == 0)
			break;
		have += got;
		ar->ahead = ar->buf;
		ar->ahead_n = have;
	}
	*p = ar->buf + ar->buf_n - have;
	*n = have < TT_TAR_BLOCK ? have : TT_TAR_BLOCK;
	return TT_OK;
}

/* Set *${pos} to the offset after the present member, where the next header should be. */
static int
header_at(struct tt_archive *ar, uint64_t *pos, struct tt_err *err)
{
	int r;

	*pos = ar->header;
	if (!ar->a)
		return TT_OK;
	r = archive_read_data_skip(ar->a);
	*pos = ar->base + (uint64_t)archive_filter_bytes(ar->a, 0);
	if (r == ARCHIVE_OK || r == ARCHIVE_WARN || r == ARCHIVE_EOF)
		return TT_OK;
	ar->is_over = true;
	return tt_archive_fail(ar, r, err);
}

/* The bytes between the place where a header should be and the next valid header. */
struct gap {
	uint64_t from, zeros;         /* where the gap begins; bytes of zeros at its beginning */
	uint64_t bad;                 /* offset of the first block that is neither zeros nor a header; TT_NOWHERE: no such block */
	uint64_t to;                  /* offset of the next header, or of the end of the source */
	bool end;                     /* true: no header follows */
};

static int
find_header(struct tt_archive *ar, struct gap *g, struct tt_err *err)
{
	g->bad = TT_NOWHERE;
	for (g->to = g->from;;) {
		const uint8_t *p;
		size_t n;
		int rc = look(ar, g->to, &p, &n, err);

		if (rc != TT_OK)
			return rc;
		g->end = n == 0;
		if (g->end || (n == TT_TAR_BLOCK && tt_is_tar_header(p)))
			return TT_OK;
		if (g->bad == TT_NOWHERE && all_zero(p, n))
			g->zeros += n;
		else if (g->bad == TT_NOWHERE)
			g->bad = g->to;
		g->to += n;
		if (tt_stopped(ar->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
	}
}

/* Fail unless the gap is empty, an end mark at the end, or an end mark before another tar. */
static int
judge(const struct gap *g, struct tt_err *err)
{
	char on[64] = "no other header follows";

	if (!g->end)
		snprintf(on, sizeof on, "reading continues at byte %llu", (unsigned long long)g->to);
	if (g->bad != TT_NOWHERE && g->zeros == 0)
		return tt_fail(err, TT_E_DAMAGED, g->bad, "tar header at byte %llu is damaged, its member is lost; %s",
		    (unsigned long long)g->bad, on);
	if (g->bad != TT_NOWHERE)
		return tt_fail(err, TT_E_DAMAGED, g->bad, "byte %llu, after the zeros that end a tar, is not a tar header: "
		    "a member may be lost; %s", (unsigned long long)g->bad, on);
	if (g->end && g->from == 0 && g->zeros > EMPTY_MAX)
		return tt_fail(err, TT_E_DAMAGED, 0, "%llu bytes of zeros, and not one tar header: its members are lost",
		    (unsigned long long)g->zeros);
	if (g->end && g->zeros < END_MARK)
		return tt_fail(err, TT_E_DAMAGED, g->to, "tar ends at byte %llu without its end mark: members may be missing",
		    (unsigned long long)g->to);
	if (!g->end && g->zeros > 0 && g->zeros < END_MARK)
		return tt_fail(err, TT_E_DAMAGED, g->from, "tar header at byte %llu is zeros, its member is lost; %s",
		    (unsigned long long)g->from, on);
	return TT_OK;
}

/* Let libarchive go on at ${pos}, whose block is in the buffer. */
static int
go_on(struct tt_archive *ar, uint64_t pos, struct tt_err *err)
{
	if (ar->a && ar->base + (uint64_t)archive_filter_bytes(ar->a, 0) == pos)
		return TT_OK;
	tt_archive_drop(ar);
	ar->base = pos;
	ar->ahead = ar->buf + (pos - ar->buf_at);
	ar->ahead_n = ar->buf_n - (size_t)(pos - ar->buf_at);
	return tt_archive_start(ar, err);
}

int
tt_tar_next(struct tt_archive *ar, struct tt_member *m, struct tt_err *err)
{
	struct gap g = { 0 };
	struct archive_entry *e;
	int r, rc = header_at(ar, &g.from, err);

	if (rc != TT_OK)
		return rc;
	rc = find_header(ar, &g, err);
	if (rc != TT_OK || g.end)
		ar->is_over = true;
	if (rc != TT_OK)
		return rc;
	ar->header = g.to;
	/* Damage is reported once: after it, the next call begins at a header or at the end. */
	rc = ar->is_reported ? TT_OK : judge(&g, err);
	ar->is_reported = false;
	if (rc != TT_OK) {
		tt_archive_drop(ar);
		return rc;
	}
	if (g.end)
		return TT_END;
	rc = go_on(ar, g.to, err);
	if (rc != TT_OK) {
		ar->is_over = true;
		return rc;
	}
	r = archive_read_next_header(ar->a, &e);
	if (r == ARCHIVE_OK || r == ARCHIVE_WARN) {
		tt_archive_fill_member(e, m);
		m->at = g.to;
		if (g.zeros) {
			snprintf(ar->note, sizeof ar->note, "another tar begins at byte %llu, after the end of the one before",
			    (unsigned long long)g.to);
			m->remark = ar->note;
		}
		return TT_OK;
	}
	rc = tt_archive_fail(ar, r, err);
	ar->is_over = ar->src_err.code != TT_OK || rc != TT_E_DAMAGED;
	ar->is_reported = true;
	ar->header = g.to + TT_TAR_BLOCK;
	if (!ar->can_seek && ar->header < ar->buf_at)
		ar->header = ar->buf_at;
	tt_archive_drop(ar);
	return rc;
}
