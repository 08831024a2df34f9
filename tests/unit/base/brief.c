/* Tests of base/brief.h: how long names are, and that they stay different. */
#include "check.h"

#include <string.h>

#include "base/brief.h"

static char name[3 * TT_BRIEF_MAX], other[sizeof name];

TEST(a_name_is_whole_up_to_the_limit)
{
	char room[TT_BRIEF_BYTES];

	memset(name, 'x', TT_BRIEF_MAX);
	name[TT_BRIEF_MAX] = '\0';
	CHECK(tt_brief_name(room, name) == name);
	CHECK(tt_brief_name(room, "") != room);
	strcpy(name + TT_BRIEF_MAX, "y");
	CHECK(tt_brief_name(room, name) == room);
	CHECK_EQ_INT(strlen(room), TT_BRIEF_MAX + strlen("…#0123456789abcdef"));
	CHECK(memcmp(room, name, TT_BRIEF_MAX) == 0);
	CHECK(memcmp(room + TT_BRIEF_MAX, "…#", strlen("…#")) == 0);
}

TEST(a_name_is_cut_between_characters)
{
	static const char *const character[] = { "é", "€", "😀" };

	for (size_t i = 0; i < sizeof character / sizeof *character; i++)
		for (size_t before = TT_BRIEF_MAX - 4; before <= TT_BRIEF_MAX; before++) {
			const size_t n = strlen(character[i]), kept = before + n <= TT_BRIEF_MAX ? before + n : before;
			char room[TT_BRIEF_BYTES];

			memset(name, 'x', before);
			strcpy(name + before, character[i]);
			strcat(name, "aaaaaaaa");
			const char *brief = tt_brief_name(room, name);
			CHECK(kept <= TT_BRIEF_MAX && memcmp(brief, name, kept) == 0);
			if (kept == before)
				CHECK(memcmp(brief + kept, "…#", strlen("…#")) == 0);
		}
	/* Bytes that are no text are cut somewhere. */
	memset(name, 0x80, 2 * TT_BRIEF_MAX);
	name[2 * TT_BRIEF_MAX] = '\0';
	CHECK_EQ_INT(strlen(tt_brief_name(other, name)), TT_BRIEF_MAX - 3 + strlen("…#0123456789abcdef"));
}

TEST(names_that_begin_alike_stay_different)
{
	char room[TT_BRIEF_BYTES], room2[TT_BRIEF_BYTES];

	memset(name, 'x', 2 * TT_BRIEF_MAX);
	memset(other, 'x', 2 * TT_BRIEF_MAX);
	strcpy(name + 2 * TT_BRIEF_MAX, "1");
	strcpy(other + 2 * TT_BRIEF_MAX, "2");
	CHECK(strcmp(tt_brief_name(room, name), tt_brief_name(room2, other)) != 0);
	strcpy(other, name);
	CHECK_STR(tt_brief_name(room, name), tt_brief_name(room2, other));
}
