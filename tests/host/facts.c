/* What games tell the real plug-in by functions: frame timings, facts, labels in turn. */
#include "player.h"

enum { FRAMES = 30, LATE = 4 };

/*
 * The frame after the kth took k ms on the main thread and 2k on the GPU (but the fifth: no GPU time), told by records
 * four frames later, and half of k on the render thread, told by the engine's counter.
 */
static void
timed(void)
{
	load();
	const struct unity_marker *render = engine_marker("CPU Render Thread Frame Time", 0, 0);
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	for (unsigned i = 1; i <= FRAMES; i++) {
		play(1);
		unsigned k = i - LATE;
		struct tracetool_frame_timing f = { .cpu_total_ms = 100, .cpu_main_ms = k, .gpu_ms = k == 5 ? 0 : 2 * k,
			.cpu_present_wait_ms = 1, .age = LATE,
			.flags = i % 2 ? TRACETOOL_COMPLETE_COMPUTED : 0 };
		if (i <= LATE) {
			/* No time that a frame could have taken, about frames before the capture. */
			int64_t below = -1;
			double odd[LATE] = { -1, 0, 1e300, 0 };
			engine_emit(render, UNITY_SINGLE, 1, &(struct unity_value){ .type = UNITY_T_I64, .size = 8, .data = &below });
			engine_emit(render, UNITY_SINGLE, 1, &(struct unity_value){ .type = UNITY_T_F64, .size = 8, .data = &odd[i - 1] });
			engine_emit(render, UNITY_SINGLE, 1, &(struct unity_value){ .type = UNITY_T_TEXT, .size = 3, .data = "odd" });
			continue;
		}
		if (i % 2)
			PLAY_CALL(tracetool_frame_timings)(&f, 1, 10000000);
		else
			PLAY_CALL(tracetool_frame_timings2)(&f, &(struct tracetool_frame_settings){ 0.5f, 0.8125f, 7 }, 1, 10000000);
		/* As whichever number the engine has it. */
		int64_t ns = k * 500000;
		double real = (double)ns;
		engine_emit(render, UNITY_SINGLE, 1, &(struct unity_value){ .type = k % 3 == 0 ? UNITY_T_I64 : k % 3 == 1 ? UNITY_T_U64 : UNITY_T_F64,
			.size = 8, .data = k % 3 == 2 ? (void *)&real : (void *)&ns });
	}
	STOP();
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	engine_unload(true);

	char arguments[700], row[80];
	snprintf(arguments, sizeof arguments, "stats %s --table hitches,frame_timings,frame_limits --hitches 100 --format csv", file);
	const char *text = tracetool(arguments);
	for (int k = 1; k <= FRAMES - LATE; k++) {
		snprintf(row, sizeof row, ",,%d,%d,%.0d,1000000,%s,", k * 1000000, k * 500000, k == 5 ? 0 : 2000000 * k, k == 5 ? "unknown" : "present");
		const char *at = strstr(text, row);
		snprintf(row, sizeof row, "\n%d,", k + 1);
		const char *line = strstr(text, "# hitches") ? strstr(strstr(text, "# hitches"), row) : NULL;
		CHECK(at && line && line < at && !memchr(line + 1, '\n', (size_t)(at - line - 1)));
	}
	CHECK_HAS(text, "\nmain,26,");
	CHECK_HAS(text, "\nrender,26,");
	CHECK_HAS(text, "\ngpu,25,");
	CHECK_HAS(text, "\npresent,25,100.00,");
	CHECK_HAS(text, "\nunknown,6,,");    /* the fifth, and those whose record never came */
	snprintf(arguments, sizeof arguments, "info %s --format csv", file);
	CHECK_HAS(tracetool(arguments), "\nrecorder.completions_computed,13,");
	snprintf(arguments, sizeof arguments, "convert -q -f chrome -o - %s | grep Tracetool.FrameTiming | grep -c 0.8125", file);
	CHECK_STR(tracetool(arguments), "13\n");

	/* A gate over GPU times explains them by the frames that kept the GPU longest. */
	FILE *budget = fopen(check_path("budget.json"), "w");
	if (!CHECK(budget != NULL))
		return;
	fprintf(budget, "{ \"tracetool_budget\": 1, \"rows\": [ { \"id\": \"gpu\", \"metric\": \"frame.gpu\", \"stat\": \"max\", "
	    "\"max\": \"50ms\" } ] }");
	fclose(budget);
	snprintf(arguments, sizeof arguments, "stats --gate %s --explain gpu %s", check_path("budget.json"), file);
	text = tracetool(arguments);
	CHECK_HAS(text, "gpu: breach: 52.000 ms");
	for (int k = FRAMES - LATE; k > FRAMES - LATE - 5; k--) {
		snprintf(row, sizeof row, "\n  frame %d: ", k + 1);
		const char *at = strstr(text, row);
		if (CHECK(at != NULL))
			text = at;
	}
}

