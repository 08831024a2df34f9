/**
 * ab_gen [NAME=VALUE]...: a game in milliseconds, for tests of tracetool ab. It writes to $TRACETOOL_CAPTURE, by the recorders' core, a capture of
 * frames that were never played, and ends as it is told to.
 *
 *	session=N     number of the session: what all its runs share, and what their noise is made from, with the capture's name
 *	spread=P      standard deviation of sessions, in percent; capture=P: of captures of one session, 1 by default
 *	frames=N      600 by default; hitches=P: percent of them that take 2.5 to 4 times as long, 1 by default
 *	stutters=N    so many more, in every run, that take four times as long
 *	slow=P tail=P marker=P alloc=P      so many percent more of all frames, of those in the tail, of the marker Ai, of allocated bytes
 *	name=NAME     what the marker Ai is called
 *	kind=WORD     gamma: frames are skewed (gamma, shape 8, each for itself); skewed: more so, and each is like the one before (log-normal);
 *	              modes: frames of two lengths, 9.5 and 13 ms, changing one frame of ten; bimodal: half of the captures take 5 % more;
 *	              outlier: one in ten takes 30 % more; drift: each run takes 0.5 % more than the one before; count=FILE, which grows by a
 *	              byte with each, tells how many there were
 *	crash=N       kill itself by signal N in the middle; exit=N: end with this status; only=GLOB: just those in captures of such names
 *	none=1        write no capture; same=1: the same recording each time; text=1: a capture that is none
 *	print=N       print so many lines; child=1: leave a process running; hang=1: never end; read=1: copy standard input to the output
 */
#include <fnmatch.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/core/rec.h"

static uint64_t state;

static double
uniform(void)
{
	state += 0x9e3779b97f4a7c15u;
	uint64_t v = state;
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
	v = (v ^ v >> 27) * 0x94d049bb133111ebu;
	return (double)((v ^ v >> 31) >> 11) * 0x1p-53;
}

static double
normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

static char **arguments;

static const char *
text(const char *name, const char *usual)
{
	size_t n = strlen(name);

	for (char **a = arguments; *a; a++)
		if (strncmp(*a, name, n) == 0 && (*a)[n] == '=')
			return *a + n + 1;
	return usual;
}

static double
number(const char *name, double usual)
{
	const char *s = text(name, NULL);

	return s ? atof(s) : usual;
}

static double
more(const char *name)
{
	return 1 + number(name, 0) / 100;
}

static void
seed(const char *salt)
{
	state = (uint64_t)number("session", 1) * 0x2545f4914f6cdd1du;
	for (; *salt; salt++)
		state = (state ^ (uint64_t)(unsigned char)*salt) * 0x100000001b3u;
	uniform();
}

/* How many runs there were, by the file that counts them. */
static double
runs_so_far(void)
{
	FILE *f = fopen(text("count", "/dev/null"), "a");
	long n = 0;

	if (f && putc('.', f) != EOF && fflush(f) == 0)
		n = ftell(f);
	if (f)
		fclose(f);
	return n > 0 ? (double)n : 0;
}

/* How much longer this capture takes, as its session, itself and the kind of the world have it. */
static double
factor_of(const char *name)
{
	double f;

	seed("session");
	f = 1 + number("spread", 0) / 100 * normal();
	seed(name);
	f *= 1 + number("capture", 1) / 100 * normal();
	if (strcmp(text("kind", ""), "bimodal") == 0)
		f *= uniform() < 0.5 ? 1.05 : 1;
	if (strcmp(text("kind", ""), "outlier") == 0)
		f *= uniform() < 0.1 ? 1.3 : 1;
	if (strcmp(text("kind", ""), "drift") == 0)
		f *= 1 + 0.005 * runs_so_far();
	return f * more("slow");
}

static struct rec_thread *thread;
static uint64_t now;

static void
zone(uint64_t key, double ns)
{
	rec_begin(thread, now, key);
	now += (uint64_t)ns;
	rec_end(thread, now, key);
}

/* The time of the next frame, about 10 ms, before hitches. */
struct frames {
	const char *kind;
	double ar;                    /* normal, each like the one before: autocorrelation 0.8 */
	bool long_mode;
};

