/**
 * Reads the directory of a zip.
 *
 * libarchive trusts a member's local header if it differs from the directory, and silently drops a member that two
 * records of the directory refer to. So the directory is read here, and its sizes and CRC count; libarchive gets only a
 * local header made from the record, and the data of the member. Records are read twice: once for the order of the
 * members in the file, and then each when its member is asked for.
 */
#include "base/order.h"
#include "archive/reader.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Sizes of fixed parts: the end of the directory, its 64-bit form, the locator of that, a record, a local header. */
#define END_SIZE 22
#define END64_SIZE 56
#define LOCATOR_SIZE 20
#define RECORD_SIZE 46
#define LOCAL_SIZE 30
/* The longest data descriptor after a member's data: signature, CRC, two lengths of 64 bits. */
#define DESCRIPTOR_MAX 24

#define COMMENT_MAX 65535
/* Bytes of the window: enough for a record with the longest name, extra field and comment. */
#define WINDOW ((size_t)256 << 10)
#define JUMP ((size_t)4096)
#define NAME_MAX_ 65536

#define FLAG_ENCRYPTED 0x0041
#define FLAG_DESCRIPTOR 0x0008
#define FLAG_METHOD 0x0006            /* options of the compression method */
#define MADE_BY_DOS 0
#define MADE_BY_UNIX 3
#define METHOD_LZMA 14
#define DICTIONARY_USUAL (UINT32_C(32) << 20)
#define EXTRA_64 0x0001
#define EXTRA_NAME 0x7075             /* the name in UTF-8 */

