/**
 * A program for uftrace to record: many short calls, nested a few levels deep.
 *
 *	calls FRAMES       about 700 calls in each
 */
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline, noclone))

static unsigned state = 1;

APART static unsigned
leaf(unsigned x)
{
	return x * 1103515245 + 12345;
}

APART static unsigned
pair(unsigned x)
{
	return leaf(x) ^ leaf(x + 1);
}

APART static unsigned
step(unsigned x)
{
	return x & 16 ? pair(x) : leaf(x >> 3);
}

APART static void
move(unsigned x)
{
	state ^= step(x + state) + step(x);
}

APART static void
update(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		move(i);
}

int
main(int argc, char **argv)
{
	unsigned long frames = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;

	for (unsigned long i = 0; i < frames; i++)
		update(100);
	printf("%u\n", state);
	return 0;
}
