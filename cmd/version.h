/* The version of tracetool, from which the Makefile, manual pages and packages take it. */
#ifndef TT_CMD_VERSION_H
#define TT_CMD_VERSION_H

#define TT_VERSION "0.1.0"
#define TT_GENERATOR "tracetool " TT_VERSION

#endif
