/* Tests of out/table.h: sorting, columns, rows that become one, and errors. */
#include "table_kit.h"

TEST(sorting_is_total_and_empty_cells_come_last)
{
	struct tt_report r;
	struct tt_table *t;

	tt_report_init(&r, &mem);
	t = table(&r, "markers");
	row(t, "b", 1, 5, -1);
	row(t, "a", 1, 5, 7);
	row(t, "c", 2, 9, 7);
	CHECK_EQ_INT(tt_table_sort(t, "share", &err), TT_OK);
	CHECK_STR(t->cell[0].s, "a");
	CHECK_STR(t->cell[NCOL].s, "c");
	CHECK_STR(t->cell[2 * NCOL].s, "b");
	CHECK_EQ_INT(tt_table_sort(t, "-share", &err), TT_OK);
	CHECK_STR(t->cell[2 * NCOL].s, "b");
	CHECK_EQ_INT(tt_table_sort(t, "self_ns", &err), TT_OK);
	CHECK_STR(t->cell[0].s, "c");
	CHECK_STR(t->cell[NCOL].s, "a");
	CHECK_EQ_INT(tt_table_sort(t, "-marker", &err), TT_OK);
	CHECK_STR(t->cell[0].s, "c");
	CHECK_EQ_INT(tt_table_sort(t, "nonsense", &err), TT_E_USAGE);
	CHECK_HAS(err.msg, "marker, count, self_ns, share");
	tt_report_free(&r);
}

/* Rows of few groups in any order: against sums made by hand. Bits of the columns: marker 1, count 2, self_ns 4, share 8. */
TEST(rows_that_are_alike_become_one_with_their_sums)
{
	enum { GROUPS = 7, ROWS = 200 };
	static const char *const names[GROUPS] = { "e", "b", "a", "g", "c", "f", "d" };
	int64_t n[GROUPS] = { 0 }, ns[GROUPS] = { 0 }, rows[GROUPS] = { 0 };
	uint64_t seed = 3;

	for (int counted = 0; counted < 2; counted++) {
		struct tt_report r;
		struct tt_table *t;

		memset(n, 0, sizeof n);
		memset(ns, 0, sizeof ns);
		memset(rows, 0, sizeof rows);
		tt_report_init(&r, &mem);
		t = table(&r, "markers");
		for (int i = 0; i < ROWS; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			const size_t k = (seed >> 33) % GROUPS;
			const bool empty = (seed >> 40) % 5 == 0;

			row(t, names[k], 1 + i % 3, 10 * i, 99);
			if (empty)
				t->cell[(t->nrow - 1) * NCOL + 2].empty = true;
			n[k] += 1 + i % 3;
			ns[k] += empty ? 0 : 10 * i;
			rows[k]++;
		}
		/* With the last column in the sum it is added up; else it has how many rows there were. */
		tt_table_group(t, 1, counted ? 4 : 2 | 8);
		CHECK_EQ_INT(t->nrow, GROUPS);
		for (size_t i = 0; i < t->nrow; i++) {
			const struct tt_cell *c = t->cell + i * NCOL;
			size_t k = 0;

			while (k < GROUPS - 1 && strcmp(names[k], c[0].s) != 0)
				k++;
			CHECK_STR(c[0].s, names[k]);
			CHECK(i == 0 || strcmp(c[0].s, c[-(int)NCOL].s) > 0);
			if (counted) {
				CHECK(c[1].empty);
				CHECK(c[2].empty ? ns[k] == 0 : c[2].v == ns[k]);
				CHECK_EQ_INT(c[3].v, rows[k]);
			} else {
				CHECK_EQ_INT(c[1].v, n[k]);
				CHECK(c[2].empty);
				CHECK_EQ_INT(c[3].v, 99 * rows[k]);
			}
		}
		tt_report_free(&r);
	}
}