static double
next_frame(struct frames *f)
{
	double t = 0;

	f->ar = 0.8 * f->ar + 0.6 * normal();
	if (strcmp(f->kind, "gamma") == 0) {
		for (int i = 0; i < 8; i++)
			t -= 1.25e6 * log(1 - uniform());
		return t;
	}
	if (strcmp(f->kind, "modes") == 0) {
		f->long_mode ^= uniform() < 0.1;
		return (f->long_mode ? 13e6 : 9.5e6) * (1 + 0.02 * normal());
	}
	return 10e6 * (strcmp(f->kind, "skewed") == 0 ? exp(0.25 * f->ar) : 1 + 0.05 * f->ar);
}

static void
play(double factor, bool meant)
{
	const char *name[] = { "GC.Alloc", "Player.Loop", "Update", "Physics", "Render", text("name", "Ai") };
	static const double part[] = { 0, 0, 0.25, 0.2, 0.35, 0.15 };
	uint64_t category = rec_def_category(1, 0, "Scripts"), key[6];
	int frames = (int)number("frames", 600), stutters = (int)number("stutters", 0), crash = meant ? (int)number("crash", 0) : 0;
	double hitches = number("hitches", 1) / 100, marker = more("marker"), tail = more("tail"), alloc = more("alloc");
	struct frames each = { .kind = text("kind", ""), .ar = normal() };

	for (unsigned i = 0; i < 6; i++)
		key[i] = rec_def_marker(category, i + 1, 0, name[i]);
	for (int f = 0; f <= frames; f++) {
		double t;

		rec_frame(thread, now, (uint64_t)f + 1);
		t = next_frame(&each) * factor;
		if (each.ar > 1)
			t *= tail;
		if (uniform() < hitches)
			t *= 2.5 + 1.5 * uniform();
		if (f % 7 == 3 && f / 7 < stutters)
			t *= 4;
		rec_begin(thread, now, key[1]);
		rec_alloc(thread, now, key[0], (uint64_t)(4000 * alloc * factor * (0.8 + 0.4 * uniform())));
		for (unsigned i = 2; i < 6; i++)
			zone(key[i], t * part[i] * (i == 5 ? marker : 1));
		now += (uint64_t)(t * 0.04);
		rec_end(thread, now, key[1]);
		now += (uint64_t)(t * 0.01);
		if (crash && f == frames / 2)
			raise(crash);
	}
}

static int
record(const char *path, const char *name, bool meant)
{
	struct rec_options o = { .path = path, .ring = 4u << 20, .chunk = 16384, .threads = 4, .calm = true, .poll_ms = 1, .no_sync = true };
	double factor = factor_of(name);
	char why[256] = "";

	/* Ticks are ns. */
	setenv("TRACETOOL_CLOCK", "system", 1);
	if (rec_open(&o, why) != 0) {
		fprintf(stderr, "ab_gen: %s\n", why);
		return 4;
	}
	thread = rec_thread();
	now = rec_now();
	play(factor, meant);
	return rec_close(why) == 0 ? 0 : 4;
}

int
main(int argc, char **argv)
{
	const char *path = getenv("TRACETOOL_CAPTURE"), *name;
	bool meant;
	int rc = 0;

	(void)argc;
	arguments = argv + 1;
	if (!path) {
		fprintf(stderr, "ab_gen: no $TRACETOOL_CAPTURE\n");
		return 2;
	}
	name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	meant = fnmatch(text("only", "*"), name, 0) == 0;
	for (long i = 0; i < (long)number("print", 0); i++)
		printf("line %ld of a build that prints a lot\n", i);
	if (number("read", 0) > 0)
		for (int c; (c = getchar()) != EOF; )
			putchar(c);
	if (number("child", 0) > 0 && fork() == 0)
		for (;;)
			pause();
	fflush(stdout);
	if (meant && number("text", 0) > 0) {
		FILE *f = fopen(path, "w");

		return f && fputs("no capture\n", f) >= 0 && fclose(f) == 0 ? 0 : 4;
	}
	if (!meant || number("none", 0) <= 0)
		rc = record(path, name, meant);
	while (meant && number("hang", 0) > 0)
		pause();
	return rc ? rc : meant ? (int)number("exit", 0) : 0;
}
