/**
 * Assigns each method its category: the assembly that defines it, which the file does not state. A method's name begins with its class, and classes name
 * their image. So classes are indexed by the part of the name that both spellings share, and a method takes the image of its class. If two images have the
 * class, or no image has, the category says so (tracetool-metrics(7), Categories).
 */
#include "mlpd/mlpd.h"

#include <stdio.h>

#include "base/hash_seed.h"
#include "model/defs.h"

struct entry {
	const char *name;             /* plain class name; NULL: empty slot */
	const char *image;
};

/* Unlike a tt_map, it has a size known beforehand and is freed with its arena. */
struct index {
	size_t nclass;                /* number of class definitions in it */
	size_t nslot;
	struct entry e[];
};

/* Types that method names write as C# does. */
static const char *const alias[][2] = {
	{ "object", "System.Object" }, { "string", "System.String" }, { "bool", "System.Boolean" },
	{ "char", "System.Char" }, { "sbyte", "System.SByte" }, { "byte", "System.Byte" },
	{ "int16", "System.Int16" }, { "uint16", "System.UInt16" }, { "int", "System.Int32" },
	{ "uint", "System.UInt32" }, { "long", "System.Int64" }, { "ulong", "System.UInt64" },
	{ "single", "System.Single" }, { "double", "System.Double" }, { "intptr", "System.IntPtr" },
	{ "uintptr", "System.UIntPtr" }, { "void", "System.Void" },
};

size_t
mlpd_plain_class(char *to, size_t cap, const char *s, size_t n)
{
	size_t out = 0, depth = 0;

	for (size_t i = 0; i < n && out + 1 < cap; i++) {
		char c = s[i];
		if (c == '<' && i > 0 && s[i - 1] != '.' && s[i - 1] != '/') {
			depth++;
		} else if (c == '>' && depth > 0) {
			depth--;
		} else if (depth == 0 && c == '`') {
			while (i + 1 < n && s[i + 1] >= '0' && s[i + 1] <= '9')
				i++;
		} else if (depth == 0 && c == '[') {
			break;
		} else if (depth == 0) {
			to[out++] = c == '/' || c == '+' ? '.' : c;
		}
	}
	to[out] = '\0';
	return out;
}

static size_t
slot_of(const struct index *x, const char *name)
{
	size_t i = (size_t)tt_seeded_text(0, name, strlen(name)) & (x->nslot - 1);

	while (x->e[i].name && strcmp(x->e[i].name, name) != 0)
		i = (i + 1) & (x->nslot - 1);
	return i;
}

/* Return the assembly's name ("GameLoop"), from its full name or the image's file name; "" if it is not known. NULL: no memory. */
static const char *
image_name(struct tt_capture *cap, uint64_t image, int64_t ts, struct tt_err *err)
{
	const struct tt_def *d = tt_defs_find(cap->defs, TT_DEF_IMAGE, image, ts);

	if (!d || d->len == 0)
		return "";
	const char *base = d->text;
	for (const char *p = d->text; *p; p++)
		if (*p == '/' || *p == '\\')
			base = p + 1;
	size_t n = strlen(base);
	if (n > 4 && (strcmp(base + n - 4, ".dll") == 0 || strcmp(base + n - 4, ".exe") == 0))
		n -= 4;
	return tt_arena_text(&cap->arena, base, n, err);
}

/* The last image and its name; many consecutive classes have the same image. */
struct last { uint64_t image; const char *name; bool set; };

static const char *
image_of(struct tt_capture *cap, const struct tt_def *d, struct last *last, struct tt_err *err)
{
	if (!last->set || last->image != d->a)
		*last = (struct last){ d->a, image_name(cap, d->a, d->ts, err), true };
	return last->name;
}

static const char ambiguous[] = "(ambiguous)";

static const struct index *
build(struct tt_capture *cap, struct tt_err *err)
{
	struct index *x = cap->category_arg;
	size_t n = tt_defs_count(cap->defs, TT_DEF_CLASS), nslot = 64;
	struct last last = { 0 };
	char name[MLPD_CLASS_NAME_BYTES];

	if (x && x->nclass == n)
		return x;
	while (nslot < n * 2)
		nslot *= 2;
	x = tt_arena_alloc(&cap->arena, sizeof *x + nslot * sizeof x->e[0], err);
	if (!x)
		return NULL;
	x->nclass = n;
	x->nslot = nslot;
	for (size_t i = 0; i < n; i++) {
		const struct tt_def *d = tt_defs_at(cap->defs, TT_DEF_CLASS, i);
		const char *image = image_of(cap, d, &last, err);
		size_t len = mlpd_plain_class(name, sizeof name, d->text, d->len);
		if (!image)
			return NULL;
		if (!*image || len == 0)
			continue;
		struct entry *e = &x->e[slot_of(x, name)];
		if (e->name) {
			if (e->image != ambiguous && strcmp(e->image, image) != 0)
				e->image = ambiguous;
			continue;
		}
		const char *copy = tt_arena_text(&cap->arena, name, len, err);
		if (!copy)
			return NULL;
		*e = (struct entry){ copy, image };
	}
	cap->category_arg = x;
	return x;
}

