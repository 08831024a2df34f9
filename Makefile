# tracetool. `make` builds build/tracetool; `make help` lists the rest. GNU make.
#
# Everything made goes to $(BUILD). Variants (sanitizers, coverage, another compiler) are the same rules with another
# BUILD and other flags; what is there is rebuilt when compiler or flags change.

, := ,
CC       ?= cc
OPT      ?= -O2 -g
BUILD    ?= build
VERSION  := $(shell sed -n 's/^.define TT_VERSION "\(.*\)"/\1/p' cmd/version.h)
FUZZ_TIME ?= 60
PKG_CONFIG ?= pkg-config
# What the compiler makes programs for: the system's own files and some options differ.
TARGET   := $(shell $(CC) -dumpmachine 2>/dev/null)
WINDOWS  := $(findstring mingw,$(TARGET))
WASM     := $(findstring emscripten,$(TARGET))

# Where "make install" puts things; distributions set some of these. DESTDIR goes before all of them.
PREFIX   ?= /usr/local
BINDIR   ?= $(PREFIX)/bin
LIBDIR   ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR  ?= $(PREFIX)/share
MANDIR   ?= $(DATADIR)/man
DOCDIR   ?= $(DATADIR)/doc/tracetool
BASH_COMPLETIONS ?= $(DATADIR)/bash-completion/completions
ZSH_COMPLETIONS  ?= $(DATADIR)/zsh/site-functions
FISH_COMPLETIONS ?= $(DATADIR)/fish/vendor_completions.d
DESTDIR  ?=
# The recorders' folder, and its place as seen from the program, which looks there: what is installed can be moved as a whole.
MODULES  := $(LIBDIR)/tracetool
FROM_BIN := $(or $(shell realpath -ms --relative-to=$(BINDIR) $(MODULES) 2>/dev/null),$(MODULES))

