/**
 * Records arguments, results and locals of the methods that the option args names, as values of a zone. A value is recorded by its bits, its text, or its
 * class and address.
 */
#include "recorder/mono/module.h"
#include "recorder/mono/frame.h"

#include <stdio.h>
#include <stdlib.h>

#include <mono/metadata/blob.h>

enum { VALUES = 24, TEXT = 200, CHARS = 400 };

/* Values while they are collected; the memory to which they point must live as long. */
struct values {
	unsigned n;
	struct rec_value v[VALUES];
	void *buffer[VALUES];         /* buffers of the runtime */
	struct { uint64_t bits; char text[TEXT]; } own[VALUES];
};

static void
set(struct values *to, unsigned type, const void *p, size_t size)
{
	to->v[to->n++] = (struct rec_value){ .type = (uint8_t)type, .size = (uint32_t)size, .p = p };
}

static void
set_number(struct values *to, unsigned type, uint64_t bits, size_t size)
{
	to->own[to->n].bits = bits;
	set(to, type, &to->own[to->n].bits, size);
}

/* Set a value that is neither a number nor text: null, false or true. */
static void
set_word(struct values *to, enum ttc_word word)
{
	set_number(to, TTC_WORD, word, 1);
}

/* Set an object: its class and address. */
static void
set_object(struct values *to, MonoObject *o)
{
	char *text = to->own[to->n].text;
	size_t n;

	if (!o) {
		set_word(to, TTC_W_NULL);
		return;
	}
	n = api_class_name(api.mono_object_get_class(o), text, TEXT - 24);
	n += (size_t)snprintf(text + n, TEXT - n, " 0x%llx", (unsigned long long)module_key(o));
	set(to, TTC_TEXT8, text, n);
}

static void
set_string(struct values *to, MonoString *s)
{
	if (!s || !api.mono_string_chars || !api.mono_string_length) {
		set_object(to, (MonoObject *)s);
		return;
	}
	int n = api.mono_string_length(s);
	set(to, TTC_TEXT16, api.mono_string_chars(s), (size_t)(n < CHARS ? n : CHARS) * 2);
}

static bool
is_ref(MonoType *type)
{
	return api.mono_type_is_byref && api.mono_type_is_byref(type);
}

static void set_value(struct values *to, MonoType *type, const void *p);

/* Return the address of the field ${name} of the structure at ${p}, and its *${type}; NULL if there is no such field or the runtime lacks the functions. */
static const void *
field_of(MonoClass *c, const char *name, const void *p, MonoType **type)
{
	MonoClassField *field = api.mono_class_get_field_from_name && api.mono_field_get_offset && api.mono_field_get_type ?
	    api.mono_class_get_field_from_name(c, name) : NULL;

	if (!field)
		return NULL;
	*type = api.mono_field_get_type(field);
	/* Offsets include an object's header of two words. */
	return (const char *)p + api.mono_field_get_offset(field) - 2 * sizeof(void *);
}

/* Write a 96-bit number with a power of ten, with all its digits: 1.50 stays 1.50. */
static size_t
put_decimal(char *to, const void *p)
{
	uint32_t word[4], high;       /* flags, then the number's highest, lowest and middle bits */
	char digit[40];
	int n = 0;
	size_t at = 0;

	memcpy(word, p, sizeof word);
	int scale = word[0] >> 16 & 0xff;
	scale = scale < 29 ? scale : 28;
	uint32_t part[3] = { word[1], word[3], word[2] };
	do {
		high = 0;
		for (int i = 0; i < 3; i++) {
			uint64_t x = (uint64_t)high << 32 | part[i];
			part[i] = (uint32_t)(x / 10);
			high = (uint32_t)(x % 10);
		}
		digit[n++] = (char)('0' + high);
	} while (part[0] || part[1] || part[2] || n <= scale);
	if (word[0] >> 31)
		to[at++] = '-';
	while (n > 0) {
		if (n-- == scale)
			to[at++] = '.';
		to[at++] = digit[n];
	}
	return at;
}

