/* The one place where the version stands. */
#ifndef TT_CMD_VERSION_H
#define TT_CMD_VERSION_H

#define TT_VERSION "0.1.0"
#define TT_GENERATOR "tracetool " TT_VERSION

#endif
