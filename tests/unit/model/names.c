/* Tests of model/names.h and of the names of model/model.h. */
#include "check.h"

#include "model/defs.h"
#include "model/model.h"
#include "model/names.h"

static const char *
shorten(const char *s)
{
	static char to[512];

	tt_name_short(to, s);
	return to;
}

static const char *
bare(const char *s)
{
	static char to[512];

	snprintf(to, sizeof to, "%.*s", (int)tt_name_bare(s), s);
	return to;
}

TEST(short_names_are_class_and_method)
{
	CHECK_STR(shorten("Game.World:Frame (int,string)"), "World:Frame");
	CHECK_STR(shorten("P:Main ()"), "P:Main");
	CHECK_STR(shorten("Odd.Name.:Main ()"), "Name.:Main");
	CHECK_STR(shorten("System.Globalization.CultureInfo:.cctor ()"), "CultureInfo:.cctor");
	CHECK_STR(shorten("System.IO.Stream/NullStream:.ctor ()"), "Stream/NullStream:.ctor");
	CHECK_STR(shorten("Größe.データ.Outer`2/Inner`1<int, string, double>:M (string,double[,],int[][])"),
	    "Outer`2/Inner`1<int, string, double>:M");
	CHECK_STR(shorten("System.Collections.Generic.Dictionary`2<int, System.Collections.Generic.List`1<double[]>>:.ctor ()"),
	    "Dictionary`2<int, List`1<double[]>>:.ctor");
	CHECK_STR(shorten("Größe.データ.Клиент:IΦ<string>.Get<double> (double,string&,int&)"),
	    "Клиент:IΦ<string>.Get<double>");
	CHECK_STR(shorten("Game.Emitter/<Tick>c__AnonStorey0:<>m__0 (Game.Particle)"),
	    "Emitter/<Tick>c__AnonStorey0:<>m__0");
	CHECK_STR(shorten("(wrapper managed-to-native) System.RuntimeType:MakeGenericType (System.Type,System.Type[])"),
	    "(wrapper managed-to-native) RuntimeType:MakeGenericType");
	CHECK_STR(shorten("(wrapper runtime-invoke) <Module>:runtime_invoke_void (object,intptr)"),
	    "(wrapper runtime-invoke) <Module>:runtime_invoke_void");
}

TEST(words_are_found_in_the_name_of_the_method)
{
	static const char *const words[] = { "read", "ip", NULL };
	static const char *const with[] = { "Net:Read ()", "Net:ReadAll (int)", "Net:DoRead ()", "Net:do_read ()", "Net:READ_ALL ()",
		"Net:TryReadIPAddress ()", "Net:PlainIPOf ()", "A.B/<ReadAll>d__3:MoveNext ()",
		"Game.dll!Net::Socket.ReadAll()", "File.Read", "Read", "Net:Stream.Read ()", "x:1read2 ()" };
	static const char *const without[] = { "Net:Ready ()", "Net:Thread ()", "Read:Next ()", "Read.Net:Next ()", "Net:SpreadOut ()", "Net:Zip ()",
		"Net:Reading ()", "Game.dll!Read::Read.Next()", "Net:Next (Read)", "", "(", ":", "Net:ZIPPED ()", "(wrapper x) Net:Next ()" };

	for (size_t i = 0; i < sizeof with / sizeof *with; i++)
		CHECK_STR(tt_name_has_word(words, with[i]) ? with[i] : "", with[i]);
	for (size_t i = 0; i < sizeof without / sizeof *without; i++)
		CHECK_STR(tt_name_has_word(words, without[i]) ? "" : without[i], without[i]);
}

TEST(names_of_other_producers_pass_unchanged)
{
	CHECK_STR(shorten("PlayerLoop"), "PlayerLoop");
	CHECK_STR(shorten("Update.ScriptRunBehaviourUpdate"), "Update.ScriptRunBehaviourUpdate");
	CHECK_STR(shorten("Camera.Render (Main)"), "Camera.Render (Main)");
	CHECK_STR(shorten("std::vector<int>::push_back"), "std::vector<int>::push_back");
	CHECK_STR(shorten("Foo()"), "Foo()");
	CHECK_STR(shorten(""), "");
	CHECK_STR(shorten("(x)"), "(x)");
	CHECK_STR(shorten(":"), ":");
	CHECK_STR(shorten(".:."), ".:.");
	CHECK_STR(shorten("(wrapper x)"), "(wrapper x)");
	CHECK_STR(shorten("(wrapper "), "(wrapper ");
	CHECK_STR(shorten("a)"), "a)");
}