/* Set a structure: a decimal number by its digits, a nullable by its value, any other structure by its type. */
static void
set_structure(struct values *to, MonoClass *c, const void *p)
{
	char *text = to->own[to->n].text;
	size_t n = api_class_name(c, text, TEXT);
	MonoType *type;
	const void *has, *value;

	if (n == 14 && memcmp(text, "System.Decimal", 14) == 0) {
		n = put_decimal(text, p);
	} else if (n == 17 && memcmp(text, "System.Nullable`1", 17) == 0) {
		/* The field's name differs between generations of the runtime. */
		if ((has = field_of(c, "hasValue", p, &type)) == NULL)
			has = field_of(c, "has_value", p, &type);
		value = has ? field_of(c, "value", p, &type) : NULL;
		if (value && *(const uint8_t *)has)
			set_value(to, type, value);
		else if (value)
			set_word(to, TTC_W_NULL);
		if (value)
			return;
	}
	set(to, TTC_TEXT8, text, n);
}

/* Set a number, a character or a truth value. False: the kind is none of these. */
static bool
set_plain(struct values *to, int kind, const void *p)
{
	static const struct { uint8_t type, size; } plain[] = {
		[MONO_TYPE_BOOLEAN] = { TTC_WORD, 1 }, [MONO_TYPE_CHAR] = { TTC_TEXT16, 2 }, [MONO_TYPE_I1] = { TTC_I32, 1 },
		[MONO_TYPE_U1] = { TTC_U32, 1 }, [MONO_TYPE_I2] = { TTC_I32, 2 }, [MONO_TYPE_U2] = { TTC_U32, 2 },
		[MONO_TYPE_I4] = { TTC_I32, 4 }, [MONO_TYPE_U4] = { TTC_U32, 4 }, [MONO_TYPE_I8] = { TTC_I64, 8 },
		[MONO_TYPE_U8] = { TTC_U64, 8 }, [MONO_TYPE_R4] = { TTC_F32, 4 }, [MONO_TYPE_R8] = { TTC_F64, 8 },
		[MONO_TYPE_PTR] = { TTC_PTR, sizeof(void *) }, [MONO_TYPE_I] = { TTC_I64, sizeof(void *) },
		[MONO_TYPE_U] = { TTC_U64, sizeof(void *) }, [MONO_TYPE_FNPTR] = { TTC_PTR, sizeof(void *) },
	};
	uint64_t bits = 0;

	if ((size_t)kind >= sizeof plain / sizeof *plain || plain[kind].size == 0)
		return false;
	size_t n = plain[kind].size;
	memcpy(&bits, p, n);
	switch (plain[kind].type) {
	case TTC_I32: case TTC_U32:
		/* Numbers take at least four bytes in a record. */
		if (kind == MONO_TYPE_I1 || kind == MONO_TYPE_I2) {
			int32_t i = n == 1 ? (int8_t)bits : (int16_t)bits;
			bits = (uint32_t)i;
		}
		n = 4;
		break;
	case TTC_WORD:
		bits = bits ? TTC_W_TRUE : TTC_W_FALSE;
		break;
	case TTC_PTR:
		n = 8;
		break;
	default:
		break;
	}
	set_number(to, plain[kind].type, bits, n);
	return true;
}

/* Set the value to which a parameter by reference refers. */
static void
set_referred(struct values *to, MonoType *type, const void *p)
{
	void *o;

	memcpy(&o, p, sizeof o);
	if (!o) {
		set_word(to, TTC_W_NULL);
		return;
	}
	type = api.mono_class_get_type(api.mono_class_from_mono_type(type));
	/* Only the instance knows the type, so the value cannot be read. */
	if (!type || api.mono_type_get_type(type) == MONO_TYPE_VAR || api.mono_type_get_type(type) == MONO_TYPE_MVAR)
		set(to, TTC_TEXT8, "ref", 3);
	else
		set_value(to, type, o);
}

