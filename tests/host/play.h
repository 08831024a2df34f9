/**
 * A game played with a plug-in in a process of its own, so that it can be killed, limited and loaded anew.
 *
 *	play_new(&p)     the engine's tables and the game, here
 *	play_start(&p)   forks the player: it loads the plug-in, starts the capture, plays, unloads
 *	play_wait(&p)    its exit status; the account is here, in shared memory
 */
#ifndef HOST_PLAY_H
#define HOST_PLAY_H

#include <sys/types.h>

#include "game.h"
#include "recorder/unity/tracetool_unity.h"

struct play {
	/* before play_new */
	const char *plugin;           /* path of the library; NULL: play_plugin() */
	const char *capture;          /* file; NULL: nothing is captured */
	const char *options;          /* of the recorder, or NULL */
	struct engine_opts engine;
	struct game_opts game;
	uint64_t notes;               /* per thread; 0: events are counted only */
	int (*each)(void *arg, unsigned frame);       /* as game_play()'s; in the player */
	void (*last)(struct play *);  /* in the player, when the game is over and the plug-in still there */
	void *arg;
	bool no_stop;                 /* the game ends without telling the plug-in: no unload */
	bool quiet;                   /* the player's messages are thrown away */

	/* after it */
	struct game *g;
	struct account *a;
	pid_t pid;
};

/* The recorder of this build: $BUILD/libtracetool-unity.so; the program: $TRACETOOL, else $BUILD/tracetool. */
const char *play_plugin(void);
const char *play_tracetool(void);

/* Is this a full-length run (TT_SET=all)? And under a sanitizer? */
bool play_long(void);
bool play_sanitized(void);

void play_new(struct play *p);
void play_start(struct play *p);
int play_wait(struct play *p);
void play_free(struct play *p);

/* All of it but the last. The exit status; 128 + signal where it died of one. */
int play_run(struct play *p);

/* Remove the capture ${path} and the ring it names, if there is one. */
void play_remove(const char *path);

/* Frames without work until the plug-in says that it captures (or is idle); -1 after five seconds. In the player. */
int play_until(enum tracetool_state state);

/* The plug-in's functions; only in the player, after loading. */
#define PLAY_CALL(fn) ((__typeof__(&fn))engine_symbol(#fn))

/* From now on this process's writes to regular files take time: ${rate} bytes a second; 0: none goes through until
   play_slow_end(). In the player. */
void play_slow(double rate);
void play_slow_end(void);

#endif
