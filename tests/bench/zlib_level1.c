/**
 * zlib_level1 FILE OUTPUT: compresses a file as .gz with zlib at level 1 on one core, in buffers of 1 MiB. The yardstick of ".json.gz".
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER = 1 << 20, LEVEL = 1, WINDOW_GZIP = 15 + 16, MEMORY = 8 };

static void
die(const char *what)
{
	fprintf(stderr, "zlib_level1: %s\n", what);
	exit(1);
}

/* Compress what is in hand, and write what comes of it. */
static void
put(z_stream *z, uint8_t *to, int flush, int fd)
{
	do {
		z->next_out = to;
		z->avail_out = BUFFER;
		if (deflate(z, flush) == Z_STREAM_ERROR)
			die("zlib");
		for (uint8_t *p = to; p < z->next_out;) {
			const ssize_t n = write(fd, p, (size_t)(z->next_out - p));
			if (n <= 0)
				die("output");
			p += n;
		}
	} while (z->avail_out == 0);
}

int
main(int argc, char **argv)
{
	static uint8_t from[BUFFER], to[BUFFER];
	const int in = argc == 3 ? open(argv[1], O_RDONLY) : -1, out = argc == 3 ? open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	z_stream z;
	ssize_t n;

	if (in < 0 || out < 0) {
		fputs("usage: zlib_level1 FILE OUTPUT\n", stderr);
		return 2;
	}
	memset(&z, 0, sizeof z);
	if (deflateInit2(&z, LEVEL, Z_DEFLATED, WINDOW_GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		die("zlib");
	while ((n = read(in, from, sizeof from)) > 0) {
		z.next_in = from;
		z.avail_in = (uInt)n;
		put(&z, to, Z_NO_FLUSH, out);
	}
	if (n < 0)
		die("input");
	put(&z, to, Z_FINISH, out);
	deflateEnd(&z);
	return close(out) != 0 || close(in) != 0;
}
