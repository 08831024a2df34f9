/**
 * unity_loop FILE: the least it takes to get through a capture of Unity's profiler: read the file, walk over the messages of each block (.raw) or the samples
 * of each frame (.data), and add up the times of zones. The yardstick of "tracetool stats"; tracetool-unity-raw(7) and -data(7) describe the bytes.
 *
 * It knows only what unity_gen writes: version 0x20220328, packed messages that end in their block, no code, categories, types or objects. Anything else ends
 * it with a message. Prints zones and ns.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 4 << 20, RAW_HEAD = 56, DATA_HEAD = 28, STATS = 4 * (33 + 5), PLATFORM = 64 + 4 * 265 };
#define RAW_MAGIC 0x55334450u
#define RAW_BLOCK 0xB10C7EADu
#define DATA_END 0xDEADFEEDu
#define DATA_MARK 0xAFAFAFAFu

static uint64_t zones, time_ns;

static void
die(const char *what)
{
	fprintf(stderr, "unity_loop: %s\n", what);
	exit(1);
}

static uint32_t u16(const uint8_t *p) { uint16_t v; memcpy(&v, p, 2); return v; }
static uint32_t u32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static uint64_t u64(const uint8_t *p) { uint64_t v; memcpy(&v, p, 8); return v; }

/* --- the file -------------------------------------------------------------- */

static struct input {
	int fd;
	uint8_t *p;                   /* bytes in hand from ${at} to ${end} */
	size_t at, end, cap;
} in;

/* Have the next ${n} bytes in hand, if the file has so many; returns them, or NULL. */
static const uint8_t *
need(size_t n)
{
	if (in.end - in.at >= n)
		return in.p + in.at;
	memmove(in.p, in.p + in.at, in.end - in.at);
	in.end -= in.at;
	in.at = 0;
	if (n > in.cap) {
		in.cap = n + BUFFER;
		in.p = realloc(in.p, in.cap);
		if (!in.p)
			die("memory");
	}
	while (in.end < in.cap) {
		const ssize_t got = read(in.fd, in.p + in.end, in.cap - in.end);

		if (got < 0)
			die(strerror(errno));
		if (got == 0)
			break;
		in.end += (size_t)got;
	}
	return in.end >= n ? in.p : NULL;
}

/* --- .raw -------------------------------------------------------------------- */

static const uint8_t *
text(const uint8_t *p)
{
	return p + 4 + u32(p);
}

/* Values of a message, which begin with their number. */
static const uint8_t *
values(const uint8_t *p)
{
	static const uint8_t size[16] = { [1] = 4, [2] = 4, [3] = 4, [4] = 8, [5] = 8, [6] = 4, [7] = 8 };
	unsigned n = *p++;

	for (; n > 0; n--) {
		const unsigned type = *p++;
		if (type == 8)
			p = text(p);
		else if (type < 16 && size[type])
			p += size[type];
		else
			die("a value of an unknown type");
	}
	return p;
}

static const uint8_t *
message(const uint8_t *p)
{
	const unsigned type = u16(p);

	switch (type) {
	case 36:
	case 39:
	case 42:
		zones++;
		time_ns -= u64(p + 7);
		return type == 36 ? p + 15 : type == 39 ? p + 19 : values(p + 15);
	case 37:
		time_ns += u64(p + 7);
		return p + 15;
	case 44: return values(p + 15);
	case 34: return p + 14;
	case 57: return p + 7;
	case 0: return p + 18;
	case 1: return text(p + 10) + 1;
	case 33: return text(text(p + 22));
	default: die("a message of an unknown type");
	}
	return NULL;
}

static void
raw(void)
{
	const uint8_t *p;

	for (in.at = RAW_HEAD; (p = need(20)) != NULL;) {
		const size_t n = u32(p + 16);

		if (u32(p) != RAW_BLOCK || !(p = need(28 + n)))
			die("no whole block");
		const uint8_t *m = p + 20, *end = m + n;
		while (m < end)
			m = message(m);
		if (m != end)
			die("a message goes on in another block");
		in.at += 28 + n;
	}
}

/* --- .data -------------------------------------------------------------------- */

static const uint8_t *
list(const uint8_t *p, size_t size)
{
	return p + 4 + u32(p) * size;
}

static const uint8_t *
name(const uint8_t *p)
{
	const size_t n = strlen((const char *)p) + 1;

	return p + ((n + 3) & ~(size_t)3);
}

static const uint8_t *
thread(const uint8_t *p)
{
	p = name(name(p + 8));
	const uint32_t n = u32(p);
	/* The first sample is the thread itself. */
	p += 4 + 20;
	for (uint32_t i = 1; i < n; i++, p += 20) {
		float ns;
		memcpy(&ns, p + 4, 4);
		time_ns += (uint64_t)ns;
	}
	zones += n - 1;
	p = list(list(list(list(p, 12), 8), 8), 4);
	uint32_t many = u32(p);
	for (p += 4; many > 0; many--) {
		uint32_t k = u32(p + 4);
		for (p += 8; k > 0; k--)
			p += 8 + ((u32(p + 4) + 3) & ~3u);
	}
	return list(list(list(p, 4) + 4, 260), 12);
}

static void
frame(const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;

	p += 28 + STATS + 4 + PLATFORM;
	p = list(list(list(p, 64), 44), 1);                   /* audio */
	p = list(list(list(list(list(p, 52), 1), 12), 1), 4); /* the UI */
	uint32_t markers = u32(p);
	for (p += 4; markers > 0; markers--) {
		p = name(p + 4) + 4;
		uint32_t k = u32(p);
		for (p += 4; k > 0; k--)
			p = name(p + 4);
	}
	uint32_t threads = u32(p);
	for (p += 4; threads > 0; threads--)
		p = thread(p);
	if (p + 4 * 5 + 4 != end || u32(end - 4) != DATA_MARK)
		die("a frame that does not end where it must");
}

static void
data(void)
{
	const uint8_t *p;

	while ((p = need(8)) != NULL && u32(p) != DATA_END) {
		const size_t n = u32(p + 4);

		if (!(p = need(DATA_HEAD + n)))
			die("no whole frame");
		frame(p + DATA_HEAD, n);
		in.at += DATA_HEAD + n;
	}
}

int
main(int argc, char **argv)
{
	const uint8_t *p;

	if (argc != 2 || (in.fd = open(argv[1], O_RDONLY)) < 0) {
		fputs("usage: unity_loop FILE\n", stderr);
		return 2;
	}
	in.cap = BUFFER;
	in.p = malloc(in.cap);
	if (!in.p || !(p = need(RAW_HEAD)))
		die("no capture");
	if (u32(p) == RAW_MAGIC)
		raw();
	else
		data();
	printf("%llu zones, %llu ns\n", (unsigned long long)zones, (unsigned long long)time_ns);
	free(in.p);
	return close(in.fd) != 0;
}