TEST(the_argument_list_is_the_last_one)
{
	CHECK_STR(bare("A:B (int)"), "A:B");
	CHECK_STR(bare("A:B (method (int))"), "A:B");
	CHECK_STR(bare("A:<B (x)>c (int)"), "A:<B (x)>c");
	CHECK_STR(bare("A:B"), "A:B");
	CHECK_STR(bare(") )"), ") )");
}

TEST(allocation_wrappers_are_known_by_name)
{
	CHECK(tt_name_alloc_wrapper("(wrapper alloc) object:ProfilerAllocSmall (intptr,intptr)"));
	CHECK(tt_name_alloc_wrapper("(wrapper managed-to-native) object:__icall_wrapper_mono_gc_alloc_vector (intptr)"));
	CHECK(!tt_name_alloc_wrapper("(wrapper managed-to-native) object:MemberwiseClone (object)"));
	CHECK(!tt_name_alloc_wrapper("Foo:__icall_wrapper_x ()"));
	CHECK(!tt_name_alloc_wrapper("object:AllocVector (intptr)"));
}

static const char *
namespace_of(const char *method)
{
	static char to[64];
	const char *space;
	size_t n = tt_name_method_namespace(method, &space);

	snprintf(to, sizeof to, "%.*s", (int)n, space);
	return to;
}

TEST(namespaces_end_at_the_class)
{
	const char *space;

	CHECK_STR(namespace_of("Game.Sim.World/Nested:Step (int)"), "Game.Sim");
	CHECK_STR(namespace_of("System.Collections.Generic.List`1<Game.World>:Add (T_REF)"), "System.Collections.Generic");
	CHECK_STR(namespace_of("(wrapper runtime-invoke) Game.World:.ctor ()"), "Game");
	CHECK_STR(namespace_of("Game.<Gen>c__Iterator0:MoveNext ()"), "Game");
	CHECK_STR(namespace_of("string:Concat (string,string)"), "System");
	CHECK_STR(namespace_of("Program:Main ()"), "");
	CHECK_STR(namespace_of("<Module>:runtime_invoke (object)"), "");
	CHECK_STR(namespace_of("GC.Collect"), "");
	CHECK_STR(namespace_of(""), "");
	CHECK_EQ_INT(tt_name_namespace("System.Byte[]", 13, &space), 6);
	CHECK_EQ_INT(tt_name_namespace("int[]", 5, &space), 6);
	CHECK_EQ_INT(tt_name_namespace("World[,]", 8, &space), 0);
	CHECK_EQ_INT(tt_name_namespace(".x", 2, &space), 0);
	CHECK_EQ_INT(tt_name_namespace("", 0, &space), 0);
}

TEST(globs_meet_the_name_with_and_without_list_and_namespace)
{
	static const char *const exact[] = { "World:*e", NULL }, *const whole[] = { "Game.World:Frame (*)", NULL },
	    *const part[] = { "Fram", NULL }, *const none[] = { "*(int", NULL };

	CHECK(tt_name_match(NULL, "x"));
	CHECK(tt_name_match(exact, "Game.World:Frame (int)"));
	CHECK(tt_name_match(whole, "Game.World:Frame (int)"));
	CHECK(tt_name_match(part, "Game.World:Frame (int)"));
	CHECK(!tt_name_match(none, "Game.World:Frame (int)"));
}

/* --- a small model -------------------------------------------------------------- */

static struct tt_env env;
static struct tt_err err;

static int
category(const struct tt_capture *c, const struct tt_def *d, const char **name, struct tt_err *e)
{
	(void)c;
	(void)e;
	*name = strncmp(d->text, "Game.", 5) == 0 ? "Game" : "mscorlib";
	return TT_OK;
}

static void
define(struct tt_capture *c, enum tt_def_kind kind, uint64_t key, uint64_t b, const char *text)
{
	struct tt_def d = { .kind = (uint8_t)kind, .key = key, .b = b, .text = text, .len = (uint32_t)strlen(text) };

	CHECK_EQ_INT(tt_defs_add(c->defs, &d, &err), TT_OK);
}