/* Rows in any order, many of them alike in the column of the order: those that are kept are the first of all that were sorted, and the others are counted. */
TEST(rows_that_are_kept_are_the_first_of_all)
{
	enum { ROWS = 500 };
	static char name[ROWS][8];
	static const char *const order[] = { "self_ns", "-self_ns", "marker", "share" };

	for (size_t by = 0; by < sizeof order / sizeof *order; by++) {
		for (size_t keep = 1; keep < ROWS + 50; keep = keep * 3 + 1) {
			struct tt_report r;
			uint64_t seed = keep + by;
			struct tt_table *all, *some;

			tt_report_init(&r, &mem);
			all = table(&r, "all");
			some = table(&r, "some");
			tt_table_keep(some, order[by], keep);
			for (int i = 0; i < ROWS; i++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				snprintf(name[i], sizeof name[i], "%d", (int)(seed >> 33) % ROWS);
				row(all, name[i], i, (int64_t)(seed >> 40) % 9, i % 3 - 1);
				row(some, name[i], i, (int64_t)(seed >> 40) % 9, i % 3 - 1);
				CHECK(some->nrow <= 2 * keep + 1);
				if (tt_row_is_cut(some, 1))
					some->cell[(some->nrow - 1) * NCOL + 1].empty = true;
			}
			CHECK_EQ_INT(tt_table_sort(all, order[by], &err), TT_OK);
			CHECK_EQ_INT(tt_table_sort(some, order[by], &err), TT_OK);
			tt_table_limit(all, keep);
			tt_table_limit(some, keep);
			CHECK_EQ_INT(some->nrow, all->nrow);
			CHECK_EQ_INT(some->hidden, all->hidden);
			for (size_t i = 0; i < all->nrow * NCOL && i < some->nrow * NCOL; i++) {
				CHECK_EQ_INT(some->cell[i].empty, all->cell[i].empty);
				CHECK(some->cell[i].s == all->cell[i].s && some->cell[i].v == all->cell[i].v);
			}
			tt_report_free(&r);
		}
	}
}

TEST(groups_of_one_name_differ_by_their_number)
{
	struct tt_report r;
	struct tt_table *t;

	tt_report_init(&r, &mem);
	t = table(&r, "markers");
	for (uint32_t i = 0; i < 6; i++) {
		struct tt_cell *c = tt_row(t);

		/* Two workers of one name, and rows that are in no group. */
		if (i < 4)
			tt_cell_group(&c[0], "Worker", 7 + i % 2);
		tt_cell_int(&c[1], 1 << i);
	}
	tt_table_group(t, 1, 2);
	CHECK_EQ_INT(t->nrow, 3);
	CHECK(!t->cell[0].empty && !t->cell[NCOL].empty && t->cell[2 * NCOL].empty);
	CHECK_EQ_INT(t->cell[1].v, 1 + 4);
	CHECK_EQ_INT(t->cell[NCOL + 1].v, 2 + 8);
	CHECK_EQ_INT(t->cell[2 * NCOL + 1].v, 16 + 32);
	CHECK_EQ_INT(t->cell[3].v, 2);
	CHECK_EQ_INT(t->cell[2 * NCOL + 3].v, 2);
	tt_report_free(&r);
}

