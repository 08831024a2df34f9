/* Tests of archive/archive.h: members that libarchive wrote come back, and damage costs the member in which it is. */
#include "check.h"

#include <archive.h>
#include <archive_entry.h>

#include "archive/archive.h"

enum { NMEMBERS = 3, ARCHIVE_BYTES = 1 << 16, TAR_BLOCK = 512 };

static struct tt_env env = { .jobs = 1, .spool_max = 1 << 20 };

static const char *const name[NMEMBERS] = { "a.raw", "folder/b.raw", "c.raw" };
static const char *const text[NMEMBERS] = { "first", "the second member", "3" };

/* An archive of the three members; returns its bytes, of which there are *${n}. */
static uint8_t *
write_archive(int (*set_format)(struct archive *), size_t *n)
{
	struct archive *a = archive_write_new();
	uint8_t *p = malloc(ARCHIVE_BYTES);

	if (!a || !p || set_format(a) != ARCHIVE_OK || archive_write_open_memory(a, p, ARCHIVE_BYTES, n) != ARCHIVE_OK)
		abort();
	for (int i = 0; i < NMEMBERS; i++) {
		struct archive_entry *e = archive_entry_new();

		archive_entry_set_pathname(e, name[i]);
		archive_entry_set_filetype(e, AE_IFREG);
		archive_entry_set_perm(e, 0644);
		archive_entry_set_size(e, (la_int64_t)strlen(text[i]));
		if (archive_write_header(a, e) != ARCHIVE_OK || archive_write_data(a, text[i], strlen(text[i])) != (la_ssize_t)strlen(text[i]))
			abort();
		archive_entry_free(e);
	}
	if (archive_write_close(a) != ARCHIVE_OK)
		abort();
	archive_write_free(a);
	return p;
}

/* Read the ${n} bytes at ${p}: the members in *${found}, a bit each, and how often damage was told. Returns the last status. */
static int
read_archive(const uint8_t *p, size_t n, enum tt_archive_kind kind, unsigned *found, unsigned *ndamaged)
{
	struct tt_archive *ar = NULL;
	struct tt_src *src;
	struct tt_err err;
	int rc = tt_src_open_mem(&env, p, n, "input", &src, &err);

	*found = *ndamaged = 0;
	if (rc != TT_OK)
		abort();
	rc = tt_archive_open(&env, src, kind, &ar, &err);
	while (rc == TT_OK || rc == TT_E_DAMAGED) {
		struct tt_member m;
		char got[64];
		size_t len = 0, more;

		rc = tt_archive_next(ar, &m, &err);
		*ndamaged += rc == TT_E_DAMAGED;
		if (rc != TT_OK)
			continue;
		while ((rc = tt_archive_read(ar, got + len, sizeof got - len, &more, &err)) == TT_OK)
			len += more;
		*ndamaged += rc == TT_E_DAMAGED;
		for (unsigned i = 0; i < NMEMBERS; i++)
			if (strcmp(m.path, name[i]) == 0 && len == strlen(text[i]) && memcmp(got, text[i], len) == 0)
				*found |= 1U << i;
		rc = rc == TT_END ? TT_OK : rc;
	}
	tt_archive_close(ar);
	tt_src_close(src);
	CHECK_EQ_INT(atomic_load(&env.mem.used), 0);
	return rc;
}

static void
check_members(int (*set_format)(struct archive *), enum tt_archive_kind kind)
{
	unsigned found, ndamaged;
	size_t n;
	uint8_t *p = write_archive(set_format, &n);

	CHECK_EQ_INT(tt_archive_probe(p, n), kind);
	CHECK_EQ_INT(read_archive(p, n, kind, &found, &ndamaged), TT_END);
	CHECK_EQ_INT(found, 7);
	CHECK_EQ_INT(ndamaged, 0);
	free(p);
}

TEST(members_of_a_tar_come_back)
{
	check_members(archive_write_set_format_ustar, TT_ARCHIVE_TAR);
}

TEST(members_of_a_zip_come_back)
{
	check_members(archive_write_set_format_zip, TT_ARCHIVE_ZIP);
}

TEST(a_damaged_header_of_a_tar_costs_its_member_alone)
{
	unsigned found, ndamaged;
	size_t n;
	uint8_t *p = write_archive(archive_write_set_format_ustar, &n);

	p[2 * TAR_BLOCK + 5] ^= 1;   /* in the name of the second member, behind the first one's header and its block of data */
	CHECK_EQ_INT(read_archive(p, n, TT_ARCHIVE_TAR, &found, &ndamaged), TT_END);
	CHECK_EQ_INT(found, 5);
	CHECK(ndamaged > 0);
	free(p);
}

TEST(a_zip_without_its_directory_is_read_by_the_headers_of_its_members)
{
	unsigned found, ndamaged;
	size_t n;
	uint8_t *p = write_archive(archive_write_set_format_zip, &n);
	size_t directory = 0;

	while (directory + 4 < n && memcmp(p + directory, "PK\1\2", 4) != 0)
		directory++;
	CHECK_EQ_INT(read_archive(p, directory, TT_ARCHIVE_ZIP, &found, &ndamaged), TT_END);
	CHECK_EQ_INT(found, 7);
	CHECK(ndamaged > 0);
	free(p);
}

static int
set_stored_zip(struct archive *a)
{
	const int rc = archive_write_set_format_zip(a);

	return rc == ARCHIVE_OK ? archive_write_set_options(a, "zip:compression=store") : rc;
}

TEST(changed_data_of_a_zip_is_told_by_its_checksum)
{
	unsigned found, ndamaged;
	size_t n;
	uint8_t *p = write_archive(set_stored_zip, &n);
	size_t at = 0;

	while (memcmp(p + at, "second", 6) != 0)
		at++;
	p[at] = 'S';
	CHECK_EQ_INT(read_archive(p, n, TT_ARCHIVE_ZIP, &found, &ndamaged), TT_END);
	CHECK_EQ_INT(found, 5);
	CHECK_EQ_INT(ndamaged, 1);
	free(p);
}
