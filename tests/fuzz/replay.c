/**
 * Runs a fuzz target once over every file named, or found in a directory named, and over some bytes made up
 * here; for compilers without libFuzzer, and for `make check`. Ends with "N passed, N failed": a target that
 * finds something does not come back, so what came back has passed.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static unsigned passed, failed;

static void
run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *p;
	size_t n;

	if (!f || fstat(fileno(f), &st) != 0) {
		perror(path);
		failed++;
		if (f)
			fclose(f);
		return;
	}
	n = (size_t)st.st_size;
	p = malloc(n ? n : 1);        /* no longer than the file: a sanitizer sees a read behind it */
	if (!p || fread(p, 1, n, f) != n) {
		perror(path);
		failed++;
	} else {
		fprintf(stderr, "%s\n", path);        /* the last one named did not come back */
		LLVMFuzzerTestOneInput(p, n);
		passed++;
	}
	free(p);
	fclose(f);
}

static void
run_path(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char name[4096];

	if (!d) {
		run_file(path);
		return;
	}
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof name, "%s/%s", path, e->d_name);
		run_path(name);
	}
	closedir(d);
}

/* Nothing, and runs of bytes by a fixed rule: the same on every machine. */
static void
run_made_up(void)
{
	uint64_t x = 1;

	for (size_t n = 0; n < 4096; n = n * 5 / 4 + 1) {
		uint8_t *p = malloc(n ? n : 1);

		if (!p)
			abort();
		for (size_t i = 0; i < n; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			p[i] = (uint8_t)(x >> 56);
		}
		LLVMFuzzerTestOneInput(p, n);
		free(p);
		passed++;
	}
}

int
main(int argc, char **argv)
{
	run_made_up();
	for (int i = 1; i < argc; i++)
		run_path(argv[i]);
	printf("%u passed, %u failed\n", passed, failed);
	return failed > 0 || passed == 0;
}
