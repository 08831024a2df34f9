/*
 * mlpd_gen VERSION PTRSIZE SEED OUT: write a test capture with everything the version has.
 *
 *	cc -std=c11 -o build/mlpd_gen tests/kit/mlpd_gen.c tests/kit/mlpd_sample.c tests/kit/mlpd_encode.c
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlpd_sample.h"

static int
write_file(const char *path, const uint8_t *data, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (f == NULL)
		return -1;
	if (fwrite(data, 1, n, f) != n) {
		fclose(f);
		return -1;
	}
	return fclose(f);
}

int
main(int argc, char **argv)
{
	int version, ptrsize, status = 4;
	uint8_t *data;
	size_t n;

	if (argc != 5) {
		fprintf(stderr, "usage: mlpd_gen VERSION PTRSIZE SEED OUT\n");
		return 2;
	}
	version = atoi(argv[1]);
	ptrsize = atoi(argv[2]);
	if (version < 4 || version > 17 || (ptrsize != 4 && ptrsize != 8)) {
		fprintf(stderr, "mlpd_gen: versions are 4 to 17, pointer sizes 4 and 8\n");
		return 2;
	}
	data = mlpd_sample(version, ptrsize, strtoull(argv[3], NULL, 10), &n);
	if (data == NULL || write_file(argv[4], data, n) != 0)
		fprintf(stderr, "mlpd_gen: %s: %s\n", argv[4], strerror(errno));
	else
		status = 0;
	free(data);
	return status;
}