static uint16_t
get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t
get32(const uint8_t *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static uint64_t
get64(const uint8_t *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static void
put(uint8_t **to, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*(*to)++ = (uint8_t)(v >> 8 * i);
}

static int
no_directory(uint64_t at, const char *why, struct tt_err *err)
{
	return tt_fail(err, TT_E_DAMAGED, at, "directory of the zip is damaged (%s): its members are found by their own headers",
	    why);
}

/*
 * Point *${p} at the *${n} bytes at ${at}: at least ${need}, unless the file ends before. If ${at} continues the buffered bytes,
 * much is read at once; after a jump, which records out of order cause, little.
 */
static int
window(struct tt_archive *ar, uint64_t at, size_t need, const uint8_t **p, size_t *n, struct tt_err *err)
{
	struct tt_zip *z = &ar->zip;
	uint64_t size = tt_src_info(ar->src)->size, end = z->win_at + z->win_n;
	bool on = at >= z->win_at && at <= end;
	int rc = TT_OK;

	*p = z->win;
	*n = 0;
	if (at >= size)
		return TT_OK;
	if (need > size - at)
		need = (size_t)(size - at);
	if (!on || at + need > end) {
		z->win_at = at;
		rc = tt_src_pread(ar->src, at, z->win, on ? WINDOW : need > JUMP ? need : JUMP, &z->win_n, err);
		ar->ntaken += z->win_n;
	}
	if (rc != TT_OK)
		z->win_n = 0;
	else
		*n = (size_t)(z->win_at + z->win_n - at);
	*p = z->win + (at - z->win_at);
	return rc;
}

/* --- the directory ------------------------------------------------------------- */

struct directory { uint64_t at, end, count; };

/* Read the 64-bit end of the directory, if there is one before the ordinary end, whose numbers are too small then. */
static int
end64(struct tt_archive *ar, uint64_t end, struct directory *d, struct tt_err *err)
{
	const uint8_t *p;
	size_t n;
	uint64_t at;
	int rc;

	if (end < LOCATOR_SIZE)
		return TT_END;
	rc = window(ar, end - LOCATOR_SIZE, LOCATOR_SIZE, &p, &n, err);
	if (rc != TT_OK || n < LOCATOR_SIZE || memcmp(p, "PK\6\7", 4) != 0)
		return rc != TT_OK ? rc : TT_END;
	at = get64(p + 8);
	rc = window(ar, at, END64_SIZE, &p, &n, err);
	if (rc != TT_OK || n < END64_SIZE || n > WINDOW || memcmp(p, "PK\6\6", 4) != 0)
		return rc != TT_OK ? rc : TT_END;
	d->count = get64(p + 32);
	d->at = get64(p + 48);
	d->end = at;
	return TT_OK;
}

/* Find the end of the directory in the last ${back} bytes of the file. */
static int
find_end(struct tt_archive *ar, uint64_t back, struct directory *d, struct tt_err *err)
{
	uint64_t size = tt_src_info(ar->src)->size, from = size > back ? size - back : 0;
	const uint8_t *p;
	size_t n;
	int rc = window(ar, from, (size_t)back, &p, &n, err);

	if (rc != TT_OK)
		return rc;
	for (size_t i = n < END_SIZE ? 0 : n - END_SIZE + 1; i-- > 0;) {
		if (memcmp(p + i, "PK\5\6", 4) != 0)
			continue;
		*d = (struct directory){ .at = get32(p + i + 16), .end = from + i, .count = get16(p + i + 10) };
		if (d->count == UINT16_MAX || d->at == UINT32_MAX)
			rc = end64(ar, from + i, d, err);
		return rc == TT_END ? TT_OK : rc;
	}
	return TT_END;
}

/* Find the directory by its end, after which only its comment should come, though there may be other bytes. */
static int
find_directory(struct tt_archive *ar, struct directory *d, struct tt_err *err)
{
	int rc = find_end(ar, JUMP, d, err);

	if (rc == TT_END)
		rc = find_end(ar, END_SIZE + COMMENT_MAX, d, err);
	if (rc == TT_END)
		return no_directory(tt_src_info(ar->src)->size, "its end is missing", err);
	return rc == TT_OK && d->at > d->end ? no_directory(d->end, "it does not say where it begins", err) : rc;
}

static int
by_place(const void *a, const void *b)
{
	const struct tt_zip_entry *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->record < y->record ? -1 : x->record > y->record;
}

/* Return ${v}, or its 64-bit form from the extra field, which holds in order the values that do not fit into the record. */
static uint64_t
wide(uint32_t v, const uint8_t **extra, size_t *n)
{
	uint64_t w = v;

	if (v != UINT32_MAX || *n < 8)
		return w;
	w = get64(*extra);
	*extra += 8;
	*n -= 8;
	return w;
}

/* Find the extra field of kind ${id} in the ${n} bytes at ${p}; NULL: there is none. */
static const uint8_t *
extra_field(const uint8_t *p, size_t n, unsigned id, size_t *got)
{
	*got = 0;
	for (size_t i = 0; i + 4 <= n; i += 4 + get16(p + i + 2)) {
		if (get16(p + i) == id && i + 4 + get16(p + i + 2) <= n) {
			*got = get16(p + i + 2);
			return p + i + 4;
		}
	}
	return NULL;
}

static size_t
record_size(const uint8_t *p)
{
	return (size_t)RECORD_SIZE + get16(p + 28) + get16(p + 30) + get16(p + 32);
}

/* Point *${p} at the whole record at ${at}; TT_END: there is no record. */
static int
read_record(struct tt_archive *ar, uint64_t at, const uint8_t **p, struct tt_err *err)
{
	size_t n;
	int rc = window(ar, at, RECORD_SIZE, p, &n, err);

	if (rc != TT_OK || n < RECORD_SIZE || memcmp(*p, "PK\1\2", 4) != 0)
		return rc == TT_OK ? TT_END : rc;
	rc = window(ar, at, record_size(*p), p, &n, err);
	return rc == TT_OK && n < record_size(*p) ? TT_END : rc;
}

static void
parse_record(const uint8_t *p, struct tt_zip_member *m)
{
	size_t n;
	const uint8_t *extra = extra_field(p + RECORD_SIZE + get16(p + 28), get16(p + 30), EXTRA_64, &n);

	m->flags = get16(p + 8);
	m->method = get16(p + 10);
	m->crc = get32(p + 16);
	m->name_n = get16(p + 28);
	m->size = wide(get32(p + 24), &extra, &n);
	m->packed = wide(get32(p + 20), &extra, &n);
	m->at = wide(get32(p + 42), &extra, &n);
}

static int
read_directory(struct tt_archive *ar, const struct directory *d, struct tt_err *err)
{
	struct tt_zip *z = &ar->zip;

	for (uint64_t at = d->at; at < d->end;) {
		struct tt_zip_member m;
		const uint8_t *p;
		int rc = read_record(ar, at, &p, err);

		/* The directory ends at a digital signature, or at a 64-bit end that is there without need. */
		if (rc == TT_END && (memcmp(p, "PK\5\5", 4) == 0 || memcmp(p, "PK\6\6", 4) == 0))
			break;
		if (rc == TT_END)
			return no_directory(at, "a record is not understood", err);
		if (rc != TT_OK)
			return rc;
		rc = tt_mem_grow(&ar->env->mem, &z->entry, &z->cap, z->n + 1, sizeof *z->entry, err);
		if (rc != TT_OK)
			return rc;
		parse_record(p, &m);
		z->entry[z->n++] = (struct tt_zip_entry){ .at = m.at, .record = at };
		at += record_size(p);
		if (at > d->end)
			return no_directory(at, "its records do not end where it does", err);
		if (tt_stopped(ar->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
	}
	if (z->n == 0 && d->count != 0)
		return no_directory(d->at, "it is empty", err);
	tt_sort(z->entry, z->n, by_place);
	z->ndeclared = d->count;
	z->directory_at = d->at;
	return TT_OK;
}

int
tt_zip_open(struct tt_archive *ar, struct tt_err *err)
{
	struct tt_zip *z = &ar->zip;
	struct directory d = { 0 };
	int rc;

	z->win = tt_mem_alloc(&ar->env->mem, WINDOW, err);
	z->name = tt_mem_alloc(&ar->env->mem, NAME_MAX_, err);
	if (!z->win || !z->name)
		return err ? err->code : TT_E_NOMEM;
	rc = find_directory(ar, &d, err);
	return rc == TT_OK ? read_directory(ar, &d, err) : rc;
}

void
tt_zip_close(struct tt_archive *ar)
{
	struct tt_zip *z = &ar->zip;

	tt_mem_free(&ar->env->mem, z->entry, z->cap * sizeof *z->entry);
	tt_mem_free(&ar->env->mem, z->win, WINDOW);
	tt_mem_free(&ar->env->mem, z->name, NAME_MAX_);
	*z = (struct tt_zip){ 0 };
}

/* --- members ------------------------------------------------------------------- */

/* Take the member's name, up to its first NUL; from the extra field in UTF-8, if that belongs to this name. */
static void
take_name(struct tt_zip *z, const uint8_t *record)
{
	size_t n = get16(record + 28), extra_n;
	const uint8_t *name = record + RECORD_SIZE;
	const uint8_t *extra = extra_field(name + n, get16(record + 30), EXTRA_NAME, &extra_n);

	if (extra && extra_n > 5 && extra[0] == 1 && get32(extra + 1) == crc32(0, name, (uInt)n)) {
		name = extra + 5;
		n = extra_n - 5;
	}
	memcpy(z->name, name, n);
	z->name[n] = '\0';
	/* Some programs on Windows write '\' as separator. */
	if (record[5] == MADE_BY_DOS && !strchr(z->name, '/')) {
		for (char *s = z->name; *s; s++)
			*s = *s == '\\' ? '/' : *s;
	}
}

/* Tell the kind of a member. One with bytes is a file, whatever its mode, which no checksum covers; but a link's bytes are its target. */
static enum tt_member_kind
kind_of(const struct tt_zip *z, const uint8_t *record, bool empty)
{
	__LA_MODE_T mode = record[5] == MADE_BY_UNIX ? (__LA_MODE_T)(get32(record + 38) >> 16) : 0;
	size_t n = strlen(z->name);

	if (z->m.flags & FLAG_ENCRYPTED)
		return TT_MEMBER_ENCRYPTED;
	if ((mode & AE_IFMT) == AE_IFLNK)
		return TT_MEMBER_LINK;
	if (!empty || (mode & AE_IFMT) == 0 || (mode & AE_IFMT) == AE_IFREG)
		return empty && n > 0 && z->name[n - 1] == '/' ? TT_MEMBER_DIRECTORY : TT_MEMBER_FILE;
	return (mode & AE_IFMT) == AE_IFDIR ? TT_MEMBER_DIRECTORY : TT_MEMBER_DEVICE;
}

/* Return the end of the member's data, which begins ${head} bytes after its local header; at most the end of the file. */
static uint64_t
end_of(const struct tt_archive *ar, const struct tt_zip_member *m, uint64_t head)
{
	uint64_t size = tt_src_info(ar->src)->size;
	uint64_t from = m->at < size ? m->at + head : size;

	return from >= size || m->packed > size - from ? size : from + m->packed;
}

/*
 * Fail if a local header that the directory does not list follows the present member before ${to}, the next offset listed. It counts
 * only right after the member's data, where it cannot be data. To save reads, a gap too small for one is not checked.
 */
static int
check_gap(struct tt_archive *ar, uint64_t to, struct tt_err *err)
{
	const struct tt_zip *z = &ar->zip;
	uint8_t p[DESCRIPTOR_MAX + LOCAL_SIZE];
	uint64_t end = 0, room = z->next > 0 ? z->m.name_n + LOCAL_SIZE : LOCAL_SIZE;
	size_t got, last = z->next > 0 && (z->m.flags & FLAG_DESCRIPTOR) ? DESCRIPTOR_MAX : 0;
	int rc = TT_OK;

	if (to < z->members_end || to - z->members_end < room)
		return TT_OK;
	if (z->next > 0) {
		rc = tt_src_pread(ar->src, z->m.at, p, LOCAL_SIZE, &got, err);
		if (rc != TT_OK || got < LOCAL_SIZE || memcmp(p, "PK\3\4", 4) != 0)
			return rc == TT_END ? TT_OK : rc;
		end = end_of(ar, &z->m, (uint64_t)LOCAL_SIZE + get16(p + 26) + get16(p + 28));
	}
	rc = tt_src_pread(ar->src, end, p, sizeof p, &got, err);
	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	for (size_t i = 0; i <= last && i + LOCAL_SIZE <= got && end + i + LOCAL_SIZE <= to; i += 4) {
		if (memcmp(p + i, "PK\3\4", 4) == 0)
			return tt_fail(err, TT_E_DAMAGED, end + i, "the member at byte %llu is missing from the directory of the zip: it "
			    "is not read", (unsigned long long)(end + i));
	}
	return TT_OK;
}

int
tt_zip_next(struct tt_archive *ar, struct tt_member *m, struct tt_err *err)
{
	struct tt_zip *z = &ar->zip;
	const uint8_t *p;
	uint64_t from = z->members_end;
	bool empty;
	int rc;

	tt_archive_drop(ar);
	if (!z->is_gap_searched) {
		z->is_gap_searched = true;
		rc = check_gap(ar, z->next < z->n ? z->entry[z->next].at : z->directory_at, err);
		if (rc != TT_OK) {
			ar->is_over = rc != TT_E_DAMAGED;
			return rc;
		}
	}
	z->is_gap_searched = false;
	if (z->next == z->n) {
		ar->is_over = true;
		/* The 16-bit form of the number wraps around. */
		if (z->ndeclared == z->n || z->ndeclared == (z->n & UINT16_MAX))
			return TT_END;
		return tt_fail(err, TT_E_DAMAGED, TT_NOWHERE, "the zip says it has %llu members, its directory lists %zu",
		    (unsigned long long)z->ndeclared, z->n);
	}
	rc = read_record(ar, z->entry[z->next].record, &p, err);
	if (rc == TT_END)
		rc = tt_fail(err, TT_E_IO, TT_NOWHERE, "the zip became shorter while it was read");
	if (rc != TT_OK) {
		ar->is_over = true;
		return rc;
	}
	z->next++;
	z->local_name[0] = '\0';
	parse_record(p, &z->m);
	take_name(z, p);
	z->members_end = end_of(ar, &z->m, LOCAL_SIZE);
	if (z->m.at < from) {
		z->members_end = z->members_end > from ? z->members_end : from;
		return tt_fail(err, TT_E_DAMAGED, z->m.at, "the member \"%.200s\" overlaps another one: it is not read", z->name);
	}
	empty = z->m.size == 0 && z->m.packed <= 2 && z->m.crc == 0;
	*m = (struct tt_member){ .path = z->name, .kind = kind_of(z, p, empty), .size = empty ? 0 : z->m.size ? z->m.size : UINT64_MAX,
		.at = z->m.at, .crc = z->m.crc };
	return TT_OK;
}

/* Note the name of the member in its local header if it differs from that in the directory. */
static int
check_name(struct tt_archive *ar, const uint8_t *local, struct tt_err *err)
{
	struct tt_zip *z = &ar->zip;
	const size_t n = get16(local + 26), some = n < sizeof z->local_name - 1 ? n : sizeof z->local_name - 1;
	const uint8_t *record;
	size_t got;
	int rc = tt_src_pread(ar->src, z->m.at + LOCAL_SIZE, z->local_name, some, &got, err);

	TT_THEN(rc, read_record(ar, z->entry[z->next - 1].record, &record, err));
	if (rc != TT_OK || got < some || (n == z->m.name_n && memcmp(record + RECORD_SIZE, z->local_name, some) == 0))
		z->local_name[0] = '\0';
	else
		z->local_name[some] = '\0';
	return rc == TT_END ? TT_OK : rc;
}

/*
 * Makes a local header for libarchive. From the member's own only the lengths are used, to find the data: if they are
 * wrong, so is the data, which its CRC shows.
 */
int
tt_zip_start(struct tt_archive *ar, struct tt_err *err)
{
	struct tt_zip *z = &ar->zip;
	uint8_t local[LOCAL_SIZE], *p = z->head;
	struct archive_entry *e;
	size_t got;
	int r, rc = tt_src_pread(ar->src, z->m.at, local, sizeof local, &got, err);

	if (rc != TT_OK)
		return rc;
	if (got < sizeof local)
		return tt_fail(err, TT_E_DAMAGED, z->m.at, "a member of the zip is missing: its byte %llu is beyond the end",
		    (unsigned long long)z->m.at);
	rc = check_name(ar, local, err);
	if (rc != TT_OK)
		return rc;
	put(&p, 0x04034b50, 4);
	put(&p, 45, 2);
	put(&p, z->m.flags & FLAG_METHOD, 2);
	put(&p, z->m.method, 2);
	put(&p, 0, 4);
	put(&p, z->m.crc, 4);
	put(&p, UINT32_MAX, 4);
	put(&p, UINT32_MAX, 4);
	put(&p, 1, 2);
	put(&p, 20, 2);
	put(&p, 'x', 1);
	put(&p, EXTRA_64, 2);
	put(&p, 16, 2);
	put(&p, z->m.size, 8);
	put(&p, z->m.packed, 8);
	ar->fetch_at = z->m.at + LOCAL_SIZE + get16(local + 26) + get16(local + 28);
	ar->fetch_end = end_of(ar, &z->m, ar->fetch_at - z->m.at);
	z->data_at = ar->fetch_at;
	ar->ahead = z->head;
	ar->ahead_n = (size_t)(p - z->head);
	rc = tt_archive_start(ar, err);
	if (rc != TT_OK)
		return rc;
	r = archive_read_next_header(ar->a, &e);
	return r == ARCHIVE_OK || r == ARCHIVE_WARN ? TT_OK : tt_archive_fail(ar, r, err);
}

bool
tt_zip_needs_large_dictionary(struct tt_archive *ar)
{
	const struct tt_zip *z = &ar->zip;
	uint8_t p[9];                 /* version, length of the rest, properties, size of the dictionary */
	size_t got;
	struct tt_err err;

	return ar->kind == TT_ARCHIVE_ZIP && !ar->in_order && z->m.method == METHOD_LZMA &&
	    tt_src_pread(ar->src, z->data_at, p, sizeof p, &got, &err) == TT_OK && got == sizeof p && get32(p + 5) > DICTIONARY_USUAL;
}
