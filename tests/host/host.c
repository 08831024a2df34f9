/**
 * host: play the stand-in game with a plug-in, by hand and for demos.
 *
 * usage: host [NAME=VALUE]...
 *	plugin=FILE      default: $BUILD/libtracetool-unity.so
 *	capture=FILE     what the recorder writes; default: none is asked for
 *	options=TEXT     options of the recorder
 *	account=FILE     write what was sent, as JSON ("-": standard output)
 *	compare=1        compare what tracetool reads with what was sent: 1 totals, 2 each event, 3 totals with drops
 *	seed= threads= markers= frames= events= fps= rate= counters= churn= single_allocs= plain=
 *	                 of the game, see game.h
 *	dump=N           a flight recorder dumps before each Nth frame
 *	die=N            the player kills itself before frame N
 *	slow=RATE        the recorder's sink takes so many bytes a second until the game is over; 0: none
 *	callbacks= profiler= release= fail= taken= no_replay=
 *	                 of the engine, see engine.h
 * Exit status: the player's; 1 where the comparison finds differences.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"
#include "truth.h"

static const char *account_path;
static long compare;
static double slow = -1;
static unsigned dump, die;

static int
slow_down(void *arg, unsigned frame)
{
	(void)arg;
	if (frame == 0 && slow >= 0)
		play_slow(slow);
	if (die && frame == die)
		raise(SIGKILL);
	if (dump && frame && frame % dump == 0)
		PLAY_CALL(tracetool_dump)();
	return 0;
}

static void
speed_up(struct play *p)
{
	(void)p;
	play_slow_end();
}

static int
set(struct play *p, const char *name, const char *value)
{
	struct { const char *name; unsigned *u; } numbers[] = {
		{ "threads", &p->game.threads }, { "markers", &p->game.markers }, { "frames", &p->game.frames },
		{ "events", &p->game.events }, { "counters", &p->game.counters }, { "churn", &p->game.churn },
		{ "callbacks", &p->engine.callbacks }, { "profiler", &p->engine.profiler }, { "fail", &p->engine.fail },
		{ "dump", &dump }, { "die", &die }, { "fail_event_every", &p->engine.fail_event_every }, { "taken", &p->engine.taken },
	};
	struct { const char *name; bool *b; } flags[] = {
		{ "single_allocs", &p->game.single_allocs }, { "plain", &p->game.plain }, { "release", &p->engine.release },
		{ "no_replay", &p->engine.no_replay }, { "only_split", &p->engine.only_split },
	};
	struct { const char *name; const char **s; } texts[] = {
		{ "plugin", &p->plugin }, { "capture", &p->capture }, { "options", &p->options }, { "account", &account_path },
	};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (strcmp(name, numbers[i].name) == 0) {
			*numbers[i].u = (unsigned)strtoul(value, NULL, 0);
			return 0;
		}
	}
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (strcmp(name, flags[i].name) == 0) {
			*flags[i].b = atoi(value) != 0;
			return 0;
		}
	}
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (strcmp(name, texts[i].name) == 0) {
			*texts[i].s = value;
			return 0;
		}
	}
	if (strcmp(name, "seed") == 0)
		p->game.seed = strtoull(value, NULL, 0);
	else if (strcmp(name, "fps") == 0)
		p->game.fps = strtod(value, NULL);
	else if (strcmp(name, "rate") == 0)
		p->game.rate = strtod(value, NULL);
	else if (strcmp(name, "slow") == 0)
		slow = strtod(value, NULL);
	else if (strcmp(name, "compare") == 0)
		compare = strtol(value, NULL, 0);
	else
		return -1;
	return 0;
}

int
main(int argc, char **argv)
{
	struct play p = { .engine = { .callbacks = 2 }, .game = GAME_OPTS, .each = slow_down, .last = speed_up };
	struct truth t;
	FILE *f;
	int rc;

	for (int i = 1; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (!value) {
			fprintf(stderr, "host: %s: NAME=VALUE is wanted; they are listed at the top of tests/host/host.c\n", argv[i]);
			return 2;
		}
		*value++ = '\0';
		if (set(&p, argv[i], value) != 0) {
			fprintf(stderr, "host: there is no %s\n", argv[i]);
			return 2;
		}
	}
	if (compare == 2)
		p.notes = 4u << 20;
	rc = play_run(&p);
	if (account_path) {
		f = strcmp(account_path, "-") == 0 ? stdout : fopen(account_path, "w");
		if (!f) {
			perror(account_path);
			return 4;
		}
		account_write(p.a, f);
		if (f != stdout)
			fclose(f);
	}
	if (rc == 0 && compare && p.capture)
		rc = (compare == 2 ? truth_events : truth_totals)(p.g, p.a, play_tracetool(), p.capture, compare == 3 ? TRUTH_DROPS : 0,
		    &t) != 0;
	if (rc == 0 && compare)
		printf("equal: %llu events\n", (unsigned long long)t.events);
	play_free(&p);
	return rc;
}
