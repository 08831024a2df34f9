/**
 * The least work to print slices as Chrome JSON: names without escapes, times with three decimals, one
 * core, from memory to a file. The yardstick of "tracetool convert".
 *
 *	bareloop pack PACKED < EVENTS      EVENTS as tracetool convert -f csv writes them; zones are taken
 *	bareloop print PACKED OUTPUT       prints how many slices and bytes, and the seconds this took
 *
 * Time runs from creating OUTPUT to closing it; reading PACKED comes before. A packed file holds struct header,
 * the slices, and the names, each in NAME_SIZE bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_SIZE = 256, BUFFER = 1 << 18, LINE_MAX_B = NAME_SIZE + 128, COLUMNS = 8 };

struct header { uint64_t slices, names; };

struct slice {
	uint64_t start_ns, dur_ns;
	uint32_t name, thread;
};

/* One name ready to print: all of a line up to the thread's number. */
struct name { char text[NAME_SIZE]; uint32_t n; };

static void
die(const char *what, const char *why)
{
	fprintf(stderr, "bareloop: %s: %s\n", what, why);
	exit(1);
}

static void *
grow(void *p, size_t *cap, size_t n, size_t size)
{
	if (n < *cap)
		return p;
	*cap = n < 1024 ? 1024 : 2 * n;
	p = realloc(p, *cap * size);
	if (!p)
		die("memory", strerror(errno));
	return p;
}

/* --- pack ----------------------------------------------------------------- */

/* Names by their text, in a table of open addressing. */
struct names {
	char (*text)[NAME_SIZE];
	size_t n, cap;
	uint32_t slot[1 << 20];       /* place + 1 */
};

static uint32_t
name_place(struct names *names, const char *name)
{
	char text[NAME_SIZE] = { 0 };
	uint64_t h = 14695981039346656037u;
	uint32_t *slot;

	snprintf(text, sizeof text, "{\"name\":\"%.200s\",\"ph\":\"X\",\"pid\":1,\"tid\":", name);
	for (const char *p = text; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	for (slot = &names->slot[h >> 44]; *slot; slot = &names->slot[(size_t)(slot - names->slot + 1) & 0xfffff])
		if (strcmp(names->text[*slot - 1], text) == 0)
			return *slot - 1;
	if (names->n == 1 << 19)
		die("pack", "too many names");
	names->text = grow(names->text, &names->cap, names->n, NAME_SIZE);
	memcpy(names->text[names->n], text, NAME_SIZE);
	*slot = (uint32_t)++names->n;
	return *slot - 1;
}

/* Split a line of CSV in place; a field in quotes loses them. Returns how many fields. */
static unsigned
split(char *p, char *field[COLUMNS])
{
	unsigned n = 0;

	while (n < COLUMNS) {
		char *to = p;

		field[n++] = p;
		if (*p == '"') {
			for (p++; *p && (*p != '"' || p[1] == '"'); p++) {
				p += *p == '"';
				*to++ = *p;
			}
			p += *p == '"';
		} else {
			p += strcspn(p, ",\n");
			to = p;
		}
		if (*p != ',') {
			*to = '\0';
			break;
		}
		p++;
		*to = '\0';
	}
	return n;
}

/* What would have to be escaped is replaced: this is about time. */
static char *
plain(char *s)
{
	for (char *p = s; *p; p++)
		if (*p == '"' || *p == '\\' || (unsigned char)*p < ' ')
			*p = '_';
	return s;
}

static void
write_or_die(const void *p, size_t size, size_t n, FILE *f)
{
	if (fwrite(p, size, n, f) != n)
		die("write", strerror(errno));
}

static int
pack(const char *path)
{
	static struct names names;
	struct header h = { 0 };
	char *line = NULL, *f[COLUMNS];
	size_t cap = 0;
	FILE *out = fopen(path, "wb");

	if (!out)
		die(path, strerror(errno));
	write_or_die(&h, sizeof h, 1, out);
	while (getline(&line, &cap, stdin) > 0) {
		if (strncmp(line, "zone,", 5) != 0 || split(line, f) < COLUMNS)
			continue;
		struct slice s = { strtoull(f[4], NULL, 10), strtoull(f[5], NULL, 10),
			name_place(&names, plain(f[7])), (uint32_t)strtoul(f[2], NULL, 10) };
		write_or_die(&s, sizeof s, 1, out);
		h.slices++;
	}
	h.names = names.n;
	write_or_die(names.text, NAME_SIZE, names.n, out);
	rewind(out);
	write_or_die(&h, sizeof h, 1, out);
	if (fclose(out) != 0)
		die(path, strerror(errno));
	printf("%llu\n", (unsigned long long)h.slices);
	return 0;
}

/* --- print ---------------------------------------------------------------- */

static void
read_all(int fd, void *to, size_t n, const char *path)
{
	for (char *p = to; n > 0;) {
		ssize_t got = read(fd, p, n);

		if (got <= 0)
			die(path, got < 0 ? strerror(errno) : "too short");
		p += got;
		n -= (size_t)got;
	}
}

static void
write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t put = write(fd, p, n);

		if (put < 0)
			die("output", strerror(errno));
		p += put;
		n -= (size_t)put;
	}
}