int
mlpd_category(const struct tt_capture *c, const struct tt_def *marker, const char **category, struct tt_err *err)
{
	struct tt_capture *cap = (struct tt_capture *)(uintptr_t)c;
	const struct index *x = build(cap, err);
	const char *s = marker->text;
	char name[MLPD_CLASS_NAME_BYTES];

	if (!x)
		return err->code;
	*category = "(wrapper)";
	if (strncmp(s, "(wrapper", 8) == 0)
		return TT_OK;
	const char *colon = strchr(s, ':');
	size_t n = mlpd_plain_class(name, sizeof name, s, colon ? (size_t)(colon - s) : strlen(s));
	for (size_t i = 0; i < sizeof alias / sizeof *alias; i++)
		if (strcmp(name, alias[i][0]) == 0)
			n = (size_t)snprintf(name, sizeof name, "%s", alias[i][1]);
	const struct entry *e = n ? &x->e[slot_of(x, name)] : NULL;
	*category = e && e->name ? e->image : "(unknown)";
	return TT_OK;
}

const char *
mlpd_tag_name(unsigned tag)
{
	static const struct { uint8_t tag; const char *name; } names[] = {
		{ MLPD_ALLOC_PLAIN, "allocation" }, { MLPD_ALLOC_BT, "allocation with stack" },
		{ MLPD_GC_EVENT, "GC event" }, { MLPD_GC_RESIZE, "GC heap resize" }, { MLPD_GC_MOVE, "GC moves" },
		{ MLPD_HANDLE_NEW, "handle created" }, { MLPD_HANDLE_NEW_BT, "handle created with stack" },
		{ MLPD_HANDLE_FREE, "handle destroyed" }, { MLPD_HANDLE_FREE_BT, "handle destroyed with stack" },
		{ MLPD_FINALIZE_BEGIN, "finalizer queue begin" }, { MLPD_FINALIZE_END, "finalizer queue end" },
		{ MLPD_FINALIZE_OBJ_BEGIN, "finalizer begin" }, { MLPD_FINALIZE_OBJ_END, "finalizer end" },
		{ MLPD_META_NAME, "name" }, { MLPD_META_LOAD, "load" }, { MLPD_META_UNLOAD, "unload" },
		{ MLPD_META_LOAD_FAILED, "load failed" },
		{ MLPD_ENTER, "method enter" }, { MLPD_LEAVE, "method leave" },
		{ MLPD_EXC_LEAVE, "method leave by exception" }, { MLPD_JIT, "method record" },
		{ MLPD_THROW, "throw" }, { MLPD_THROW_BT, "throw with stack" }, { MLPD_CLAUSE, "exception clause" },
		{ MLPD_HEAP_BEGIN, "heap shot begin" }, { MLPD_HEAP_END, "heap shot end" },
		{ MLPD_HEAP_OBJECT, "heap object" }, { MLPD_HEAP_ROOTS, "heap roots" },
		{ MLPD_ROOT_ADD, "root registered" }, { MLPD_ROOT_DEL, "root unregistered" },
		{ MLPD_HIT, "sample" }, { MLPD_USYM, "native symbol" }, { MLPD_UBIN, "native binary" },
		{ MLPD_COUNTER_DESC, "counter descriptions" }, { MLPD_COUNTER_VALUES, "counter values" },
		{ MLPD_JITHELPER, "JIT helper" },
		{ MLPD_COV_ASSEMBLY, "coverage assembly" }, { MLPD_COV_METHOD, "coverage method" },
		{ MLPD_COV_STATEMENT, "coverage statement" }, { MLPD_COV_CLASS, "coverage class" },
		{ MLPD_SYNC, "sync point" }, { MLPD_AOT_ID, "AOT id" },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].tag == tag)
			return names[i].name;
	if ((tag & 0x0f) != MLPD_MONITOR)
		return "(unknown)";
	static const char *const monitor[] = { "monitor", "monitor contended", "monitor acquired", "monitor gave up" };
	static const char *const with_stack[] = { "monitor with stack", "monitor contended, with stack",
		"monitor acquired, with stack", "monitor gave up, with stack" };
	return (tag & 0x80 ? with_stack : monitor)[tag >> 4 & 3];
}
