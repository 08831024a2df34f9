/* Tests of tables whose rows come in parts while they are written: tt_table_stream(). */
#include "table_kit.h"

/* Rows in parts of three, with a text that is made for the part. */
struct numbers {
	struct tt_stream stream;
	unsigned at, n;
	int ended;
};

static bool
more_numbers(struct tt_stream *s, struct tt_table *t)
{
	struct numbers *x = (struct numbers *)s;

	for (unsigned i = 0; i < 3 && x->at < x->n; i++, x->at++) {
		struct tt_cell *c = tt_row(t);
		tt_cell_text(&c[0], tt_text(t->r, "row %u", x->at));
		tt_cell_int(&c[1], x->at * 7 % 10);
	}
	return t->nrow > 0;
}

static void
rewind_numbers(struct tt_stream *s, struct tt_table *t)
{
	(void)t;
	((struct numbers *)s)->at = 0;
}

static void
end_numbers(struct tt_stream *s)
{
	((struct numbers *)s)->ended++;
}

static struct tt_table *
stream(struct tt_report *r, struct numbers *x, unsigned n)
{
	struct tt_table *t = table(r, "markers");

	*x = (struct numbers){ .stream = { .more = more_numbers, .rewind = rewind_numbers, .end = end_numbers }, .n = n };
	t->empty_reason = "no rows";
	tt_table_stream(t, &x->stream);
	return t;
}

/* The same rows, held. */
static void
held(struct tt_report *r, unsigned n)
{
	struct tt_table *t = table(r, "markers");

	t->empty_reason = "no rows";
	for (unsigned i = 0; i < n; i++) {
		struct tt_cell *c = tt_row(t);
		tt_cell_text(&c[0], tt_text(r, "row %u", i));
		tt_cell_int(&c[1], i * 7 % 10);
	}
}

static int
append(void *arg, const char *p, size_t n, struct tt_err *e)
{
	(void)e;
	tt_buf_add(arg, p, n);
	return TT_OK;
}

TEST(rows_of_a_stream_look_like_rows_that_are_held)
{
	for (unsigned n = 0; n < 9; n++) {
		for (int form = TT_RENDER_TEXT; form <= TT_RENDER_MARKDOWN; form++) {
			const struct tt_render_opts o = { .form = (enum tt_render)form, .csv_sep = ',', .width = n % 2 ? 40 : 0 };
			struct tt_report a, b;
			struct tt_buf want = { 0 }, got = { 0 };
			struct numbers x;

			tt_report_init(&a, &mem);
			tt_report_init(&b, &mem);
			held(&a, n);
			stream(&b, &x, n);
			CHECK_EQ_INT(tt_render(&a, &o, &want, &err), TT_OK);
			CHECK_EQ_INT(tt_render(&b, &o, &got, &err), TT_OK);
			CHECK_STR(tt_buf_string(&got), tt_buf_string(&want));
			got.n = 0;            /* once more */
			CHECK_EQ_INT(tt_render(&b, &o, &got, &err), TT_OK);
			CHECK_STR(tt_buf_string(&got), tt_buf_string(&want));
			tt_buf_free(&want);
			tt_buf_free(&got);
			tt_report_free(&a);
			tt_report_free(&b);
			CHECK_EQ_INT(x.ended, 1);
			CHECK_EQ_INT(mem.used, 0);
		}
	}
}

TEST(a_stream_that_is_sorted_or_limited_is_as_held_rows_are)
{
	static const char *const by[] = { NULL, "count", "-count", "marker" };

	for (unsigned i = 0; i < 4; i++) {
		for (size_t limit = 0; limit < 12; limit++) {
			struct tt_report a, b;
			struct tt_buf want = { 0 }, got = { 0 };
			struct numbers x;

			tt_report_init(&a, &mem);
			tt_report_init(&b, &mem);
			held(&a, 40);
			struct tt_table *t = stream(&b, &x, 40);
			CHECK_EQ_INT(tt_table_sort(a.first, by[i], &err), TT_OK);
			CHECK_EQ_INT(tt_table_sort(t, by[i], &err), TT_OK);
			tt_table_limit(a.first, limit);
			tt_table_limit(t, limit);
			CHECK_EQ_INT(t->hidden, a.first->hidden);
			CHECK_EQ_INT(tt_render(&a, &(struct tt_render_opts){ .form = TT_RENDER_TEXT }, &want, &err), TT_OK);
			CHECK_EQ_INT(tt_render(&b, &(struct tt_render_opts){ .form = TT_RENDER_TEXT }, &got, &err), TT_OK);
			CHECK_STR(tt_buf_string(&got), tt_buf_string(&want));
			tt_buf_free(&want);
			tt_buf_free(&got);
			tt_report_free(&a);
			tt_report_free(&b);
			CHECK_EQ_INT(x.ended, 1);
			CHECK_EQ_INT(mem.used, 0);
		}
	}
}

TEST(a_stream_is_written_while_it_is_rendered)
{
	for (int form = TT_RENDER_TEXT; form <= TT_RENDER_MARKDOWN; form++) {
		struct tt_buf all = { 0 }, rest = { 0 }, whole = { 0 };
		struct tt_render_opts o = { .form = (enum tt_render)form, .csv_sep = ',' };
		struct tt_report r;
		struct numbers x;

		tt_report_init(&r, &mem);
		stream(&r, &x, 200000);
		CHECK_EQ_INT(tt_render(&r, &o, &whole, &err), TT_OK);
		const size_t before = mem.used;
		mem.peak = before;
		o.write = append;
		o.arg = &all;
		CHECK_EQ_INT(tt_render(&r, &o, &rest, &err), TT_OK);
		CHECK(rest.n < 1 << 17);
		CHECK(mem.peak < before + (64 << 10));
		tt_buf_add(&all, rest.p, rest.n);
		CHECK(all.n == whole.n && memcmp(all.p, whole.p, all.n) == 0);
		tt_buf_free(&all);
		tt_buf_free(&rest);
		tt_buf_free(&whole);
		tt_report_free(&r);
		CHECK_EQ_INT(mem.used, 0);
	}
}
