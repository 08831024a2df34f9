/* Names in captures of the real plug-in: many markers and labels, long names, threads, categories; what has no place is counted. */
#include <pthread.h>

#include "player.h"

static void
many_markers(void)
{
	enum { MANY = 6000 };
	static char name[MANY][16];

	load();
	CHECK_EQ_INT(START(file, "ring=16M;no-names=M1*"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	uint64_t before = counts().markers, filtered = counts().filtered;
	for (int i = 0; i < MANY; i++) {
		snprintf(name[i], sizeof name[i], "M%d", i);
		engine_emit(engine_marker(name[i], 1, 0), UNITY_SINGLE, 0, NULL);
	}
	/* 1, 10 to 19, 100 to 199, 1000 to 1999 */
	CHECK_EQ_INT(counts().filtered, filtered + 1111);
	CHECK_EQ_INT(counts().markers, before + MANY - 1111);
	/* Another of a number that there is: both count. */
	engine_marker_as(engine_marker_at(300)->id, "Twin", 1, 0);
	CHECK_EQ_INT(counts().markers, before + MANY - 1111 + 1);
	STOP();
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	CHECK_EQ_INT(counts().dropped, 0);
	engine_unload(true);
	char text[600];
	snprintf(text, sizeof text, "info %s --format csv", file);
	CHECK_HAS(tracetool(text), "\nrecorder.ids_reused,1,");
}

/* Labels are zones of their own name as far as there is room for any, and have their text with each zone beyond it. */
static void
many_labels(void)
{
	enum { MANY = 70000 };

	load();
	const struct unity_marker *label = engine_marker("Profiler.Default", 24, UNITY_M_SCRIPT);
	CHECK_EQ_INT(START(file, "ring=16M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	for (int32_t i = 0; i < 2 * MANY; i++) {
		char text[16];
		uint16_t wide[16];
		int32_t object = i % 3 ? 0 : i, category = 0;
		uint32_t n = (uint32_t)snprintf(text, sizeof text, "label %d", (int)(i % MANY));

		for (uint32_t k = 0; k < n; k++)
			wide[k] = (uint8_t)text[k];
		engine_emit(label, UNITY_BEGIN, 3, (struct unity_value[3]){ { .type = UNITY_T_I32, .size = 4, .data = &object },
			{ .type = UNITY_T_TEXT16, .size = 2 * n, .data = wide }, { .type = UNITY_T_I32, .size = 4, .data = &category } });
		engine_emit(label, UNITY_END, 0, NULL);
		if (i % 1000 == 0)
			play(1);
	}
	STOP();
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	uint64_t dropped = counts().dropped;
	engine_unload(true);
	char text[700];
	snprintf(text, sizeof text, "stats -q %s --table markers --limit 0 --format csv | awk -F, "
	    "'/^label /{n++} /^(label |Profiler.Default,)/{c+=$6} END{print n, c}'", file);
	unsigned named = 0, calls = 0;
	CHECK_EQ_INT(sscanf(tracetool(text), "%u %u", &named, &calls), 2);
	CHECK_EQ_INT(dropped, 0);
	CHECK_EQ_INT(named, 65536);
	CHECK_EQ_INT(calls, 2 * MANY);
	snprintf(text, sizeof text, "info %s", file);
	CHECK_HAS(tracetool(text), "8928 zones have their label as an argument only: there are more than 65536");
	/* The last one has its text all the same. */
	snprintf(text, sizeof text, "convert -q -f chrome -o - %s | grep -c '\"text\":\"label 69999\"'", file);
	CHECK_STR(tracetool(text), "2\n");
}

/* What has no place of its own is counted, or kept among the arguments. */
static void
counted(void)
{
	static char long_text[5001];
	int32_t object = 0, category = 27, more = 471108;
	struct unity_value label[] = { { .type = UNITY_T_I32, .size = 4, .data = &object },
		{ .type = UNITY_T_TEXT, .size = 6, .data = "labels" }, { .type = UNITY_T_I32, .size = 4, .data = &category },
		{ .type = UNITY_T_I32, .size = 4, .data = &more } };

	memset(long_text, 'a', sizeof long_text - 1);
	load();
	const struct unity_marker *alloc = engine_marker("GC.Alloc", 23, 0), *own = engine_marker("Tracetool.Game", 1, 0),
	    *reserved = engine_marker("Tracetool.Mark", 1, 0), *begin = engine_marker("Profiler.Default", 24, UNITY_M_SCRIPT);
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	for (int i = 0; i < 3; i++)
		engine_emit(alloc, UNITY_BEGIN, 0, NULL);
	engine_emit(reserved, UNITY_SINGLE, 0, NULL);
	for (int i = 0; i < 2; i++)
		engine_emit(own, UNITY_SINGLE, 1,
		    &(struct unity_value){ .type = UNITY_T_TEXT, .size = sizeof long_text - 1, .data = long_text });
	/* Definitions are cut as values are. */
	PLAY_CALL(tracetool_label)(long_text);
	PLAY_CALL(tracetool_meta)("long", long_text);
	engine_emit(engine_marker(long_text, 1, 0), UNITY_SINGLE, 0, NULL);
	engine_emit(begin, UNITY_BEGIN, 4, label);
	engine_emit(begin, UNITY_END, 0, NULL);
	engine_unload(true);
	char text[600];
	snprintf(text, sizeof text, "info %s --format csv", file);
	const char *info = tracetool(text);
	CHECK_HAS(info, "\nrecorder.allocations_sizeless,3,");
	CHECK_HAS(info, "\nrecorder.markers_reserved,1,");
	CHECK_HAS(info, "5 texts and blobs were cut: a capture holds 4000 bytes of each");
	snprintf(text, sizeof text, "stats -q --table loss --format csv %s", file);
	CHECK_HAS(tracetool(text), "\nnoted,info,");
	CHECK_HAS(tracetool(text), ",5,");
	snprintf(text, sizeof text, "convert -q -f csv -o - %s", file);
	const char *events = tracetool(text);
	CHECK(strstr(events, "Tracetool.Game"));
	CHECK(strstr(events, "UI Render"));   /* nobody described it */
	CHECK(!strstr(events, "Tracetool.Mark"));
	snprintf(text, sizeof text, "convert -q -f chrome -o - %s", file);
	CHECK(strstr(tracetool(text), "471108"));
}

TEST(what_has_no_place_is_counted)
{
	in_player(counted);
}

static uint64_t ids[2];

static void *
named_thread(void *arg)
{
	bool describes = arg != NULL;

	ids[!describes] = engine_self();
	if (describes)
		engine_thread("", "Loader");
	engine_emit(engine_marker(describes ? "Load" : "Other", 1, 0), UNITY_SINGLE, 0, NULL);
	return NULL;
}

/* A thread that ended has given its id to one that nobody describes. */
static void
ids_of_the_dead(void)
{
	pthread_t id;

	load();
	for (int i = 0; i < 2; i++) {
		CHECK_EQ_INT(START(file, "ring=4M;overwrite=yes"), TRACETOOL_OK);
		CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
		pthread_create(&id, NULL, named_thread, i == 0 ? "it" : NULL);
		pthread_join(id, NULL);
		STOP();
		CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
		char text[600];
		snprintf(text, sizeof text, "info %s --format csv", file);
		CHECK_EQ_INT(strstr(tracetool(text), "\nLoader,") != NULL, i == 0);
	}
	if (ids[0] != ids[1])
		printf("the system gave no id twice\n");
	engine_unload(true);
}

TEST(a_thread_has_not_the_name_of_a_dead_one)
{
	in_player(ids_of_the_dead);
}

/* A built-in category that was described before the library was loaded has a name all the same. */
static void
undescribed_category(void)
{
	load();
	const struct unity_marker *draw = engine_marker("Draw", 0, 0), *step = engine_marker("Step", 5, 0);
	CHECK_EQ_INT(START(file, "ring=4M;categories=Render"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	engine_emit(draw, UNITY_SINGLE, 0, NULL);
	engine_emit(step, UNITY_SINGLE, 0, NULL);
	engine_unload(true);
	char text[600];
	snprintf(text, sizeof text, "convert -q -f csv -o - %s", file);
	const char *events = tracetool(text);
	CHECK_HAS(events, "Draw");
	CHECK(!strstr(events, "Step"));
}

TEST(filters_know_built_in_categories)
{
	in_player(undescribed_category);
}

TEST(more_labels_than_have_keys)
{
	in_player(many_labels);
}

static void
long_names(void)
{
	static char name[5000];
	char text[600];

	load();
	/* "é" has two bytes: a name is cut before one that does not fit, and that is told. */
	for (int i = 0; i < 2499; i++)
		memcpy(name + 1 + 2 * i, "é", 2);
	name[0] = 'N';
	engine_thread("Players", name);
	CHECK_EQ_INT(START(file, "ring=4M"), TRACETOOL_OK);
	CHECK_EQ_INT(play_until(TRACETOOL_CAPTURING), 0);
	play(1);
	engine_thread_as(4712, NULL, NULL);
	engine_emit(engine_marker(NULL, 1, 0), UNITY_SINGLE, 0, NULL);
	STOP();
	CHECK_EQ_INT(play_until(TRACETOOL_IDLE), 0);
	engine_unload(true);
	snprintf(text, sizeof text, "info %s --format csv", file);
	const char *info = tracetool(text), *at = strstr(info, "Né");
	CHECK(at != NULL);
	size_t n = at ? strcspn(at, ",") : 0;
	CHECK_EQ_INT(n, 3999);
	CHECK_HAS(info, "1 text or blob was cut: a capture holds 4000 bytes of each");
	CHECK_EQ_INT(at && strncmp(at, name, n) == 0, 1);
	CHECK_HAS(info, "\nrecorder.markers_nameless,1,");
}

TEST(names_are_cut_between_characters)
{
	in_player(long_names);
}

TEST(more_markers_than_the_table_had_room_for)
{
	in_player(many_markers);
}
