# tracetool: GNU make. `make` builds build/tracetool; `make help` lists the rest.
CC       ?= cc
OPT      ?= -O2 -g
WARN     := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CPPFLAGS += -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Ilib -Iformats -Icmd
CFLAGS   += -std=c11 $(OPT) $(WARN) -pthread -fno-strict-overflow
LDFLAGS  += -pthread
LDLIBS   += -larchive -ljansson -lz -lm
BUILD    ?= build
PREFIX   ?= /usr/local

LIB_SRC  := $(wildcard lib/*/*.c formats/*.c formats/*/*.c)
CMD_SRC  := $(wildcard cmd/*.c)
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
CMD_OBJ  := $(CMD_SRC:%.c=$(BUILD)/%.o)
UNIT_SRC := $(wildcard tests/unit/*.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/unit/%)

.PHONY: all unit clean
all: $(BUILD)/tracetool

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/libtracetool.a: $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/tracetool: $(CMD_OBJ) $(BUILD)/libtracetool.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libtracetool.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP -o $@ $< $(BUILD)/libtracetool.a $(LDFLAGS) $(LDLIBS)

unit: $(UNIT_BIN)

clean:
	rm -rf $(BUILD)

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(UNIT_BIN:=.d)
