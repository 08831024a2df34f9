/**
 * Reads the options of tracetool convert, those of the emitters among them.
 */
#include "convert_opts.h"

#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "emit/emit.h"

size_t
convert_emit_at(const struct tt_emit *e)
{
	size_t at = 0;

	for (size_t i = 0; tt_emits[i] && tt_emits[i] != e; i++)
		at += (tt_emits[i]->own + 15) / 16 * 16;
	return at;
}

static const char *
emit_value(size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (!tt_emits[k])
			return NULL;
	}
	return tt_emits[i] ? tt_emits[i]->name : NULL;
}

int
convert_add_output(struct convert_opts *c, const char *path, struct tt_arena *a, struct tt_err *err)
{
	char *own = tt_arena_alloc(a, convert_emit_at(NULL), err);

	if (!own)
		return err->code;
	memcpy(own, c->own, convert_emit_at(NULL));
	if (tt_arena_grow(a, &c->out, &c->capout, c->nout, sizeof *c->out, err) != TT_OK)
		return err->code;
	c->out[c->nout++] = (struct output){ .path = path, .format = c->format, .own = own };
	return TT_OK;
}

static int
set_output(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	(void)o;
	if (value[0] == '\0')
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "the output file has no name");
	return convert_add_output(field, value, a, err);
}

/* The ${i}th option of the emitters, each option once; its help begins with the emitter: "csv: use this separator". */
static bool
emit_option(size_t i, struct tt_opt_row *row)
{
	for (const struct tt_emit *const *e = tt_emits; *e; e++)
		for (const struct tt_option *t = (*e)->option; t && t->name; t++) {
			const struct tt_emit *const *of = tt_emits;
			char who[200] = "", *p = who;

			while (!tt_emit_option(*of, t->name))
				of++;
			if (of != e || i-- > 0)
				continue;
			for (; *of; of++)
				if (tt_emit_option(*of, t->name) && p < who + sizeof who - 40)
					p += snprintf(p, sizeof who - (size_t)(p - who), "%s%s", p > who ? ", " : "", (*of)->name);
			strcpy(p, ": ");
			tt_opts_row(t, who, row);
			return true;
		}
	return false;
}

static int
set_emit_option(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct convert_opts *c = field;
	int rc = TT_OK;

	for (const struct tt_emit *const *e = tt_emits; *e && rc == TT_OK; e++) {
		const struct tt_option *t = tt_emit_option(*e, o->name);

		if (t)
			rc = tt_opts_read(t, c->own + convert_emit_at(*e) + t->at, value, a, err);
	}
	return rc;
}

static const struct tt_opt output_opt[] = {
	{ .letter = 'o', .name = "output", .arg = "FILE", .set = set_output,
	    .help = "write to FILE (\"-\": standard output); its suffix selects the format; a further .gz .xz .zst .bz2 .lz4 "
	            "compresses; repeatable: the input is read once" },
	{ .letter = 'f', .name = "format", .arg = "FORMAT", .set = tt_opt_text, .at = offsetof(struct convert_opts, format), .value = emit_value,
	    .help = "set the format of the outputs that follow; a single one applies to all, wherever it is" },
	{ .list_row = emit_option, .set = set_emit_option },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Output", output_opt, 0 },
	INPUT_GROUPS(struct convert_opts, in),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_convert = {
	.name = "convert",
	.summary = "write captures as files that other programs read",
	.operands = "FILE...",
	.about = "Write captures as files that other programs read; \"tracetool list emitters\" lists the formats. "
		 "Several inputs share one timeline; one run can write several outputs. "
		 "\"-\" is standard input; the content of an input shows its format and compression.",
	.examples = "  tracetool convert game.mlpd -o game.pftrace\n"
		    "  tracetool convert game.mlpd --time 10-12.5 -o part.json -o part.pb.gz\n"
		    "  tracetool convert game.mlpd -f csv --table markers -o markers.csv\n"
		    "  tracetool convert game.mlpd -o game.sqlite\n"
		    "  zcat game.mlpd.gz | tracetool convert - -f folded -o - | flamegraph.pl > game.svg\n",
	.group = groups,
	.operand_at = offsetof(struct convert_opts, in.path),
	.given_at = offsetof(struct convert_opts, given),
};