static char digits2[200];

static char *
put_number(char *p, uint64_t v)
{
	char text[48], *t = text + 24;        /* what is copied below may lie behind the digits */

	for (; v >= 100; v /= 100)
		memcpy(t -= 2, digits2 + 2 * (v % 100), 2);
	if (v >= 10)
		memcpy(t -= 2, digits2 + 2 * v, 2);
	else
		*--t = (char)('0' + v);
	memcpy(p, t, 20);
	return p + (text + 24 - t);
}

static char *
put_micros(char *p, uint64_t ns)
{
	unsigned rest = (unsigned)(ns % 1000);

	p = put_number(p, ns / 1000);
	p[0] = '.';
	p[1] = (char)('0' + rest / 100);
	memcpy(p + 2, digits2 + 2 * (rest % 100), 2);
	return p + 4;
}

static char *
put_slice(char *p, const struct slice *s, const struct name *name)
{
	/* Most are shorter than this, and a copy of known size is quick. */
	memcpy(p, name->text, 96);
	if (name->n > 96)
		memcpy(p + 96, name->text + 96, NAME_SIZE - 96);
	p = put_number(p + name->n, s->thread);
	memcpy(p, ",\"ts\":", 6);
	p = put_micros(p + 6, s->start_ns);
	memcpy(p, ",\"dur\":", 7);
	p = put_micros(p + 7, s->dur_ns);
	memcpy(p, "},\n", 3);
	return p + 3;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t
print(const struct slice *s, uint64_t n, const struct name *names, char *buffer, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	uint64_t bytes = 0;
	char *p = buffer;

	if (fd < 0)
		die(path, strerror(errno));
	*p++ = '[';
	*p++ = '\n';
	for (uint64_t i = 0; i < n; i++) {
		if (p - buffer > BUFFER) {
			write_all(fd, buffer, (size_t)(p - buffer));
			bytes += (uint64_t)(p - buffer);
			p = buffer;
		}
		p = put_slice(p, &s[i], &names[s[i].name]);
	}
	memcpy(p, "{}]\n", 4);
	p += 4;
	write_all(fd, buffer, (size_t)(p - buffer));
	if (close(fd) != 0)
		die(path, strerror(errno));
	return bytes + (uint64_t)(p - buffer);
}

static int
load_and_print(const char *path, const char *output)
{
	struct header h;
	char *buffer = malloc(BUFFER + 2 * LINE_MAX_B);
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		die(path, strerror(errno));
	read_all(fd, &h, sizeof h, path);
	struct slice *s = malloc((h.slices + 1) * sizeof *s);
	struct name *names = calloc(h.names + 1, sizeof *names);
	if (!buffer || !s || !names)
		die("memory", strerror(errno));
	memset(buffer, 0, BUFFER + 2 * LINE_MAX_B);
	read_all(fd, s, h.slices * sizeof *s, path);
	for (uint64_t i = 0; i < h.names; i++) {
		read_all(fd, names[i].text, NAME_SIZE, path);
		names[i].n = (uint32_t)strlen(names[i].text);
	}
	close(fd);
	for (int i = 0; i < 100; i++) {
		digits2[2 * i] = (char)('0' + i / 10);
		digits2[2 * i + 1] = (char)('0' + i % 10);
	}
	double start = now();
	uint64_t bytes = print(s, h.slices, names, buffer, output);
	double took = now() - start;
	printf("%llu slices, %llu bytes\n%.6f\n", (unsigned long long)h.slices, (unsigned long long)bytes, took);
	free(buffer);
	free(s);
	free(names);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "pack") == 0)
		return pack(argv[2]);
	if (argc == 4 && strcmp(argv[1], "print") == 0)
		return load_and_print(argv[2], argv[3]);
	fprintf(stderr, "usage: bareloop pack PACKED < EVENTS | bareloop print PACKED OUTPUT\n");
	return 2;
}
