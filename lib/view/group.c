/**
 * Finds the key of --group-by for each class and marker.
 */
#include "view/group.h"

#include <string.h>

#include "base/buf.h"
#include "model/defs.h"
#include "model/model.h"
#include "model/names.h"

const char *
tt_group_key(size_t i)
{
	static const char *const keys[] = { "thread", "assembly", "namespace", "domain", NULL };

	return keys[i];
}

const char *
tt_group_marker(const struct tt_model *m, enum tt_group group, const struct tt_name *name, struct tt_arena *text,
    struct tt_err *err)
{
	const char *space;
	size_t n;

	if (group == TT_GROUP_ASSEMBLY)
		return name->category < m->ncategory ? m->category[name->category].name : "(unknown)";
	if (group != TT_GROUP_NAMESPACE)
		return name->shown;
	n = name->gpu ? 0 : tt_name_method_namespace(name->full, &space);
	return name->gpu ? TT_GROUP_GPU : n ? tt_arena_text(text, space, n, err) : TT_NO_NAMESPACE;
}

void
tt_classes_init(struct tt_classes *c, const struct tt_model *m, enum tt_group group, struct tt_arena *text)
{
	*c = (struct tt_classes){ .m = m, .group = group, .text = text };
}

void
tt_classes_free(struct tt_classes *c)
{
	if (c->m) {
		tt_mem_free(&c->m->env->mem, c->seen, c->cap * sizeof *c->seen);
		tt_map_free(&c->at, &c->m->env->mem);
	}
	*c = (struct tt_classes){ 0 };
}

bool
tt_class_wanted(const struct tt_model *m, const char *name, const char *assembly)
{
	return tt_glob_any(m->filter.category, assembly) && tt_name_match(m->filter.marker, name);
}

/* Takes the file name of the class's image. */
const char *
tt_class_assembly(const struct tt_model *m, uint32_t process, const struct tt_def *d, struct tt_arena *text,
    struct tt_err *err)
{
	const struct tt_defs *defs = m->cap[process]->defs;
	const struct tt_def *image = d ? tt_defs_find(defs, TT_DEF_IMAGE, d->a, d->ts) : NULL;
	const char *base = image && image->len ? image->text : "(unknown)";
	size_t n;

	for (const char *p = base; *p; p++) {
		if (*p == '/' || *p == '\\')
			base = p + 1;
	}
	n = strlen(base);
	if (n > 4 && (strcmp(base + n - 4, ".dll") == 0 || strcmp(base + n - 4, ".exe") == 0))
		n -= 4;
	return tt_arena_text(text, base, n, err);
}

const char *
tt_domain_name(const struct tt_defs *defs, uint64_t id, struct tt_arena *to, struct tt_err *err)
{
	const struct tt_def *d = tt_defs_find(defs, TT_DEF_DOMAIN, id, INT64_MAX);
	char text[40], *p = text;

	if (d && d->len)
		return tt_arena_text(to, d->text, d->len, err);
	memcpy(p, "domain ", 7);
	p = tt_put_hex(p + 7, id);
	return tt_arena_text(to, text, (size_t)(p - text), err);
}

/* The domain of a class key that is a vtable. Before data version 15 keys are classes, which have no domain. */
static const char *
domain_of(const struct tt_classes *c, uint32_t process, uint64_t key, struct tt_err *err)
{
	const struct tt_defs *defs = c->m->cap[process]->defs;
	const struct tt_def *v = tt_defs_vtable(defs, key, INT64_MAX);

	return v ? tt_domain_name(defs, v->a, c->text, err) : "(unknown)";
}

static const char *
namespace_of(const struct tt_classes *c, const char *name, struct tt_err *err)
{
	const char *space;
	size_t n = tt_name_namespace(name, strlen(name), &space);

	return n ? tt_arena_text(c->text, space, n, err) : TT_NO_NAMESPACE;
}

static int
look_up(struct tt_classes *c, uint32_t process, uint64_t key, struct tt_class *to, struct tt_err *err)
{
	const struct tt_filter *f = &c->m->filter;
	const struct tt_def *d = tt_defs_class(c->m->cap[process]->defs, key, INT64_MAX);
	const char *name = tt_model_class(c->m, process, key), *assembly = "";

	if ((f->category || c->group == TT_GROUP_ASSEMBLY) && !(assembly = tt_class_assembly(c->m, process, d, c->text, err)))
		return err->code;
	to->wanted = (!f->category && !f->marker) || tt_class_wanted(c->m, name, assembly);
	switch (c->group) {
	case TT_GROUP_ASSEMBLY: to->label = assembly; break;
	case TT_GROUP_NAMESPACE: to->label = namespace_of(c, name, err); break;
	case TT_GROUP_DOMAIN: to->label = domain_of(c, process, key, err); break;
	default: to->label = name; break;
	}
	return to->label ? TT_OK : err->code;
}

const struct tt_class *
tt_class_of(struct tt_classes *c, uint32_t process, uint64_t key, struct tt_err *err)
{
	struct tt_mem *mem = &c->m->env->mem;
	uint64_t hash = tt_seeded_pair(process, key);
	uint32_t at = tt_map_find(&c->at, hash, i, c->seen[i].key == key && c->seen[i].process == process);

	if (!at) {
		if (tt_mem_grow(mem, &c->seen, &c->cap, c->n + 1, sizeof *c->seen, err) != TT_OK)
			return NULL;
		c->seen[c->n] = (struct tt_class_seen){ .key = key, .process = process };
		if (look_up(c, process, key, &c->seen[c->n].c, err) != TT_OK || tt_map_add(&c->at, mem, hash, c->n, err) != TT_OK)
			return NULL;
		at = (uint32_t)++c->n;
	}
	return &c->seen[at - 1].c;
}
