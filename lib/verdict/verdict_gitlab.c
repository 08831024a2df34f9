/**
 * A verdict's figures as GitLab's metrics report: OpenMetrics text, which merge requests show beside the target branch's.
 *
 * GitLab (Gitlab::Ci::Parsers::Metrics::Generic) cuts lines at '#' and splits them as a shell does, so labels hold no '#';
 * all other escapes are those of OpenMetrics.
 */
#include "verdict/verdict_as.h"

#include "base/utf8.h"
#include "gate/verdict.h"

static const char *
label(uint32_t c, char tmp[32])
{
	(void)tmp;
	switch (c) {
	case '\\':
		return "\\\\";
	case '"':
		return "\\\"";
	case '\n':
		return "\\n";
	case '#':
		return "\xef\xbc\x83";        /* a full-width number sign */
	case '`':
	case '$':
		return "_";
	default:
		return tt_utf8_control(c) ? "\xef\xbf\xbd" : NULL;
	}
}

static bool has_value(const struct tt_verdict_row *r) { return r->has_value; }
static int64_t get_value(const struct tt_verdict_row *r) { return r->value; }
static bool has_base(const struct tt_verdict_row *r) { return r->has_base; }
static int64_t get_base(const struct tt_verdict_row *r) { return r->base; }
static bool has_change(const struct tt_verdict_row *r) { return r->pairs > 0; }
static int64_t get_change(const struct tt_verdict_row *r) { return r->shift; }
static bool has_limit(const struct tt_verdict_row *r) { return r->has_limit; }
static int64_t get_limit(const struct tt_verdict_row *r) { return r->limit; }

static const struct family {
	const char *name, *help;
	bool (*has)(const struct tt_verdict_row *r);
	int64_t (*get)(const struct tt_verdict_row *r);
} families[] = {
	{ "tracetool_value", "figure of a row of the budget", has_value, get_value },
	{ "tracetool_baseline", "figure of the row in the baseline", has_base, get_base },
	{ "tracetool_change", "change of a row of an A/B run, by pairs", has_change, get_change },
	{ "tracetool_limit", "limit, or largest change allowed for rows against the baseline", has_limit, get_limit },
};

static void
sample(struct tt_buf *out, const struct family *f, const struct tt_verdict_row *r)
{
	char value[32];

	tt_buf_printf(out, "%s{row=\"", f->name);
	tt_verdict_put(out, r->name, label);
	*tt_put_base(value, f->get(r), r->dim) = '\0';
	tt_buf_printf(out, "\",unit=\"%s\"} %s\n", tt_dim_name[r->dim], value);
}

void
tt_verdict_as_gitlab(const struct tt_verdict *v, struct tt_buf *out)
{
	for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
		const struct family *f = &families[k];

		if (f->has == has_change && !v->ab)
			continue;
		tt_buf_printf(out, "# TYPE %s gauge\n# HELP %s %s\n", f->name, f->name, f->help);
		for (size_t i = 0; i < v->nrow; i++) {
			if (f->has(&v->row[i]))
				sample(out, f, &v->row[i]);
		}
	}
	tt_buf_text(out, "# TYPE tracetool_rows gauge\n# HELP tracetool_rows rows by outcome\n");
	for (unsigned i = 0; i < TT_OUTCOMES; i++)
		tt_buf_printf(out, "tracetool_rows{outcome=\"%s\"} %zu\n", tt_outcome_id[i], v->count[i]);
	tt_buf_printf(out, "# TYPE tracetool_rows_warned gauge\n# HELP tracetool_rows_warned breaches and worse rows of level warn\n"
	    "tracetool_rows_warned %zu\n", v->warned);
	if (v->nalert)
		tt_buf_text(out, "# TYPE tracetool_note gauge\n# HELP tracetool_note what the verdict lacks\n");
	for (size_t i = 0; i < v->nalert; i++) {
		tt_buf_text(out, "tracetool_note{text=\"");
		tt_verdict_put(out, v->remark[i], label);
		tt_buf_text(out, "\"} 1\n");
	}
	tt_buf_text(out, "# EOF\n");
}
