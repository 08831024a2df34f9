/* The version of tracetool; the Makefile, manual pages and packages take it from here. */
#ifndef TT_CMD_VERSION_H
#define TT_CMD_VERSION_H

#define TT_VERSION "0.1.0"
#define TT_GENERATOR "tracetool " TT_VERSION

#endif