TEST(select_keeps_what_is_named_and_drops_extras_by_default)
{
	static const char *const ids[] = { "two", "three", NULL };
	struct tt_report r;

	tt_report_init(&r, &mem);
	row(table(&r, "one"), "a", 1, 2, 3);
	table(&r, "two")->extra = true;
	table(&r, "three");
	tt_report_select(&r, ids);
	CHECK_STR(r.first->id, "two");
	CHECK_STR(r.first->next->id, "three");
	CHECK(r.last == r.first->next && !r.last->next);
	tt_report_select(&r, NULL);
	CHECK(r.first == r.last);
	CHECK_STR(r.first->id, "three");
	table(&r, "four");
	CHECK_STR(r.first->next->id, "four");
	tt_report_free(&r);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(a_failed_allocation_is_reported_and_leaks_nothing)
{
	struct tt_report r;
	struct tt_cell *c;
	struct tt_table *t;

	tt_report_init(&r, &mem);
	t = table(&r, "markers");
	CHECK_EQ_INT(tt_report_error(&r, &err), TT_OK);
	mem.cap = mem.used;
	c = tt_row(t);
	CHECK(c[0].empty && c[NCOL - 1].empty);
	CHECK_EQ_INT(t->nrow, 0);
	CHECK_EQ_INT(tt_report_error(&r, &err), TT_E_LIMIT);
	mem.cap = 0;
	tt_report_free(&r);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(after_an_error_everything_can_be_written_and_nothing_is_kept)
{
	const struct tt_render_opts o = { .form = TT_RENDER_JSON };
	struct tt_report r;
	struct tt_buf b = { 0 };
	struct tt_cell *c;
	struct tt_table *t;

	tt_report_init(&r, &mem);
	t = table(&r, "whole");
	mem.cap = mem.used;
	tt_row(t);
	mem.cap = 0;
	t = tt_report_table(&r, "late", "Late", cols, NCOL);
	c = tt_row(t);
	tt_cell_text(&c[0], tt_text(&r, "%d of %s", 3, "them"));
	CHECK_STR(c[0].s, "");
	CHECK_STR(tt_text_of(&r, "abc", 3), "");
	tt_cell_int(&tt_row(t)[NCOL - 1], 7);
	CHECK_EQ_INT(t->nrow, 0);
	tt_report_note(&r, "info", "x", "y");
	CHECK(r.first == r.last && !r.note);
	err.code = TT_OK;
	CHECK_EQ_INT(tt_render(&r, &o, &b, &err), TT_E_LIMIT);
	CHECK_EQ_INT(err.code, TT_E_LIMIT);
	CHECK_EQ_INT(b.n, 0);
	tt_buf_free(&b);
	tt_report_free(&r);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(values_of_several_units_are_sorted_as_numbers)
{
	static const struct tt_col two[] = { { "name", "name", TT_UNIT_TEXT, "" }, { "last", "last", TT_UNIT_VALUE, "" } };
	static const struct { const char *name; enum tt_unit unit; int64_t v; } in[] = {
		{ "two", TT_UNIT_MILLI, 2000 }, { "half", TT_UNIT_PERCENT, 50 }, { "three", TT_UNIT_COUNT, 3 }, { "2.5", TT_UNIT_PERCENT, 250 },
		{ "one", TT_UNIT_MILLI, 1000 },
	};
	static const char *const want[] = { "three", "2.5", "two", "one", "half" };
	struct tt_report r;
	struct tt_table *t = NULL;
	struct tt_cell *c;

	tt_report_init(&r, &mem);
	t = tt_report_table(&r, "counters", "Counters", two, 2);
	for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
		c = tt_row(t);
		tt_cell_text(&c[0], in[i].name);
		tt_cell_value(&c[1], in[i].unit, in[i].v);
	}
	CHECK_EQ_INT(tt_table_sort(t, "last", &err), TT_OK);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		CHECK_STR(t->cell[2 * i].s, want[i]);
	tt_report_free(&r);
}

TEST(a_column_that_is_missing_is_told_however_many_there_are)
{
	static struct tt_col many[60];
	static char id[60][16];
	struct tt_report r;
	struct tt_table *t = NULL;

	for (int i = 0; i < 60; i++) {
		snprintf(id[i], sizeof id[i], "column_%d", i);
		many[i] = (struct tt_col){ id[i], id[i], TT_UNIT_COUNT, "" };
	}
	tt_report_init(&r, &mem);
	t = tt_report_table(&r, "wide", "Wide", many, 60);
	CHECK_EQ_INT(tt_table_sort(t, "colum", &err), TT_E_USAGE);
	CHECK_HAS(err.msg, "table wide has no column \"colum\"; it has column_0, column_1");
	tt_report_free(&r);
}

TEST(facts_are_neither_sorted_nor_cut)
{
	struct tt_report r;
	struct tt_table *t;

	tt_report_init(&r, &mem);
	t = table(&r, "facts");
	t->facts = true;
	row(t, "wall", 1, 2, -1);
	row(t, "CPU", 5, 6, -1);
	CHECK_EQ_INT(tt_table_sort(t, "no such column", &err), TT_OK);
	CHECK_EQ_INT(tt_table_sort(t, "count", &err), TT_OK);
	tt_table_limit(t, 1);
	CHECK_STR(t->cell[0].s, "wall");
	CHECK_EQ_INT((intmax_t)t->nrow, 2);
	CHECK_EQ_INT((intmax_t)t->hidden, 0);
	t->facts = false;
	CHECK_EQ_INT(tt_table_sort(t, NULL, &err), TT_OK);
	tt_table_limit(t, 0);
	CHECK_STR(t->cell[0].s, "wall");
	CHECK_EQ_INT((intmax_t)t->nrow, 2);
	tt_report_free(&r);
}

TEST(a_report_without_a_table_is_none)
{
	struct tt_report r;

	tt_report_init(&r, &mem);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_TEXT }, "");
	tt_report_init(&r, &mem);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_CSV }, "");
	tt_report_init(&r, &mem);
	expect(&r, (struct tt_render_opts){ .form = TT_RENDER_JSON },
	    "{\"tracetool_report\":1,\n\"generator\":\"tracetool\",\n\"notes\":[],\n\"tables\":{}}\n");
}

TEST(a_column_is_called_by_its_id_or_its_heading)
{
	static const struct tt_col col[] = {
		{ "total_ns", "self", TT_UNIT_NS, NULL }, { "self", "own", TT_UNIT_NS, NULL }, { "share", "part", TT_UNIT_PERCENT, NULL },
	};

	CHECK_EQ_INT(tt_column_called(col, 3, "self"), 1);
	CHECK_EQ_INT(tt_column_called(col, 3, "Own"), 1);
	CHECK_EQ_INT(tt_column_called(col, 3, "part"), 2);
	CHECK_EQ_INT(tt_column_called(col, 3, "Part %"), 2);
	CHECK_EQ_INT(tt_column_called(col, 3, "own %"), 3);
	CHECK_EQ_INT(tt_column_called(col, 3, "par"), 3);
	CHECK_EQ_INT(tt_column_called(col, 3, ""), 3);
}