static void
setup(struct tt_model *m, struct tt_capture *c)
{
	static struct tt_capture *caps[1];

	*c = (struct tt_capture){ .category = category };
	*m = (struct tt_model){ .env = &env, .cap = caps, .ncap = 1 };
	caps[0] = c;
	CHECK_EQ_INT(tt_defs_new(&env.mem, &c->defs, &err), TT_OK);
	CHECK_EQ_INT(tt_tree_new(&env.mem, 100, &m->tree, &err), TT_OK);
	tt_arena_init(&m->arena, &env.mem);
	tt_threads_init(&m->threads, &env.mem);
	tt_filter_init(&m->filter);
	define(c, TT_DEF_MARKER, 0x10, 0, "Game.World:Frame (int)");
	define(c, TT_DEF_MARKER, 0x20, 0, "System.String:Concat (string,string)");
	define(c, TT_DEF_MARKER, 0x30, 0, "(wrapper alloc) object:AllocVector (intptr,intptr)");
	define(c, TT_DEF_CLASS, 0x77, 0, "System.Byte[]");
	define(c, TT_DEF_VTABLE, 0x99, 0x77, "");
}

static void
teardown(struct tt_model *m, struct tt_capture *c)
{
	tt_tree_free(m->tree);
	tt_defs_free(c->defs);
	tt_threads_free(&m->threads);
	tt_arena_free(&m->arena);
	CHECK_EQ_INT(env.mem.used, 0);
}

static uint32_t
node(struct tt_model *m, uint32_t parent, enum tt_node_kind kind, uint64_t key)
{
	uint32_t n = 0;

	CHECK_EQ_INT(tt_tree_add(m->tree, parent, kind, key, 0, &n, &err), TT_OK);
	return n;
}

TEST(defined_keys_have_names_before_any_event)
{
	struct tt_model m;
	struct tt_capture c;

	setup(&m, &c);
	CHECK_EQ_INT(tt_model_resolve(&m, TT_NAMES_SHORT, &err), TT_OK);
	CHECK_STR(tt_model_key(&m, 0, 0x10)->full, "Game.World:Frame (int)");
	CHECK_STR(tt_model_key(&m, 0, 0x10)->shown, "World:Frame");
	CHECK_STR(m.category[tt_model_key(&m, 0, 0x10)->category].name, "Game");
	CHECK_STR(m.category[tt_model_key(&m, 0, 0x20)->category].name, "mscorlib");
	CHECK(tt_model_key(&m, 0, 0x30)->is_alloc_wrapper);
	CHECK(!tt_model_key(&m, 0, 0x20)->is_alloc_wrapper);
	CHECK_STR(tt_model_key(&m, 0, 0x40)->shown, "(unknown)");
	CHECK(!tt_model_key(&m, 0, 0x40)->is_defined);
	CHECK_STR(m.category[tt_model_key(&m, 0, 0x40)->category].name, "(unknown)");
	CHECK_STR(tt_model_key(&m, 0, TT_KEY_GC_PAUSE)->shown, "GC.Pause");
	CHECK_STR(tt_model_key(&m, 0, TT_KEY_GC_GEN(1))->shown, "GC.Collect gen1");
	CHECK_STR(tt_model_key(&m, 0, TT_KEY_GC_GEN(9))->shown, "GC.Collect gen7");
	CHECK_STR(m.category[tt_model_key(&m, 0, TT_KEY_GC_GEN(1))->category].name, "GC");
	CHECK_STR(m.category[tt_model_key(&m, 0, TT_KEY_EXCEPTION)->category].name, "Exceptions");
	CHECK_STR(m.category[tt_model_key(&m, 0, TT_KEY_CONTENTION)->category].name, "Contention");
	CHECK_STR(tt_model_key(&m, 0, TT_KEY_SPECIAL)->shown, "(unknown)");
	teardown(&m, &c);
}