# CPPFLAGS, CFLAGS, LDFLAGS and LDLIBS are the user's, and come after what the project needs: they override it.
WARN     := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
# No name of the folder in which it was built is in what is built.
MAP      ?= -ffile-prefix-map='$(BUILD)=build' -ffile-prefix-map='$(CURDIR)=.'
# Hardening; HARDEN= leaves it out. Sanitizers watch the same places and want none of it; the C library checks sizes (_FORTIFY_SOURCE) only
# in optimized code.
HARDEN_x86_64  := -fstack-clash-protection -fcf-protection
HARDEN_aarch64 := -mbranch-protection=standard $(if $(findstring clang,$(CC)),,-fstack-clash-protection)
HARDEN   ?= $(if $(WINDOWS)$(WASM)$(findstring -fsanitize,$(OPT) $(CFLAGS)),,yes)
HARDEN_C := $(if $(HARDEN),-fPIE -fstack-protector-strong $(HARDEN_$(firstword $(subst -, ,$(TARGET)))) \
	$(if $(filter -O0,$(OPT) $(CFLAGS))$(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
HARDEN_L := $(if $(HARDEN),-Wl$(,)-z$(,)relro -Wl$(,)-z$(,)now)
PIE      := $(if $(HARDEN),-pie)
# The libraries as pkg-config knows them, or by their usual names; those of tracetool.exe and of the page are where "make setup-windows" and "make setup-web"
# put them.
DEPENDS  := libarchive jansson zlib
WINDOWS_LIBS ?= build/windows-libraries
WEB_LIBS ?= build/web-libraries
ifeq ($(WINDOWS)$(WASM),)
LIB_CPPFLAGS := $(shell $(PKG_CONFIG) --cflags $(DEPENDS) 2>/dev/null)
LIB_LDLIBS   := $(or $(shell $(PKG_CONFIG) --libs $(DEPENDS) 2>/dev/null),-larchive -ljansson -lz)
else ifneq ($(WASM),)
LIB_CPPFLAGS := -isystem $(WEB_LIBS)/include -DLIBARCHIVE_STATIC -include lib/sys/gnu.h
LIB_LDLIBS   := -L$(WEB_LIBS)/lib -larchive -ljansson -lz -lbz2 -llzma -lzstd -llz4
else
LIB_CPPFLAGS := -isystem $(WINDOWS_LIBS)/include -DLIBARCHIVE_STATIC -D__USE_MINGW_ANSI_STDIO=1 -include lib/sys/gnu.h
LIB_LDLIBS   := -L$(WINDOWS_LIBS)/lib -larchive -ljansson -lz -lbz2 -llzma -lzstd -llz4 -lregex -lssp
endif

# A page that was opened from a disk has no memory that threads could share: all runs on one.
THREADS  := $(if $(WASM),,-pthread)
ALL_CPPFLAGS = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Ilib -Iformats -Icmd $(LIB_CPPFLAGS) $(CPPFLAGS)
ALL_CFLAGS   := -std=c11 $(OPT) $(WARN) $(MAP) $(HARDEN_C) $(THREADS) -fno-strict-overflow $(if $(WINDOWS),-ffunction-sections -fdata-sections) $(CFLAGS)
ALL_LDFLAGS  := $(THREADS) $(HARDEN_L) $(LDFLAGS)
ALL_LDLIBS   = $(SQLITE) $(LIB_LDLIBS) -lm $(LDLIBS)

# What links with libsqlite3, or nothing: databases are left out then, and make and the program say so. SQLITE= leaves them out.
# Looked for once, and only when something is made: "make setup all" brings it in between. Without pkg-config it is where its header is.
SQLITE   = $(eval SQLITE := $(if $(WINDOWS)$(WASM),-lsqlite3,$(shell $(PKG_CONFIG) --libs sqlite3 2>/dev/null || \
	{ $(CC) $(CPPFLAGS) -include sqlite3.h -E -x c /dev/null >/dev/null 2>&1 && echo -lsqlite3; })))$(SQLITE)
SQLITE_INC = $(eval SQLITE_INC := $(if $(WINDOWS)$(WASM),,$(shell $(PKG_CONFIG) --cflags sqlite3 2>/dev/null)))$(SQLITE_INC)

BIN      := $(BUILD)/tracetool$(if $(WINDOWS),.exe)$(if $(WASM),.js)
LIB      := $(BUILD)/libtracetool.a
# Processes beside the program are run on Linux only: batch, ab, record, the pager. Elsewhere cmd/elsewhere.c is in their place.
PROCESS_SRC := $(wildcard lib/archive/*.c lib/batch/scheduler*.c lib/batch/unpack*.c lib/trial/*.c formats/launch/*.c formats/ttc/rings.c) \
	$(addprefix lib/batch/,analyse.c child.c dirs.c files.c plan.c result_files.c split.c store.c sweep.c wire.c) \
	$(addprefix lib/io/,program.c sandbox.c syscalls.c) \
	$(addprefix cmd/,ab_opts.c batch_gate.c batch_opts.c batch_report.c batch_work.c pager.c ring_list.c \
		verb_ab.c verb_batch.c verb_merge.c verb_record.c)
LIB_SRC  := $(sort $(wildcard lib/*/*.c formats/*.c formats/*/*.c))
CMD_SRC  := $(sort $(wildcard cmd/*.c)) formats/recorder/mono/options.c formats/recorder/core/opttable.c formats/recorder/core/optval.c
LIB_SRC  := $(if $(WINDOWS)$(WASM),$(filter-out $(PROCESS_SRC),$(LIB_SRC)),$(LIB_SRC))
CMD_SRC  := $(if $(WINDOWS)$(WASM),$(filter-out $(PROCESS_SRC),$(CMD_SRC)),$(CMD_SRC))
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o) $(BUILD)/built.o
CMD_OBJ  := $(CMD_SRC:%.c=$(BUILD)/%.o)

# Recorders: libraries that other programs load. The system's own file is of the compiler's target.
DLL      := $(if $(WINDOWS),dll,so)
OTHER    := $(if $(WINDOWS),linux posix,windows)
CORE_ALL := $(sort $(wildcard formats/recorder/core/*.c))
CORE_SRC := $(filter-out $(OTHER:%=formats/recorder/core/platform_%.c) $(OTHER:%=formats/recorder/core/program_%.c),$(CORE_ALL))
REC_SRC  := $(CORE_SRC) formats/ttc/crc32c.c formats/ttc/record_walk.c
UNITY_SRC := $(REC_SRC) formats/producers/unity.c \
	$(sort $(wildcard formats/recorder/unity/*.c))
UNITY    := $(BUILD)/libtracetool-unity.$(DLL)
PIC_OBJ  := $(UNITY_SRC:%.c=$(BUILD)/pic/%.o)

# The module that Mono loads, where its headers are (libmono-2.0-dev). It is not linked with the runtime.
MONO_INC := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags-only-I mono-2 2>/dev/null))
MONO_SRC := $(REC_SRC) $(sort $(wildcard formats/recorder/mono/*.c))
MONO     := $(BUILD)/$(if $(WINDOWS),,lib)mono-profiler-tracetool.$(DLL)
MONO_OBJ := $(MONO_SRC:%.c=$(BUILD)/mono-pic/%.o)
# The runtime that loads it knows no sanitizers.
MONO_CFLAGS = $(filter-out -fsanitize% -fno-sanitize%,$(ALL_CFLAGS)) $(PIC_FLAGS)

# Tests: one program for each tests/unit/*/*.c and tests/fault/*.c (but what makes OOM_BIN), linked with the library and with the
# kit, tests/kit/*.c, except for the programs there (*_gen.c). Fuzz targets run their files once through tests/fuzz/replay.c.
GEN_SRC  := $(sort $(wildcard tests/kit/*_gen.c))
HELP_SRC := $(filter-out $(GEN_SRC),$(sort $(wildcard tests/kit/*.c)))
FAULT_SRC := tests/fault/alloc.c tests/fault/transfer.c
SO_SRC   := tests/fault/recorder_calls.c tests/fault/instructions.c
UNIT_SRC := $(sort $(filter-out $(FAULT_SRC) $(SO_SRC),$(wildcard tests/unit/*/*.c tests/fault/*.c)))
FAULT_OBJ := $(FAULT_SRC:%.c=$(BUILD)/%.o)
WRAPPED  := main malloc calloc realloc aligned_alloc read write pread64 pwrite64 open64 close fsync rename
OOM_BIN  := $(BUILD)/tracetool-oom
FUZZ_SRC := $(filter-out tests/fuzz/replay.c,$(sort $(wildcard tests/fuzz/*.c)))
HELP_LIB := $(BUILD)/tests/libhelp.a
GEN_BIN  := $(GEN_SRC:tests/%.c=$(BUILD)/%)
UNIT_BIN := $(UNIT_SRC:tests/%.c=$(BUILD)/%)
FUZZ_BIN := $(FUZZ_SRC:tests/%.c=$(BUILD)/%)
BATCH_SRC := $(sort $(wildcard tests/system/batch/*.c))
BENCH_SRC := $(sort $(wildcard tests/bench/*.c))
BATCH_BIN := $(BATCH_SRC:tests/%.c=$(BUILD)/%)
BENCH_BIN := $(BENCH_SRC:tests/%.c=$(BUILD)/%)
# The stand-in Unity host: programs with a main or with check.h, and what they share.
HOST_HELP := $(addprefix tests/host/,account.c engine.c game.c play.c truth.c)
HOST_SRC := $(filter-out $(HOST_HELP) tests/host/probe_plugin.c,$(sort $(wildcard tests/host/*.c)))
HOST_BIN := $(HOST_SRC:tests/%.c=$(BUILD)/%)
HOST_LIB := $(BUILD)/tests/libhost.a
PROBE    := $(BUILD)/host/probe_plugin.so
# What stands in for the system below a recorder, and what counts instructions in qemu.
FAULT_SO := $(SO_SRC:tests/%.c=$(BUILD)/%.so)
# The plug-in without the library around it, for those that drive it in their own process.
PLUG_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(filter formats/recorder/unity/%,$(UNITY_SRC)))
PLUG_LIB := $(BUILD)/tests/libplugin.a
# What both recorders share, for tests that make captures in their own process.
CORE_LIB := $(BUILD)/tests/libcore.a
CORE_OBJ := $(CORE_SRC:%.c=$(BUILD)/%.o)
FUZZER   := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/fuzzer/%)

# `make V=1` shows the commands.
Q        := $(if $(V),,@)
say       = $(if $(V),,@echo '  $(1) $(2)')
MAKEFLAGS += --no-builtin-rules

PAGES    := $(sort $(wildcard man/*.[1-9]))

.PHONY: all
all: $(BIN) $(UNITY) mono

.PHONY: help
help:
	@echo 'all        $(BIN), $(UNITY) and the Mono module (the default)'
	@echo 'static     $(STATIC), one file with every library in it; setup-static installs what that needs'
	@echo 'windows web   tracetool.exe; the page that reads captures in a browser; setup-windows and setup-web build what these need'
	@echo 'mono mono-windows   $(MONO), where Mono'"'"'s headers are; the same for Windows'
	@echo 'unity-aarch64 unity-windows   the Unity recorder for these, where their compilers are'
	@echo 'setup      install the Debian packages that the program needs and that are missing; beside "check" those of the tests, too'
	@echo 'setup-check   install the packages of the program and of the tests'
	@echo 'demo       print the figures of a small capture, convert it to build/demo/, record a stand-in game'
	@echo 'check-quick   unit tests, command lines, fuzz corpora, the oracle: under a minute once built; needs gcc and python3'
	@echo 'check      all tests, of long lists a part'
	@echo 'check-all  the same at full length, and with clang: hours'
	@echo 'san tsan   the tests under address and undefined-behaviour, or thread sanitizer'
	@echo 'fuzz       every fuzz target for FUZZ_TIME=$(FUZZ_TIME) seconds'
	@echo 'cover      the tests with coverage of lines and branches'
	@echo 'mutants    what the tests miss of small changes in lib and formats: MUTANTS="-n 500 --seed S", a night; resumes'
	@echo 'bench      speed and memory beside other programs'
	@echo 'cost cost-mono   what the recorders cost the program they record'
	@echo 'dist       the package for Unity, with the libraries of DIST_FOR="$(DIST_FOR)", to $(BUILD)/dist/'
	@echo 'release    sources, an installed tree and their checksums to $(BUILD)/release/'
	@echo 'sources    the sources of the last commit to $(TARBALL)'
	@echo 'deb deb-arm64   Debian packages to $(BUILD)/deb/, and cross-built ones; setup-deb and setup-deb-arm64 install what that needs'
	@echo 'rpm        RPM packages to $(BUILD)/rpm/RPMS/'
	@echo 'check-quick-arm64   the quick tests of the program for arm64, by qemu'
	@echo 'release-static   the program of "static" with the licences of what is in it, to $(RELEASE)/'
	@echo 'sbom publish   what others wrote and what is linked (CycloneDX); all of a release in one folder, with checksums'
	@echo 'man        put common options and the columns of tables into the manual pages'
	@echo 'pictures   the pictures of README.md anew; needs node and chromium'
	@echo 'install uninstall   to PREFIX=$(PREFIX) below DESTDIR'
	@echo 'clean      remove $(BUILD)/'

# --- building ---------------------------------------------------------------

# All processors build, unless the caller of make says how many.
ALL_CPUS = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
# "make setup check" installs first, also with -j.
AFTER_SETUP := $(addprefix | ,$(firstword $(filter setup setup-check,$(MAKECMDGOALS))))

# Changes when compiler or flags do, and everything is made anew.
FLAGS = $(strip $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(LIB_LDLIBS) $(LDLIBS))
$(BUILD)/flags: FORCE $(AFTER_SETUP)
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
.PHONY: FORCE
FORCE:

# What only a few files are told, and what says that it changed.
TOLD_formats/launch/environment := -DTT_MODULES='"$(FROM_BIN)"'
$(BUILD)/formats/launch/environment.o: $(BUILD)/modules
$(BUILD)/modules: FORCE
	@mkdir -p $(@D)
	@echo '$(FROM_BIN)' | cmp -s - $@ || echo '$(FROM_BIN)' > $@
TOLD_lib/sql/db  = $(if $(SQLITE),-DTT_SQLITE $(SQLITE_INC))
TOLD_lib/sql/vfs = $(TOLD_lib/sql/db)
TOLD_tests/fuzz/emit_sqlite = $(TOLD_lib/sql/db)
$(BUILD)/lib/sql/db.o $(BUILD)/lib/sql/vfs.o $(BUILD)/tests/fuzz/emit_sqlite.o: $(BUILD)/sqlite
$(BUILD)/sqlite: FORCE $(AFTER_SETUP)
	@mkdir -p $(@D)
	@echo '$(strip $(SQLITE))' | cmp -s - $@ || echo '$(strip $(SQLITE))' > $@

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(TOLD_$*) $(if $(filter tests/%,$<),-Itests/kit) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# It names fast.c only if that is there, so it is made again when a file of its folder comes or goes.
$(BUILD)/lib/fold/fold.o: lib/fold

# What pages hold is built in: its bytes as they are, and the digest that their policy names (lib/out/built.h).
BUILT    := lib/out/page.css lib/out/page.js lib/page/view.js lib/page/compare.js lib/page/lines.js lib/page/ranges.js
$(BUILD)/built.c: $(BUILT) $(BUILD)/flags
	$(call say,BIN,$@)
	$(Q)if grep -i '</\|<!--' $(BUILT); then echo 'this would end its place in a page' >&2; exit 1; fi
	$(Q){ echo '#include "out/built.h"'; \
	for f in $(BUILT); do \
		n=$$(basename $$f | tr . _); echo "const char tt_built_$$n[] = {"; od -An -v -tu1 $$f | sed 's/ *\([0-9][0-9]*\)/(char)\1,/g'; echo '0 };'; \
		echo "const char tt_built_$${n}_sha256[] = \"$$(env printf "$$(sha256sum < $$f | cut -c1-64 | sed 's/../\\x&/g')" | base64)\";"; \
	done; } > $@.new
	$(Q)mv $@.new $@
$(BUILD)/built.o: $(BUILD)/built.c
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

$(LIB): $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(if $(WASM),emar,ar) rcs $@ $^

$(BIN): $(CMD_OBJ) $(LIB) $(if $(WINDOWS),$(BUILD)/resource.o)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) $(if $(WINDOWS),$(EXE_LINK))$(if $(WASM),$(PAGE_LINK)) -o $@ $^ $(ALL_LDLIBS)
	$(if $(SQLITE),,@echo '$@: without databases (-o game.sqlite, query), which need libsqlite3 ("make setup" installs libsqlite3-dev)')

# tracetool.exe: one file, a stack as large as on Linux, and what Windows shows and is told of it.
EXE_LINK := -static -s -Wl,--stack,8388608 -Wl,--no-insert-timestamp -Wl,--gc-sections -Wl,--nxcompat -Wl,--dynamicbase -Wl,--high-entropy-va
$(BUILD)/resource.o: .packaging/tracetool.rc .packaging/tracetool.manifest cmd/version.h
	@mkdir -p $(@D)
	$(call say,RC,$<)
	$(Q)$(TARGET)-windres -DVERSION='\"$(VERSION)\"' -DNUMBERS=$(subst .,$(,),$(firstword $(subst -, ,$(VERSION)))),0 -I.packaging -o $@ $<
.PHONY: windows setup-windows
windows:
	@if [ ! -e $(WINDOWS_LIBS)/lib/libarchive.a ]; then echo '$@: its libraries are not there: make setup-windows' >&2; exit 1; fi
	@$(MAKE) BUILD=$(BUILD)/windows CC=$(MINGW) $(BUILD)/windows/tracetool.exe
setup-windows:
	@.packaging/libraries.sh $(WINDOWS_LIBS) $(MINGW:%-gcc=%)

# The program as WebAssembly: tracetool.wasm, with the glue for a worker of a page, and in node/ with that for Node; and the page that has all of it inside.
WEB_LINK := -sMODULARIZE -sEXPORT_NAME=Tracetool -sFORCE_FILESYSTEM -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=8MB -sEXIT_RUNTIME \
	-sWASM_BIGINT -sEXPORTED_RUNTIME_METHODS=FS,callMain
PAGE_LINK := $(WEB_LINK),WORKERFS -sENVIRONMENT=worker -lworkerfs.js
NODE_LINK := $(WEB_LINK),ENV -sENVIRONMENT=node -sNODERAWFS -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0
$(BUILD)/node/tracetool.js: $(CMD_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(NODE_LINK) -o $@ $^ $(ALL_LDLIBS)
$(BUILD)/node/node.js: cmd/web/node.js $(BUILD)/node/tracetool.js
	$(Q)install -m 755 $< $@
$(BUILD)/tracetool.html: .packaging/web.py $(wildcard cmd/web/*) $(BUILD)/tracetool.js $(BUILD)/node/node.js testdata/demo/good-hitches.ttc.xz
	$(call say,PAGE,$@)
	$(Q).packaging/web.py cmd/web $(BUILD) testdata/demo/good-hitches.ttc.xz $@
.PHONY: web setup-web
web:
	@if [ ! -e $(WEB_LIBS)/lib/libarchive.a ]; then echo '$@: its libraries are not there: make setup-web' >&2; exit 1; fi
	@NODE_PATH=$(NODE_PATH):/usr/share/nodejs $(MAKE) BUILD=$(BUILD)/web CC=emcc OPT=-O2 $(BUILD)/web/tracetool.html
setup-web:
	@command -v emcc >/dev/null || { as=; [ "$$(id -u)" = 0 ] || as=sudo; $$as sh -c '$(APT_INSTALL) emscripten'; }
	@.packaging/libraries.sh $(WEB_LIBS) wasm32-unknown-emscripten

# The same with every library in it: a file to copy to machines that have none of them. What libarchive can do beyond reading archives and
# compressing is left out. SQLite could load extensions, but is never asked to; the linker warns of that and is not shown.
STATIC   := $(BUILD)/static/tracetool
STATIC_LIBS = $(filter-out -lacl -lxml2,$(shell $(PKG_CONFIG) --static --libs $(DEPENDS) $(if $(SQLITE),sqlite3)))
.PHONY: static
static: $(STATIC)
$(STATIC): .packaging/static.c $(CMD_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(if $(HARDEN),-static-pie,-static) -s $(ALL_LDFLAGS) -Wl,-t,--wrap=nl_langinfo -o $@ $^ \
		$(STATIC_LIBS) -lm $(LDLIBS) > $@.linked 2> $@.told || \
		{ cat $@.told; echo '$@: not every library is there to be linked in ("make setup-static" installs them)'; exit 1; } >&2
	$(Q)grep -v -i dlopen $@.told >&2 || :

# A recorder must not need anything but libc, must not be unloaded, and shows nothing but what it exports.
PIC_FLAGS := -fvisibility=hidden $(if $(WINDOWS),,-fPIC)
REC_LINK := $(if $(WINDOWS),-static -Wl$(,)--no-insert-timestamp,-Wl$(,)-z$(,)defs -Wl$(,)-z$(,)nodelete)
REC_LIBS := $(if $(WINDOWS),-lshell32,-ldl)
$(BUILD)/pic/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(PIC_FLAGS) -MMD -MP -c -o $@ $<

$(UNITY): $(PIC_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(PIC_FLAGS) $(ALL_LDFLAGS) -shared $(REC_LINK) -o $@ $^ $(REC_LIBS)

# The recorder for other systems, where their compilers are (make setup-check). What it imports is checked.
AARCH64  := aarch64-linux-gnu-gcc
MINGW    := x86_64-w64-mingw32-gcc
.PHONY: unity unity-aarch64 unity-windows
unity: $(UNITY)
	@tests/imports.sh $(UNITY)
unity-aarch64 unity-windows:
	@if command -v $(OF_$@) >/dev/null; then \
		$(MAKE) BUILD=$(BUILD)/$(@:unity-%=%) CC=$(OF_$@) unity; \
	else \
		echo '$@: not built, there is no $(OF_$@) (make setup-check)'; \
	fi
OF_unity-aarch64 := $(AARCH64)
OF_unity-windows := $(MINGW)

$(BUILD)/mono-pic/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(MONO_INC) $(MONO_CFLAGS) -MMD -MP -c -o $@ $<

$(MONO): $(MONO_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(MONO_CFLAGS) $(ALL_LDFLAGS) -shared $(REC_LINK) $(if $(WINDOWS),,-Wl$(,)-soname$(,)$(@F)) -o $@ $^ $(REC_LIBS) -lm

.PHONY: mono mono-there mono-windows
# Looked for when it is made, not when this file is read: "make setup check" brings the headers in between.
mono: $(BUILD)/flags
	@if $(PKG_CONFIG) --exists mono-2 2>/dev/null; then \
		$(MAKE) --no-print-directory mono-there; \
	else \
		echo '$@: $(MONO) is not built, there are no headers of Mono ("make setup-check" installs libmono-2.0-dev)'; \
	fi
mono-there: $(MONO)
	@:
mono-windows:
	@if command -v $(MINGW) >/dev/null; then \
		$(MAKE) BUILD=$(BUILD)/windows CC=$(MINGW) mono; \
	else \
		echo '$@: not built, there is no $(MINGW) (make setup-check)'; \
	fi

$(HELP_LIB): $(HELP_SRC:%.c=$(BUILD)/%.o)
	@mkdir -p $(@D)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)ar rcs $@ $^

$(GEN_BIN) $(UNIT_BIN) $(BATCH_BIN) $(BENCH_BIN): $(BUILD)/%: $(BUILD)/tests/%.o $(HELP_LIB) $(CORE_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

$(CORE_LIB): $(CORE_OBJ)
	@mkdir -p $(@D)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)ar rcs $@ $^

$(PLUG_LIB): $(PLUG_OBJ)
	@mkdir -p $(@D)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)ar rcs $@ $^

$(FUZZ_BIN): $(BUILD)/%: $(BUILD)/tests/%.o $(BUILD)/tests/fuzz/replay.o $(HELP_LIB) $(PLUG_LIB) $(CORE_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

# The program with allocation and transfers that fail on purpose.
# Whatever may have to grow does so each time, so that it fails everywhere once.
EXACT_OBJ := $(BUILD)/exact/lib/base/mem.o $(BUILD)/exact/lib/base/buf.o
$(EXACT_OBJ): $(BUILD)/exact/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CPPFLAGS) -DTT_GROW_EXACTLY $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(OOM_BIN): $(CMD_OBJ) $(FAULT_OBJ) $(EXACT_OBJ) $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(WRAPPED:%=-Wl,--wrap=%) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

$(HOST_LIB): $(HOST_HELP:%.c=$(BUILD)/%.o)
	@mkdir -p $(@D)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)ar rcs $@ $^

# -rdynamic: the plug-in's write() is the host's, which can be slow.
$(HOST_BIN): $(BUILD)/%: $(BUILD)/tests/%.o $(HOST_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -rdynamic $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS) -ldl

$(PROBE): tests/host/probe_plugin.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -fPIC -shared -o $@ $<

$(FAULT_SO): $(BUILD)/%.so: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(filter-out -fsanitize% -fno-sanitize%,$(ALL_CFLAGS)) -fPIC -shared -o $@ $< -ldl

.PHONY: host cost
host: $(HOST_BIN) $(PROBE)
# What recording costs a game: a minute. No test, and best with nothing else running.
cost: host $(UNITY)
	BUILD=$(BUILD) $(BUILD)/host/cost
	TRACETOOL_CLOCK=system BUILD=$(BUILD) $(BUILD)/host/cost

.PHONY: cost-mono
# The same for Mono's module: some minutes.
cost-mono: mono $(BIN)
	BUILD=$(BUILD) tests/system/mono/cost.py
	tests/system/mono/sample_cost.py $(BUILD)

.PHONY: tests unit
tests: $(HOST_BIN) $(PROBE) $(FAULT_SO) $(UNITY) mono $(BIN) $(OOM_BIN) $(GEN_BIN) $(UNIT_BIN) $(BATCH_BIN) $(FUZZ_BIN)
unit: $(UNIT_BIN)

.PHONY: clean
clean:
	rm -rf $(BUILD)

# --- packages -----------------------------------------------------------------

# What the program needs, and what else the tests and the other targets need.
# go, node and npm often come from elsewhere than Debian: the commands are what counts.
DEB_BUILD := gcc libc6-dev make libarchive-dev libjansson-dev libsqlite3-dev zlib1g-dev
DEB_TEST  := libmono-2.0-dev pkg-config bzip2 p7zip-full zip chromium clang cmark-gfm curl debootstrap firefox-esr git golang-go jq lcov \
	libarchive-tools \
	libclang-rt-dev llvm libmono-profiler libmonosgen-2.0-1 libxml2-utils lz4 mandoc \
	mono-mcs mono-runtime mono-utils munge nodejs npm parallel python3 python3-jsonschema python3-junitparser python3-prometheus-client python3-yaml \
	r-base-core r-cran-exactranktests slurm-wlm strace uftrace valgrind xz-utils zstd zsh fish \
	gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-mingw-w64-x86-64 libc6-dev-arm64-cross libc6-dev-armhf-cross musl-tools qemu-user wine wine64

# Goals that the program's packages are enough for.
PLAIN_GOALS := setup all demo check-quick release install uninstall help clean
DEB_WANTED := $(DEB_BUILD) $(if $(filter check-quick,$(MAKECMDGOALS)),python3) \
	$(if $(filter release,$(MAKECMDGOALS)),git libmono-2.0-dev pkg-config) \
	$(if $(filter-out $(PLAIN_GOALS),$(MAKECMDGOALS)),$(DEB_TEST))
.PHONY: setup setup-check
setup:
	@if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then \
		echo 'This is not a Debian system. Please install what these Debian packages hold:'; \
		echo '  to build: $(DEB_BUILD)'; \
		echo '  to test:  $(DEB_TEST)'; \
	else \
		missing=; \
		for p in $(DEB_WANTED); do \
			case $$p in \
			golang-go) command -v go ;; \
			nodejs) command -v node ;; \
			npm) command -v npm ;; \
			*) [ "$$(dpkg-query -W -f='$${db:Status-Status}' $$p 2>&1)" = installed ] ;; \
			esac > /dev/null || missing="$$missing $$p"; \
		done; \
		if [ -n "$$missing" ]; then \
			as=; [ "$$(id -u)" = 0 ] || as=sudo; \
			echo "installing:$$missing"; \
			$$as apt-get update -q && \
			DEBIAN_FRONTEND=noninteractive $$as apt-get install -qy --no-install-recommends --no-remove $$missing || { \
				echo 'setup: apt-get could not install these, or only by removing others: please install them by hand' >&2; exit 1; }; \
		else \
			echo 'every package is installed'; \
		fi; \
	fi
	$(if $(filter npm,$(DEB_WANTED)),@tests/validators/install.sh)
setup-check: setup

# --- tests ----------------------------------------------------------------------

.PHONY: check check-all check-quick
# What is soon over and needs gcc and python3 only.
check-quick: $(AFTER_SETUP)
	@$(MAKE) --no-print-directory $(ALL_CPUS) $(BIN) $(GEN_BIN) $(UNIT_BIN) $(FUZZ_BIN)
	@tests/run.sh quick $(BUILD)

check: $(AFTER_SETUP)
	@$(MAKE) --no-print-directory $(ALL_CPUS) tests
	@tests/run.sh check $(BUILD)

check-all: $(AFTER_SETUP)
	@$(MAKE) --no-print-directory $(ALL_CPUS) tests
	@tests/run.sh all $(BUILD)
	$(MAKE) BUILD=$(BUILD)/clang CC=clang OPT='$(OPT) -Werror' check

# Options of the sanitizers are for the programs they find things in; leaks are looked for at the end of each. Nothing for both is
# fault/shapes, which would count their instructions, too. Nothing for tsan are suites of one worker that fail a call by its number, for
# its library makes calls of its own; mono/both, for Mono's module knows no sanitizers; and mono/record, for signals wait until a call
# that tsan knows to wait.
.PHONY: san tsan
san:
	$(MAKE) BUILD=$(BUILD)/san OPT='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' \
		TT_SANITIZED=1 TT_TURNS=all TT_NOT='^fault/shapes$$' check
tsan:
	$(MAKE) BUILD=$(BUILD)/tsan OPT='-O1 -g -fsanitize=thread -fno-omit-frame-pointer' TT_SANITIZED=1 TT_TURNS=all \
		TT_NOT='^(fault/(oom|transfer|io|shapes)|mono/(both|record))' check

# libFuzzer comes with clang. Its build is one more variant.
FUZZ_OPT := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
$(FUZZER): $(BUILD)/fuzzer/%: $(BUILD)/tests/fuzz/%.o $(HELP_LIB) $(PLUG_LIB) $(CORE_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

.PHONY: fuzz fuzzers
fuzzers: $(FUZZER)
fuzz: tests
	$(MAKE) BUILD=$(BUILD)/fuzzing CC=clang OPT='$(FUZZ_OPT)' fuzzers
	@tests/fuzz/run.sh $(BUILD)/fuzzing $(FUZZ_TIME)

# clang's counters lie in files that the programs map as they start: what is killed counts, and the sandbox does not mind.
# The suites left out compile things themselves, and look at what libraries export.
COVER_OPT := -O1 -g -fprofile-instr-generate -fcoverage-mapping -mllvm -runtime-counter-relocation -Wno-unused-command-line-argument
COVER_NOT := ^(mono/imports|package/compile)$$
.PHONY: cover
cover:
	$(MAKE) BUILD=$(BUILD)/cover CC=clang OPT='$(COVER_OPT)' tests
	@rm -rf $(BUILD)/cover/prof
	@mkdir $(BUILD)/cover/prof
	-LLVM_PROFILE_FILE=$(abspath $(BUILD))/cover/prof/%m%c.profraw TT_TURNS=all TT_NOT='$(COVER_NOT)' tests/run.sh check $(BUILD)/cover
	@tests/cover.py $(BUILD)/cover

# Small changes, one at a time, in a copy of the tree, and whether tests find them: tests/mutants.py says how.
.PHONY: mutants
mutants:
	nice -n 10 tests/mutants.py $(BUILD) $(MUTANTS)

.PHONY: bench
bench: $(BIN) $(BENCH_BIN)
	@tests/bench/run.sh $(BUILD)

# --- the package for Unity ------------------------------------------------------

# The recorder as one C file, and the archive for the Package Manager with the libraries, without debug information. All that its README
# promises is in it, or there is none; DIST_FOR=linux names fewer systems: what others lack is then said.
ONE      := $(BUILD)/dist/tracetool_unity.c
ONE_SRC  := $(sort $(CORE_ALL) formats/ttc/crc32c.c formats/ttc/record_walk.c formats/producers/unity.c \
	$(wildcard formats/recorder/unity/*.c))
$(ONE): formats/recorder/unity/amalgamate.py $(ONE_SRC) $(wildcard formats/ttc/*.h formats/producers/*.h formats/recorder/core/*.h formats/recorder/unity/*.h)
	@mkdir -p $(@D)
	$(call say,PY,$@)
	$(Q)formats/recorder/unity/amalgamate.py -I formats --head formats/recorder/unity/amalgam_head.h --tail formats/recorder/unity/amalgam_tail.h \
		-o $@ $(ONE_SRC)

DIST_FOR := linux aarch64 windows
DIST_linux   = --lib linux-$(shell uname -m)=$(BUILD)/dist/linux.lib
DIST_aarch64 = --lib linux-aarch64=$(BUILD)/dist/aarch64.lib
DIST_windows = --lib windows-x86_64=$(BUILD)/dist/windows.lib
.PHONY: dist dist-linux dist-aarch64 dist-windows
# (mingw's strip puts the time into what it writes unless told another one.)
strip_lib = SOURCE_DATE_EPOCH=499162500 $(1)strip -g -o $(BUILD)/dist/$(@:dist-%=%).lib $(2)
dist-linux: $(UNITY) $(ONE)
	@$(call strip_lib,,$(UNITY))
LIB_dist-aarch64 := libtracetool-unity.so
LIB_dist-windows := libtracetool-unity.dll
dist-aarch64 dist-windows: $(ONE)
	@command -v $(OF_$(@:dist-%=unity-%)) >/dev/null || \
		{ echo '$@: the package wants $(OF_$(@:dist-%=unity-%)) ("make setup-check"; or DIST_FOR=linux for less)' >&2; exit 1; }
	@$(MAKE) BUILD=$(BUILD)/$(@:dist-%=%) CC=$(OF_$(@:dist-%=unity-%)) unity
	@$(call strip_lib,$(patsubst %gcc,%,$(OF_$(@:dist-%=unity-%))),$(BUILD)/$(@:dist-%=%)/$(LIB_$@))
dist: $(ONE) $(DIST_FOR:%=dist-%)
	@formats/recorder/unity/dist.py -o $(BUILD)/dist --version $(VERSION) --source $(ONE) $(foreach s,$(DIST_FOR),$(DIST_$(s)))

# --- releases ---------------------------------------------------------------------

# What is published: the sources of the last commit, what "make install" installs, built here, and their checksums.
# The same commit makes the same bytes: all times are those of the commit, names are sorted, nobody owns the files.
RELEASE  := $(BUILD)/release
SOURCES  := tracetool-$(VERSION)
PREBUILT := $(SOURCES)-$(shell uname -s | tr A-Z a-z)-$(shell uname -m)
TARBALL  := $(RELEASE)/$(SOURCES).tar.gz
.PHONY: release sources
# Of an unpacked release, the sources are packed again.
sources:
	@mkdir -p $(RELEASE)
	@if [ -e .git ]; then \
		git archive --format=tar --prefix=$(SOURCES)/ HEAD; \
	else \
		tar -c --sort=name --owner=0 --group=0 --numeric-owner --exclude=./$(BUILD) --transform='s,^\.,$(SOURCES),' .; \
	fi | gzip -9n > $(TARBALL)
release: $(AFTER_SETUP)
	@git diff --quiet HEAD -- || { echo 'release: some changes are not committed: commit them first' >&2; exit 1; }
	@$(MAKE) --no-print-directory $(ALL_CPUS) $(BIN) $(UNITY) mono
	@rm -rf $(RELEASE)
	@$(MAKE) -s --no-print-directory sources
	@$(MAKE) -s --no-print-directory install DESTDIR=$(RELEASE)/root PREFIX=/usr/local
	@strip $(RELEASE)/root/usr/local/bin/tracetool $(RELEASE)/root/usr/local/lib/tracetool/*.so
	@tar -c -C $(RELEASE)/root/usr/local --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --format=ustar \
		--mtime=@$$(git log -1 --format=%ct) --transform='s,^\.,$(PREBUILT),' . | gzip -9n > $(RELEASE)/$(PREBUILT).tar.gz
	@rm -rf $(RELEASE)/root
	@cd $(RELEASE) && sha256sum *.tar.gz > SHA256SUMS && cat SHA256SUMS

# The program with every library in it, and their licences.
.PHONY: release-static
release-static: $(STATIC)
	@mkdir -p $(RELEASE)
	@.packaging/static.sh $(STATIC) $(STATIC).linked $(PREBUILT)-static $(RELEASE)/$(PREBUILT)-static.tar.gz $$(git log -1 --format=%ct)

# Debian's packages of the same sources, to $(BUILD)/deb/ and, cross-built, $(BUILD)/deb-arm64/; DEB_OPTIONS are dpkg-buildpackage's.
# setup-deb installs what that needs, setup-deb-arm64 what it and check-quick-arm64 need: best in a container, for it adds an architecture.
DEB_OPTIONS ?=
DEB_NEEDS   := build-essential debhelper libmono-2.0-dev pkg-config python3
APT_INSTALL := apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends
DEB_LIBS    := $(filter %-dev,$(filter-out libc6-dev,$(DEB_BUILD)))
.PHONY: deb deb-arm64 rpm setup-deb setup-deb-arm64 setup-static check-quick-arm64 sbom publish
deb deb-arm64: sources
	@.packaging/deb.sh $(TARBALL) $(VERSION) $(BUILD)/$@ $(if $(filter deb-%,$@),-a$(@:deb-%=%) -Pcross$(,)nocheck) \
		$(DEB_OPTIONS)
# RPM packages of them, to $(BUILD)/rpm/RPMS/; RPM_OPTIONS are rpmbuild's, --nodeps where rpm does not know what is installed.
RPM_OPTIONS ?=
rpm: sources
	@rm -rf $(BUILD)/rpm && mkdir -p $(BUILD)/rpm/SOURCES && cp $(TARBALL) $(BUILD)/rpm/SOURCES
	@env -u MAKEFLAGS -u MAKELEVEL -u BUILD rpmbuild -ba --define '_topdir $(abspath $(BUILD))/rpm' --define 'tracetool_version $(VERSION)' \
		$(RPM_OPTIONS) .packaging/tracetool.spec
setup-deb:
	$(APT_INSTALL) $(DEB_NEEDS) $(DEB_LIBS)
# Debian has them as archives, too, for "make static".
setup-static:
	$(APT_INSTALL) $(DEB_BUILD) pkg-config libbz2-dev liblz4-dev liblzma-dev libzstd-dev nettle-dev
setup-deb-arm64:
	dpkg --add-architecture arm64
	$(APT_INSTALL) $(filter-out %-dev pkg-config,$(DEB_NEEDS)) crossbuild-essential-arm64 qemu-user pkg-config:arm64 $(DEB_LIBS:=:arm64) \
		libmono-2.0-dev:arm64
# The quick tests of the program for arm64, by qemu, which has neither Landlock nor seccomp, and takes many times as long.
check-quick-arm64:
	TT_SLOW=11 TRACETOOL_SANDBOX=off TT_NOT='^(unit/io/sandbox|cli/sandbox_changes_no_byte)$$' tests/package/qemu.sh $(MAKE) \
		CC=$(AARCH64) PKG_CONFIG=aarch64-linux-gnu-pkg-config BUILD=$(BUILD)/arm64 check-quick

# What the sources hold of others, and what they are linked with.
sbom:
	@mkdir -p $(RELEASE)
	@.packaging/sbom.py $(VERSION) $(DEPENDS) $(if $(SQLITE),sqlite3) > $(RELEASE)/$(SOURCES).cdx.json
# All that was made for a release, in one folder with its checksums.
publish: sbom
	@cp $(wildcard $(BUILD)/dist/*.tgz $(BUILD)/deb*/tracetool*_$(VERSION)-*.deb) $(RELEASE)/
	@cd $(RELEASE) && rm -f SHA256SUMS *dbgsym* && sha256sum * > SHA256SUMS && cat SHA256SUMS

# --- demo -----------------------------------------------------------------------

# First the figures of a capture, for which the program is enough; then a stand-in game and, where Mono is, a program of Mono's.
DEMO     := testdata/demo/good-hitches.ttc.xz
DEMO_OUT := $(BUILD)/demo/hitches

.PHONY: demo
demo: $(AFTER_SETUP)
	@$(MAKE) --no-print-directory $(ALL_CPUS) $(BIN)
	@mkdir -p $(BUILD)/demo
	@echo
	@echo '$$ tracetool stats $(DEMO) --table hitches,frames,gcalloc --limit 7'
	@$(BIN) stats $(DEMO) --table hitches,frames,gcalloc --limit 7
	@echo
	@echo '$$ tracetool convert $(DEMO) -o $(DEMO_OUT).pftrace -o $(DEMO_OUT).pb.gz'
	@$(BIN) convert $(DEMO) -o $(DEMO_OUT).pftrace -o $(DEMO_OUT).pb.gz
	@if command -v go >/dev/null; then \
		echo; echo '$$ go tool pprof -top -nodecount=8 $(DEMO_OUT).pb.gz'; \
		go tool pprof -top -nodecount=8 $(DEMO_OUT).pb.gz 2>/dev/null; \
	fi
	@echo
	@echo '# A stand-in Unity game, recorded through the real plug-in:'
	@$(MAKE) --no-print-directory $(ALL_CPUS) $(BUILD)/libtracetool-unity.so $(BUILD)/host/host mono
	@echo '$$ $(BUILD)/host/host frames=600 threads=8 events=6000 capture=$(BUILD)/demo/game.ttc'
	@rm -f $(BUILD)/demo/game.ttc
	@BUILD=$(BUILD) $(BUILD)/host/host frames=600 threads=8 events=6000 capture=$(BUILD)/demo/game.ttc
	@echo
	@echo '$$ tracetool stats $(BUILD)/demo/game.ttc --table frames,hitches,hitch_markers --hitches 2'
	@$(BIN) stats $(BUILD)/demo/game.ttc --table frames,hitches,hitch_markers --hitches 2 --limit 8
	@echo
	@if [ -e $(MONO) ] && command -v mono mcs >/dev/null; then \
		mcs -out:$(BUILD)/demo/GameLoop.exe -r:System.Core.dll tests/system/mono/GameLoop.cs 2>/dev/null; \
		echo '# A Mono program, recorded by our module:'; \
		echo '$$ tracetool record -p calls,alloc,gc,frame=World:Frame -o $(BUILD)/demo/mono.ttc -- mono $(BUILD)/demo/GameLoop.exe 300 20'; \
		rm -f $(BUILD)/demo/mono.ttc; \
		$(BIN) record -p calls,alloc,gc,frame=World:Frame -o $(BUILD)/demo/mono.ttc -- mono $(BUILD)/demo/GameLoop.exe 300 20; \
		echo; \
	fi
	@echo 'Open $(DEMO_OUT).pftrace in https://ui.perfetto.dev (it stays on your machine)'

# --- manual and installation ------------------------------------------------------

# The pictures of README.md, by node and Debian's chromium.
.PHONY: pictures
pictures: $(BIN)
	.github/pictures/frames.py $(BIN) $(DEMO) > .github/pictures/frames.svg
	.github/pictures/page.cjs $(BIN) $(DEMO)

.PHONY: man
man: $(BIN)
	@man/common.sh write $(PAGES)
	@man/tables.py write $(BIN) man/tracetool-metrics.7 man/tracetool-tables.7 man/tracetool-json.7 man/tracetool-sqlite.7 man/tracetool-unity-raw.7

INSTALL  ?= install
# Runs the program where it was built for another machine, as an emulator does: completions are what it prints.
RUN      ?=
# Each file that is installed and its place, "FROM=TO"; engines are found below cmd/share.
PLACES   = $(BIN)=$(BINDIR)/tracetool $(UNITY)=$(MODULES)/$(notdir $(UNITY)) $(MONO)=$(MODULES)/$(notdir $(MONO)) \
	$(foreach p,$(PAGES),$(p)=$(MANDIR)/man$(subst .,,$(suffix $(p)))/$(notdir $(p))) \
	$(foreach f,formats/recorder/unity/tracetool_unity.h formats/recorder/mono/tracetool_mono.h,$(f)=$(INCLUDEDIR)/$(notdir $(f))) \
	$(foreach f,$(wildcard README.md CHANGELOG.md LICENSE),$(f)=$(DOCDIR)/$(f)) \
	$(foreach f,lib/gate/budget.schema.json lib/gate/verdict.schema.json formats/recorder/mono/package/Tracetool.cs \
		,$(f)=$(DATADIR)/tracetool/$(notdir $(f))) \
	$(foreach f,$(shell find cmd/share -type f 2>/dev/null | sort),$(f)=$(DATADIR)/tracetool/$(f:cmd/share/%=%))
COMPLETIONS = bash=$(BASH_COMPLETIONS)/tracetool zsh=$(ZSH_COMPLETIONS)/_tracetool fish=$(FISH_COMPLETIONS)/tracetool.fish

.PHONY: install uninstall
# Mono's module is there if its headers are. Pages get the version; what can be run stays so, but for libraries.
install: $(BIN) $(UNITY) mono
	$(Q)set -e; for p in $(PLACES); do \
		from=$${p%%=*} to=$(DESTDIR)$${p#*=} mode=644; \
		[ $$from != $(MONO) ] || [ -e $$from ] || continue; \
		case $$from in *.so|*.dll) ;; *) [ ! -x $$from ] || mode=755 ;; esac; \
		$(INSTALL) -D -m $$mode $$from $$to; \
		case $$from in man/*) sed 's/^\.Os tracetool$$/& $(VERSION)/' $$from > $$to ;; esac; \
	done
	$(Q)set -e; for c in $(COMPLETIONS); do \
		to=$(DESTDIR)$${c#*=}; \
		$(INSTALL) -d $$(dirname $$to); \
		$(RUN) $(BIN) help --completion $${c%%=*} > $$to; \
		chmod 644 $$to; \
	done
	$(Q)ln -sfr $(DESTDIR)$(DATADIR)/tracetool/slurm/tracetool-slurm $(DESTDIR)$(BINDIR)/tracetool-slurm

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/tracetool-slurm
	rm -f $(foreach p,$(PLACES) $(COMPLETIONS),$(DESTDIR)$(lastword $(subst =, ,$(p))))
	-rmdir $(addprefix $(DESTDIR),$(MODULES) $(DOCDIR)) 2>/dev/null
	-find $(DESTDIR)$(DATADIR)/tracetool -depth -type d -empty -delete 2>/dev/null

-include $(LIB_OBJ:.o=.d) $(PIC_OBJ:.o=.d) $(PLUG_OBJ:.o=.d) $(CORE_OBJ:.o=.d) $(MONO_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(EXACT_OBJ:.o=.d) \
	$(FAULT_OBJ:.o=.d) $(patsubst %.c,$(BUILD)/%.d,$(HELP_SRC) $(GEN_SRC) $(UNIT_SRC) $(HOST_SRC) $(HOST_HELP) $(BATCH_SRC) $(BENCH_SRC) \
	$(FUZZ_SRC) tests/fuzz/replay.c)
