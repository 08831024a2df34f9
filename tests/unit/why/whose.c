/* Tests of why/whose.c: which methods are the base library's or the runtime's, so that their work counts for their callers. */
#include "check.h"

#include "why/causes.h"

TEST(the_base_library_and_the_runtimes_steps_are_the_callers)
{
	static const char *const library[] = { "System.String:Concat (string,string)", "System.Collections.Generic.List`1<T_REF>:Add (T_REF)",
		"string:FastAllocateString (int)", "(wrapper alloc) object:AllocSmall (intptr,intptr)", "System.Threading.Thread:Sleep (int)",
		"(wrapper managed-to-native) Game.Native:Call ()", "Microsoft.Win32.SafeHandles.SafeFileHandle:ReleaseHandle ()" };

	for (size_t i = 0; i < sizeof library / sizeof *library; i++)
		if (!CHECK(tt_causes_is_library(library[i])))
			printf("\t%s\n", library[i]);
}

TEST(names_that_only_look_like_it_are_the_programs)
{
	static const char *const own[] = { "Game.World:Draw (int)", "SystemOfMine.Tool:Run ()", "Game.System:Tick ()", "Systems.Movement:Run ()",
		"Bare:Run ()", "Main", "", "Game.World/Nested:Draw<T_REF> (T_REF)" };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (!CHECK(!tt_causes_is_library(own[i])))
			printf("\t%s\n", own[i]);
}

TEST(each_class_has_a_name_of_its_own)
{
	for (unsigned i = 0; i < TT_CAUSE_CLASSES; i++)
		for (unsigned j = 0; j < i; j++)
			CHECK(strcmp(tt_cause_name((enum tt_cause_class)i), tt_cause_name((enum tt_cause_class)j)) != 0);
	CHECK_STR(tt_cause_name(TT_CAUSE_SLOW_CALL), "slow_call");
}