TEST(markers_of_the_tree_keep_their_numbers_and_categories_stay)
{
	struct tt_model m;
	struct tt_capture c;
	const char *before;
	uint32_t game, root, n;

	setup(&m, &c);
	CHECK_EQ_INT(tt_model_resolve(&m, TT_NAMES_SHORT, &err), TT_OK);
	before = tt_model_key(&m, 0, 0x10)->shown;
	game = tt_model_key(&m, 0, 0x10)->category;
	root = node(&m, 0, TT_NODE_THREAD, 0);
	n = node(&m, root, TT_NODE_ZONE, 0x20);
	n = node(&m, n, TT_NODE_ZONE, 0x7f0);
	n = node(&m, n, TT_NODE_ZONE, TT_KEY_GC_GEN(0));
	n = node(&m, n, TT_NODE_ALLOC, 0x99);
	node(&m, n, TT_NODE_ALLOC, 0x55);
	CHECK_EQ_INT(tt_model_resolve(&m, TT_NAMES_SHORT, &err), TT_OK);
	CHECK_EQ_INT(m.nname, 4);
	CHECK_STR(m.name[0].shown, "(more paths)");
	CHECK_STR(m.name[1].shown, "String:Concat");
	CHECK_STR(m.name[2].shown, "(unknown 0x7f0)");
	CHECK(!m.name[2].is_defined);
	CHECK_STR(m.name[3].shown, "GC.Collect gen0");
	CHECK(tt_model_key(&m, 0, 0x10)->shown == before);
	CHECK_EQ_INT(tt_model_key(&m, 0, 0x10)->category, game);
	CHECK_STR(tt_model_key(&m, 0, 0x7f0)->shown, "(unknown 0x7f0)");
	CHECK_STR(tt_model_class(&m, 0, 0x99), "System.Byte[]");
	CHECK_STR(tt_model_class(&m, 0, 0x77), "System.Byte[]");
	CHECK_STR(tt_model_class(&m, 0, 0x55), "(unknown class 0x55)");
	CHECK_STR(tt_model_class(&m, 0, 0x56), "(unknown class)");
	CHECK_EQ_INT(tt_model_resolve(&m, TT_NAMES_FULL, &err), TT_OK);
	CHECK_STR(m.name[1].shown, "System.String:Concat (string,string)");
	teardown(&m, &c);
}

TEST(filters_choose_names)
{
	static const char *const marker[] = { "World", NULL }, *const cat[] = { "GC", NULL };
	struct tt_model m;
	struct tt_capture c;

	setup(&m, &c);
	m.filter.marker = marker;
	CHECK_EQ_INT(tt_model_resolve(&m, TT_NAMES_SHORT, &err), TT_OK);
	CHECK(tt_model_key(&m, 0, 0x10)->wanted);
	CHECK(!tt_model_key(&m, 0, 0x20)->wanted);
	CHECK(!tt_model_key(&m, 0, 0x40)->wanted);
	m.filter.marker = NULL;
	m.filter.category = cat;
	CHECK_EQ_INT(tt_model_resolve(&m, TT_NAMES_SHORT, &err), TT_OK);
	CHECK(!tt_model_key(&m, 0, 0x10)->wanted);
	CHECK(tt_model_key(&m, 0, TT_KEY_GC_PAUSE)->wanted);
	teardown(&m, &c);
}

TEST(out_of_memory_leaves_the_earlier_names_good)
{
	struct tt_model m;
	struct tt_capture c;
	int rc = TT_E_LIMIT;
	unsigned failed = 0;

	setup(&m, &c);
	CHECK_EQ_INT(tt_model_resolve(&m, TT_NAMES_SHORT, &err), TT_OK);
	node(&m, node(&m, node(&m, 0, TT_NODE_THREAD, 0), TT_NODE_ZONE, 0x7f0), TT_NODE_ALLOC, 0x55);
	for (size_t room = 0; rc == TT_E_LIMIT && room < 1 << 20; room += 16) {
		env.mem.cap = atomic_load(&env.mem.used) + room;
		rc = tt_model_resolve(&m, TT_NAMES_FULL, &err);
		failed += rc == TT_E_LIMIT;
		if (rc == TT_E_LIMIT)
			CHECK_STR(tt_model_key(&m, 0, 0x10)->shown, "World:Frame");
	}
	env.mem.cap = 0;
	CHECK_EQ_INT(rc, TT_OK);
	CHECK(failed > 0);
	CHECK_STR(tt_model_key(&m, 0, 0x10)->shown, "Game.World:Frame (int)");
	teardown(&m, &c);
}