TEST(frame_timings_go_to_the_frames_they_are_about)
{
	in_player(timed);
}

/* --- facts ------------------------------------------------------------------------------ */

static void
facts(void)
{
	static char big[70000];
	char text[600];
	unity_load_fn *entry;

	load();
	/* It is loaded already; there are engines that ask twice. */
	entry = (unity_load_fn *)engine_symbol("UnityPluginLoad");
	entry(NULL);
	entry((struct unity_interfaces *)text);
	void (*meta)(const char *, const char *) = PLAY_CALL(tracetool_meta);
	meta("level", "one");
	meta("gone", "here");
	meta("", "no key");
	meta(NULL, "no key");
	meta("gone", NULL);
	meta("level", "two");
	meta("last", "three");
	memset(big, 'x', sizeof big - 1);
	meta("big", big);
	meta(big, "big");
	big[40000] = '\0';
	meta("first big", big);
	meta("second big", big);
	CHECK_EQ_INT(START(file, "ring=4M;meta=of=option"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	play(1);
	PLAY_CALL(tracetool_mark)(NULL);
	PLAY_CALL(tracetool_label)(NULL);
	CHECK_EQ_INT(STOP(), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	/* Behind the end nothing is recorded. */
	PLAY_CALL(tracetool_mark)("behind");
	PLAY_CALL(tracetool_frame_timings)(&(struct tracetool_frame_timing){ .age = 1 }, 1, 1);
	/* The message as far as there is room, and its length. */
	char few[5] = "....";
	int32_t n = PLAY_CALL(tracetool_message)(few, sizeof few);
	CHECK_EQ_INT(strncmp(few, message(), 4) == 0 && few[4] == '\0', 1);
	CHECK_EQ_INT(n, (long)strlen(message()));
	CHECK_EQ_INT(PLAY_CALL(tracetool_message)(NULL, 0), n);
	memset(few, '.', 4);
	CHECK_EQ_INT(PLAY_CALL(tracetool_message)(few, 0), n);
	CHECK_EQ_INT(few[0], '.');
	/* Counts as far as the caller knows them. */
	struct tracetool_counts c = { .dropped = 77 };
	PLAY_CALL(tracetool_counts)(&c, sizeof c.events);
	CHECK_EQ_INT(c.events, counts().events);
	CHECK_EQ_INT(c.dropped, 77);
	PLAY_CALL(tracetool_counts)(&c, 0);
	PLAY_CALL(tracetool_counts)(NULL, sizeof c);
	engine_unload(true);
	snprintf(text, sizeof text, "info %s --format csv", file);
	const char *info = tracetool(text);
	CHECK_HAS(info, "\nlevel,two,");
	CHECK_HAS(info, "\nlast,three,");
	CHECK_HAS(info, "\nof,option,");
	CHECK_HAS(info, "\nfirst big,xxx");
	CHECK(!strstr(info, "gone") && !strstr(info, "second big") && !strstr(info, "no key") && !strstr(info, "\nbig,"));
	CHECK_HAS(info, "\nsingle,1,");      /* the mark */
}

/* Each label and fact that is told while a capture runs is there with its time, not the last ones alone. */
static void
facts_in_turn(void)
{
	char text[700];

	load();
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	for (int i = 0; i < 4; i++) {
		PLAY_CALL(tracetool_label)(i % 2 ? "fight" : "menu");
		PLAY_CALL(tracetool_meta)("wave", i < 2 ? "one" : "two");
		play(3);
	}
	engine_unload(true);
	snprintf(text, sizeof text, "stats -q %s --table facts --limit 0 --format csv | grep -o 'label,[a-z]*\\|wave,[a-z]*' | tr '\\n' ' '", file);
	CHECK_STR(tracetool(text), "label,menu wave,one label,fight wave,one label,menu wave,two label,fight wave,two ");
	snprintf(text, sizeof text, "convert -q -f csv -o - %s --from-label fight --to-label menu | grep -c '^zone.*,Work,'", file);
	CHECK_STR(tracetool(text), "300\n");
}

TEST(facts_are_those_last_told)
{
	in_player(facts);
}

TEST(facts_have_their_times)
{
	in_player(facts_in_turn);
}