/* Return the kind of ${type}'s values; for an enumeration, that of its number. */
static int
kind_of(MonoType *type)
{
	int kind = api.mono_type_get_type(type);

	if (kind == MONO_TYPE_VALUETYPE && api.mono_class_is_enum && api.mono_type_get_underlying_type &&
	    api.mono_class_is_enum(api.mono_class_from_mono_type(type)))
		kind = api.mono_type_get_type(api.mono_type_get_underlying_type(type));
	return kind;
}

/* Set the value of ${type} at ${p}. */
static void
set_value(struct values *to, MonoType *type, const void *p)
{
	int kind = kind_of(type);
	void *o;

	if (is_ref(type)) {
		set_referred(to, type, p);
		return;
	}
	if (set_plain(to, kind, p))
		return;
	if (kind == MONO_TYPE_VALUETYPE || kind == MONO_TYPE_TYPEDBYREF ||
	    (kind == MONO_TYPE_GENERICINST && api.mono_class_is_valuetype(api.mono_class_from_mono_type(type)))) {
		set_structure(to, api.mono_class_from_mono_type(type), p);
		return;
	}
	memcpy(&o, p, sizeof o);
	if (kind == MONO_TYPE_STRING || (o && api.mono_get_string_class && api.mono_object_get_class(o) == api.mono_get_string_class()))
		set_string(to, o);
	else
		set_object(to, o);
}

/* Take over a value from the runtime. If the runtime gave none, add "?", because values are matched by their places. */
static void
add(struct values *to, MonoType *type, void *buffer)
{
	if (to->n == VALUES) {
		api.mono_profiler_call_context_free_buffer(buffer);
		return;
	}
	to->buffer[to->n] = buffer;
	if (buffer)
		set_value(to, type, buffer);
	else
		set(to, TTC_TEXT8, "?", 1);
}

static void
release(struct values *v)
{
	for (unsigned i = 0; i < v->n; i++)
		api.mono_profiler_call_context_free_buffer(v->buffer[i]);
}

/* True if the runtime has all functions that values need. */
static bool
able(void)
{
	return api.mono_profiler_call_context_get_this && api.mono_profiler_call_context_get_argument &&
	    api.mono_profiler_call_context_get_result && api.mono_profiler_call_context_free_buffer &&
	    api.mono_method_signature && api.mono_signature_get_params &&
	    api.mono_type_get_type && api.mono_class_from_mono_type && api.mono_class_is_valuetype;
}

/* True if the parameter is "out". If the runtime does not tell, any parameter by reference may be one. */
static bool
is_out(MonoMethodSignature *s, MonoType *type, uint32_t i)
{
	return is_ref(type) && (!api.mono_signature_param_is_out || api.mono_signature_param_is_out(s, (int)i));
}

void
args_compiled(MonoMethod *m)
{
	MonoMethodSignature *s;
	char text[4000];
	size_t n = 0;

	if (!module.o.values.n[LIST_ARGS] || !(filter_flags(m) & FILTER_ARGS) || !able() || !api.mono_method_get_param_names ||
	    !api.mono_signature_get_param_count || !api.mono_signature_is_instance || !(s = api.mono_method_signature(m)))
		return;
	uint32_t count = api.mono_signature_get_param_count(s);
	/* The runtime writes all names, even if fewer are recorded. */
	const char **name = calloc((size_t)count + 1, sizeof *name);
	if (!name)
		return;
	api.mono_method_get_param_names(m, name);
	if (api.mono_signature_is_instance(s)) {
		memcpy(text, "this", 5);
		n = 5;
	}
	for (uint32_t i = 0; i < count && i < VALUES; i++) {
		const char *one = name[i] ? name[i] : "";
		size_t size = strlen(one) + 1;
		if (size > sizeof text - n)
			break;
		memcpy(text + n, one, size);
		n += size;
	}
	free(name);
	if (n > 0)
		rec_def_args(module_key(m), text, n);
}

