/*
 * The program with every library in it says itself which character set names are shown in. libarchive asks the C library for that of the
 * thread's locale, and turns UTF-16 (names in 7z) into UTF-8 by itself; into any other it lets iconv do it. Both the locale C.UTF-8 and iconv's
 * converters are files of the C library, which the program that is one file must do without (tt_archive_use_locale() asks for the locale).
 */
#include <langinfo.h>

char *__real_nl_langinfo(nl_item what);
char *__wrap_nl_langinfo(nl_item what);

/* The linker puts this in the place of nl_langinfo() ("--wrap"). */
char *
__wrap_nl_langinfo(nl_item what)
{
	static char utf8[] = "UTF-8";

	return what == CODESET ? utf8 : __real_nl_langinfo(what);
}
