/**
 * Damage to small archives, one bit and one byte at a time, through the unpacker of a batch in this process.
 *
 *	sweep EVERY FOLDER ARCHIVE...
 *
 * FOLDER holds the captures that each archive was made of, whole, as files that begin with "CAPT". Every bit of an archive is
 * flipped (every EVERYth, from a place that depends on the archive), and it is cut behind every byte (one in EVERY / 4 + 1). Then each
 * capture is handed on as it was, or the damage is told; a tar has no checksum for data, so there a capture may come with just that bit
 * flipped.
 * Ends with "N passed, N failed".
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hash.h"
#include "batch/unpack.h"
#include "batch/wire.h"
#include "model/format.h"

#define CAPTURES_MAX 64
#define SHOWN 20

struct bytes { uint8_t *p; size_t n; };

struct seen {
	uint64_t hash[CAPTURES_MAX];  /* of the captures handed on, in order */
	size_t n;
	bool told;
	char what[200];
};

static struct tt_env env = { .jobs = 1, .spool_max = UINT64_MAX, .spool_memory = 1 << 20, .decoded_max = 1 << 26, .ratio_max = 500 };
static struct bytes capture[CAPTURES_MAX];
static size_t ncapture;
static unsigned long passed, failed;

static void
die(const char *what)
{
	perror(what);
	exit(2);
}

static int
probe(const uint8_t *p, size_t n)
{
	return n >= 4 && memcmp(p, "CAPT", 4) == 0 ? 100 : 0;
}

static const struct tt_format format = { .name = "test", .suffix = ".cap", .probe = probe };
static const struct tt_format *const formats[] = { &format, NULL };

static void
tell(struct seen *s, const char *what, size_t n)
{
	if (!s->told)
		snprintf(s->what, sizeof s->what, "%.*s", (int)n, what);
	s->told = true;
}

static void
take(struct seen *s, const struct tt_wire *w)
{
	static const char ok[] = "\"outcome\":\"ok\"";

	if (w->kind == TT_WIRE_MEMBER && s->n < CAPTURES_MAX)
		s->hash[s->n++] = w->hash;
	if ((w->kind == TT_WIRE_COMPLAINT && !(w->nkey == 6 && memcmp(w->key, "joined", 6) == 0)) || (w->flags & TT_WIRE_CUT))
		tell(s, w->body, w->nbody);
	if (w->kind == TT_WIRE_END && (w->nbody < sizeof ok - 1 || memcmp(w->body, ok, sizeof ok - 1) != 0))
		tell(s, w->body, w->nbody);
}

/* All that the unpacker says, which fits into the socket. */
static void
listen_to(int sock, struct seen *s)
{
	static char buf[TT_WIRE_MAX];
	struct tt_wire w;
	struct tt_err err;
	int fd, got, rc;

	while ((rc = tt_wire_receive(sock, buf, &w, &fd, &got, &err)) == TT_OK && got) {
		take(s, &w);
		if (fd >= 0)
			close(fd);
	}
	if (rc < 0)
		tell(s, err.msg, strlen(err.msg));
}

static void
unpack(struct tt_src *src, enum tt_archive_kind kind, const char *name, struct seen *s)
{
	const struct tt_unpack_opts o = { .formats = formats, .depth = 3, .members_max = 1000, .shard = { 1, 1 } };
	struct tt_err err;
	int sock[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) != 0)
		die("socketpair");
	for (unsigned char slot = 0; slot < CAPTURES_MAX; slot++) {
		if (send(sock[0], &slot, 1, 0) != 1)
			die("send");
	}
	if (tt_unpack(&env, &o, src, kind, name, strlen(name), sock[1], &err) != TT_OK)
		tell(s, err.msg, strlen(err.msg));
	listen_to(sock[0], s);
	close(sock[0]);
	close(sock[1]);
}

/* What a batch would do with a file of these bytes. */
static void
look(const uint8_t *p, size_t n, const char *name, struct seen *s)
{
	enum tt_archive_kind kind;
	struct tt_src *src;
	struct tt_err err;
	const uint8_t *head;
	size_t nhead;
	bool packed;
	int rc = tt_src_open_mem(&env, p, n, name, &src, &err);

	memset(s, 0, sizeof *s);
	if (rc == TT_OK && (rc = tt_src_peek(src, &head, &nhead, &err)) != TT_OK)
		tt_src_close(src);
	if (rc != TT_OK) {
		tell(s, err.msg, strlen(err.msg));
		return;
	}
	packed = tt_src_info(src)->coding != TT_CODING_NONE;
	kind = tt_unpack_probe(&env, &src, name, strlen(name), &head, &nhead);
	if (kind != TT_ARCHIVE_NONE) {
		unpack(src, kind, name, s);
		return;
	}
	if (tt_unpack_missed(formats, name, strlen(name), packed, head, nhead, &err) != TT_OK)
		tell(s, err.msg, strlen(err.msg));
	tt_src_close(src);
}