void
args_enter(struct rec_thread *t, uint64_t now, MonoMethod *m, MonoProfilerCallContext *context)
{
	struct values v = { .n = 0 };
	void *iter = NULL, *self;
	uint32_t i = 0;

	if (!able()) {
		rec_begin(t, now, module_key(m));
		return;
	}
	MonoMethodSignature *s = api.mono_method_signature(m);
	MonoClass *c = api.mono_method_get_class(m);
	if ((self = api.mono_profiler_call_context_get_this(context)) != NULL) {
		void *o;
		memcpy(&o, self, sizeof o);
		v.buffer[0] = self;
		if (c && api.mono_class_is_valuetype(c))
			set_number(&v, TTC_PTR, module_key(o), 8);
		else
			set_object(&v, o);
	}
	for (MonoType *type; s && (type = api.mono_signature_get_params(s, &iter)) != NULL; i++) {
		/* An "out" parameter has no value yet, and may not even point to an object. */
		if (!is_out(s, type, i))
			add(&v, type, api.mono_profiler_call_context_get_argument(context, i));
		else if (v.n < VALUES)
			set(&v, TTC_TEXT8, "out", 3);
	}
	rec_begin_args(t, now, module_key(m), v.v, v.n);
	release(&v);
}

/* --- local variables ------------------------------------------------------------------- */

static bool
is_plain(MonoType *type)
{
	int kind = api.mono_type_get_type(type);

	return (kind >= MONO_TYPE_BOOLEAN && kind <= MONO_TYPE_R8) || kind == MONO_TYPE_I || kind == MONO_TYPE_U ||
	    kind == MONO_TYPE_PTR;
}

static bool
has_locals(void)
{
	return api.mono_method_get_token && api.mono_debug_find_method && api.mono_debug_free_method_jit_info && api.mono_domain_get &&
	    api.mono_method_get_header &&
	    api.mono_method_header_get_locals && api.mono_metadata_free_mh;
}

/* Add the local variables in the order of declaration, as the compiler kept them; a variable that it dropped is unknown. */
static void
put_locals(struct rec_thread *t, uint64_t now, MonoMethod *m)
{
	/* Methods made by the runtime have no token, and keep numbers in variables for objects. */
	MonoDebugMethodJitInfo *info = has_locals() && api.mono_method_get_token(m) != 0 ? api.mono_debug_find_method(m, api.mono_domain_get()) : NULL;
	MonoMethodHeader *h = info && info->num_locals > 0 ? api.mono_method_get_header(m) : NULL;
	struct values v = { .n = 0 };
	struct frame frame;
	mono_bool clear = false;
	uint32_t n = 0;

	if (h && frame_find(&frame, info)) {
		MonoType **type = api.mono_method_header_get_locals(h, &n, &clear);
		set(&v, TTC_TEXT8, "locals", 6);
		for (uint32_t i = 0; i < n && i < info->num_locals && v.n < VALUES; i++) {
			uint64_t room;
			const void *at = frame_variable(&frame, &info->locals[i], &room);
			/* The target of a reference may be gone, and a variable that does not start as zero must not be taken for an object. */
			if (at && is_ref(type[i]))
				set(&v, TTC_TEXT8, "ref", 3);
			else if (at && (clear || is_plain(type[i])))
				set_value(&v, type[i], at);
			else
				set(&v, TTC_TEXT8, "?", 1);
		}
		rec_single(t, now, module_key(m), v.v, v.n);
	}
	if (h)
		api.mono_metadata_free_mh(h);
	if (info)
		api.mono_debug_free_method_jit_info(info);
}

void
args_leave(struct rec_thread *t, uint64_t now, MonoMethod *m, MonoProfilerCallContext *context)
{
	struct values v = { .n = 0 };

	if (!able())
		return;
	MonoMethodSignature *s = api.mono_method_signature(m);
	MonoType *type = s && api.mono_signature_get_return_type ? api.mono_signature_get_return_type(s) : NULL;
	if (type && api.mono_type_get_type(type) != MONO_TYPE_VOID)
		add(&v, type, api.mono_profiler_call_context_get_result(context));
	/* The end of a zone has no arguments, so the values are a separate event inside the zone. */
	if (v.n > 0)
		rec_single(t, now, module_key(m), v.v, v.n);
	release(&v);
	put_locals(t, now, m);
}
