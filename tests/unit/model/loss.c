/* Tests of model/loss.h. */
#include "check.h"

#include "base/err.h"
#include "model/loss.h"

TEST(every_kind_has_an_id_of_its_own_a_text_and_advice)
{
	for (int k = 0; k < TT_LOST_KINDS; k++) {
		const struct tt_loss_info *i = &tt_loss_info[k];

		CHECK(i->id && i->text && i->advice);
		CHECK(i->advice[strlen(i->advice) - 1] == '.');
		for (int j = 0; j < k; j++)
			CHECK(strcmp(i->id, tt_loss_info[j].id) != 0);
	}
}

TEST(joining_adds_and_keeps_the_first_place)
{
	struct tt_loss a, b;

	tt_loss_reset(&a);
	tt_loss_reset(&b);
	CHECK(!a.any);
	tt_loss_add(&a, TT_LOST_SYNC, 0, 0, 5);
	CHECK(!a.any);
	tt_loss_add(&a, TT_LOST_SYNC, 1, 10, 900);
	tt_loss_add(&b, TT_LOST_SYNC, 2, 20, 100);
	tt_loss_add(&b, TT_LOST_POPPED, 1, 0, TT_NOWHERE);
	tt_loss_join(&a, &b);
	CHECK_EQ_INT(a.e[TT_LOST_SYNC].n, 3);
	CHECK_EQ_INT(a.e[TT_LOST_SYNC].bytes, 30);
	CHECK_EQ_INT(a.e[TT_LOST_SYNC].first_at, 100);
	CHECK(a.e[TT_LOST_POPPED].first_at == TT_NOWHERE);
	tt_loss_reset(&b);
	tt_loss_join(&b, &a);
	CHECK_EQ_INT(b.e[TT_LOST_SYNC].first_at, 100);
}

TEST(of_flight_recordings_the_shortest_part_is_told)
{
	struct tt_loss a, b;
	char room[TT_LOSS_ADVICE];

	tt_loss_reset(&a);
	tt_loss_reset(&b);
	struct tt_loss_info none = tt_loss_info_of(&a, TT_LOST_SHORT);
	CHECK_STR(tt_loss_advice(&none, room), "Record with a larger ring, or less.");
	tt_loss_note_flight(&a, 900, 10000, 50u << 20);
	tt_loss_note_flight(&b, 84, 10000, 1000u << 20);
	tt_loss_note_flight(&b, 20, 40, 3u << 20);
	tt_loss_join(&a, &b);
	CHECK_EQ_INT(a.e[TT_LOST_SHORT].n, 3);
	struct tt_loss_info i = tt_loss_info_of(&a, TT_LOST_SHORT);
	CHECK_STR(tt_loss_advice(&i, room), "It had room for 84 ms of 10000 ms; about 1001 MB have it for all. Record with a larger ring, or less.");
	i = tt_loss_info_of(&a, TT_LOST_DROPPED);
	CHECK(!strstr(tt_loss_advice(&i, room), "room for 84"));
}

TEST(only_damage_of_the_input_counts_as_damage)
{
	struct tt_loss l;

	tt_loss_reset(&l);
	CHECK(!tt_loss_damaged(&l));
	tt_loss_add(&l, TT_LOST_NOT_ENDED, 1, 0, TT_NOWHERE);
	tt_loss_add(&l, TT_LOST_POPPED, 7, 0, TT_NOWHERE);
	CHECK(!tt_loss_damaged(&l));
	tt_loss_add(&l, TT_LOST_CUT, 1, 0, 12);
	CHECK(tt_loss_damaged(&l));
}

TEST(a_count_never_begins_anew)
{
	struct tt_loss l;

	tt_loss_reset(&l);
	tt_loss_add(&l, TT_LOST_DROPPED, UINT64_MAX - 1, 0, TT_NOWHERE);
	tt_loss_add(&l, TT_LOST_DROPPED, 2, 0, TT_NOWHERE);
	CHECK(l.e[TT_LOST_DROPPED].n == UINT64_MAX);
}