static bool
same(const struct seen *a, const struct seen *b)
{
	return a->n == b->n && memcmp(a->hash, b->hash, a->n * sizeof *a->hash) == 0;
}

/*
 * In a tar the byte at ${at} may be of a capture: then that capture comes with it as it is now, or, if that is what made it
 * one and its name does not say that it is, does not come.
 */
static bool
only_this_byte(const struct bytes *file, const uint8_t *now, size_t at, const struct seen *want, const struct seen *have)
{
	struct seen other = *want;

	for (size_t i = 0; i < ncapture; i++) {
		const uint8_t *p = memmem(file->p, file->n, capture[i].p, capture[i].n);
		size_t from = p ? (size_t)(p - file->p) : SIZE_MAX;
		uint64_t hash = tt_hash_bytes(capture[i].p, capture[i].n);

		if (at < from || at - from >= capture[i].n)
			continue;
		for (size_t k = 0; k < other.n; k++) {
			if (other.hash[k] != hash)
				continue;
			other.hash[k] = tt_hash_bytes(now + from, capture[i].n);
			if (at - from < 4 && other.n > have->n)
				memmove(&other.hash[k], &other.hash[k + 1], (--other.n - k) * sizeof other.hash[0]);
			break;
		}
	}
	return same(&other, have);
}

static void
judge(bool good, const char *name, const char *how, size_t at, const struct seen *s)
{
	passed += good;
	failed += !good;
	if (!good && failed <= SHOWN)
		printf("%s: %s %zu: %zu captures, %s, and nothing was told\n", name, how, at, s->n, s->n ? "not those it had" : "all lost");
}

static void
sweep(const char *path, size_t every, const struct bytes *file)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	bool tar = strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".tar") == 0;
	struct seen want, have;

	look(file->p, file->n, name, &want);
	if (want.told || want.n < 2) {
		printf("%s: as it was made: %zu captures, %s\n", name, want.n, want.told ? want.what : "not enough");
		failed++;
		return;
	}
	for (size_t bit = tt_hash_bytes(name, strlen(name)) % every; bit < 8 * file->n; bit += every) {
		file->p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		look(file->p, file->n, name, &have);
		bool good = have.told || same(&want, &have);
		if (!good && tar) {
			struct bytes was = { malloc(file->n), file->n };

			if (!was.p)
				die("malloc");
			memcpy(was.p, file->p, file->n);
			was.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
			good = only_this_byte(&was, file->p, bit / 8, &want, &have);
			free(was.p);
		}
		judge(good, name, "bit", bit, &have);
		file->p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t n = 0, step = every / 4 + 1; n < file->n; n += step) {
		static const uint8_t end_mark[1024];

		look(file->p, n, name, &have);
		/* The first of two tars is one. */
		judge(have.told || same(&want, &have) || (tar && have.n > 0 && n % 512 == 0 && memcmp(file->p + n - 1024, end_mark, 1024) == 0),
		    name, "cut at byte", n, &have);
	}
}

static struct bytes
load(const char *path)
{
	struct bytes b = { .p = malloc(1 << 20) };
	FILE *f = fopen(path, "rb");

	if (!f || !b.p)
		die(path);
	b.n = fread(b.p, 1, 1 << 20, f);
	fclose(f);
	return b;
}

int
main(int argc, char **argv)
{
	DIR *dir = argc > 3 ? opendir(argv[2]) : NULL;
	struct dirent *e;
	char path[1024];

	if (!dir)
		die("sweep EVERY FOLDER ARCHIVE...");
	tt_archive_use_locale();
	while ((e = readdir(dir)) != NULL && ncapture < CAPTURES_MAX) {
		snprintf(path, sizeof path, "%s/%s", argv[2], e->d_name);
		if (e->d_name[0] != '.')
			capture[ncapture++] = load(path);
	}
	closedir(dir);
	for (int i = 3; i < argc; i++) {
		struct bytes file = load(argv[i]);

		sweep(argv[i], (size_t)atoi(argv[1]), &file);
		free(file.p);
	}
	for (size_t i = 0; i < ncapture; i++)
		free(capture[i].p);
	printf("%lu passed, %lu failed\n", passed, failed);
	return failed > 0 || passed == 0;
}
