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
