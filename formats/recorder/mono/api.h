/**
 * The runtime's functions, found by name when the module is loaded: it is not linked with a runtime, so that it
 * serves the program mono, programs that embed Mono and hosts that load it late (Unity), and older and newer ones.
 *
 * Source: Mono 6.8's public headers (libmono-2.0-dev), API version 3; what version 2 lacks is optional.
 */
#ifndef TT_MONO_API_H
#define TT_MONO_API_H

#include <stdbool.h>

#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/jit/jit.h>
#include <mono/metadata/mono-debug.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>
#include <mono/metadata/profiler.h>
#include <mono/metadata/threads.h>
#include <mono/metadata/tokentype.h>
#include <mono/utils/mono-counters.h>
#include <mono/utils/mono-publib.h>

/* Functions without which nothing can be recorded. */
#define API_NEEDED(X) \
	X(mono_assembly_get_image) X(mono_assembly_get_name) X(mono_assembly_name_get_name) X(mono_class_get_image) X(mono_class_get_name) \
	X(mono_class_get_namespace) X(mono_class_get_nesting_type) X(mono_class_get_type) X(mono_domain_get_id) \
	X(mono_free) X(mono_image_get_assembly) X(mono_image_get_filename) X(mono_image_get_guid) \
	X(mono_image_get_name) X(mono_method_full_name) X(mono_method_get_class) X(mono_method_get_name) \
	X(mono_object_get_class) X(mono_object_get_size) X(mono_profiler_create) \
	X(mono_profiler_enable_allocations) X(mono_profiler_set_assembly_loaded_callback) \
	X(mono_profiler_set_call_instrumentation_filter_callback) X(mono_profiler_set_class_loaded_callback) \
	X(mono_profiler_set_domain_name_callback) X(mono_profiler_set_gc_allocation_callback) \
	X(mono_profiler_set_image_loaded_callback) X(mono_profiler_set_image_unloaded_callback)X(mono_profiler_set_jit_done_callback) \
	X(mono_profiler_set_method_enter_callback) X(mono_profiler_set_method_exception_leave_callback) \
	X(mono_profiler_set_method_leave_callback) X(mono_profiler_set_method_tail_call_callback) \
	X(mono_profiler_set_runtime_initialized_callback) X(mono_profiler_set_runtime_shutdown_begin_callback) \
	X(mono_profiler_set_runtime_shutdown_end_callback) X(mono_profiler_set_thread_name_callback) \
	X(mono_profiler_set_thread_started_callback) X(mono_profiler_set_thread_stopped_callback) \
	X(mono_stringify_assembly_name) X(mono_type_get_name)

/* Functions that may be NULL if the runtime lacks them: options that need one are refused, or their events left out. */
#define API_OPTIONAL(X) \
	X(mono_assembly_foreach) X(mono_class_from_mono_type) X(mono_class_get_field_from_name) \
	X(mono_field_get_offset) X(mono_field_get_type) X(mono_class_is_enum) X(mono_class_is_valuetype) \
	X(mono_context_get_domain_id) X(mono_context_get_id) \
	X(mono_domain_get_friendly_name) X(mono_gc_collect) X(mono_gc_finalize_notify) X(mono_gc_get_generation) \
	X(mono_gc_max_generation) X(mono_gc_walk_heap) X(mono_get_method) \
	X(mono_image_get_table_rows) X(mono_jit_info_get_method) X(mono_jit_info_table_find) X(mono_method_get_token) \
	X(mono_profiler_enable_coverage) X(mono_profiler_enable_sampling) X(mono_profiler_get_coverage_data) \
	X(mono_profiler_set_coverage_filter_callback) X(mono_profiler_set_domain_unloading_callback) \
	X(mono_profiler_set_sample_hit_callback) X(mono_profiler_set_sample_mode) X(mono_stack_walk_async_safe) \
	X(mono_counter_get_name) X(mono_counter_get_section) X(mono_counter_get_type) X(mono_counter_get_unit) \
	X(mono_counters_foreach) X(mono_counters_sample) \
	X(mono_get_runtime_build_info) X(mono_jit_info_get_code_size) \
	X(mono_jit_info_get_code_start) \
	X(mono_method_signature) X(mono_profiler_call_context_free_buffer) \
	X(mono_profiler_call_context_get_argument) \
	X(mono_profiler_call_context_get_result) X(mono_profiler_call_context_get_this) \
	X(mono_profiler_enable_call_context_introspection) X(mono_profiler_enable_clauses) \
	X(mono_profiler_set_assembly_unloaded_callback) X(mono_profiler_set_context_loaded_callback) \
	X(mono_profiler_set_context_unloaded_callback) X(mono_profiler_set_domain_unloaded_callback) \
	X(mono_profiler_set_exception_clause_callback) X(mono_profiler_set_exception_throw_callback) \
	X(mono_profiler_set_gc_event_callback) X(mono_profiler_set_gc_finalized_callback) \
	X(mono_profiler_set_gc_finalized_object_callback) X(mono_profiler_set_gc_finalizing_callback) \
	X(mono_profiler_set_gc_finalizing_object_callback) X(mono_profiler_set_gc_handle_created_callback) \
	X(mono_profiler_set_gc_handle_deleted_callback) X(mono_profiler_set_gc_moves_callback) \
	X(mono_profiler_set_gc_resize_callback) X(mono_profiler_set_gc_root_register_callback) \
	X(mono_profiler_set_gc_root_unregister_callback) X(mono_profiler_set_gc_roots_callback) \
	X(mono_profiler_set_jit_begin_callback) X(mono_profiler_set_jit_code_buffer_callback) \
	X(mono_profiler_set_jit_failed_callback) X(mono_profiler_set_method_free_callback) \
	X(mono_profiler_set_monitor_acquired_callback) X(mono_profiler_set_monitor_contention_callback) \
	X(mono_profiler_set_monitor_failed_callback) X(mono_signature_get_params) \
	X(mono_signature_get_return_type) X(mono_stack_walk_no_il) X(mono_string_chars) X(mono_string_length) \
	X(mono_type_get_type) X(mono_type_get_underlying_type) X(mono_type_is_byref) X(mono_signature_param_is_out) \
	X(mono_object_get_vtable) X(mono_vtable_class) X(mono_vtable_domain) X(mono_profiler_set_vtable_loaded_callback) \
	X(mono_debug_find_method) X(mono_debug_free_method_jit_info) X(mono_domain_get) X(mono_domain_get_by_id) \
	X(mono_get_string_class) X(mono_metadata_free_mh) \
	X(mono_method_get_param_names) X(mono_signature_get_param_count) X(mono_signature_is_instance) \
	X(mono_method_get_header) X(mono_method_header_get_locals)

#define API_MEMBER(name) __typeof__(&name) name;
struct api {
	API_NEEDED(API_MEMBER)
	API_OPTIONAL(API_MEMBER)
};
extern struct api api;

/**
 * api_find(inside):
 * Fill the table from the library that contains the address ${inside}, or from the program. Returns NULL, or the name of a needed function that is missing.
 */
const char *api_find(void *inside);

/* Write the name of any class, "Namespace.Outer/Inner", cut to ${room} bytes; returns its length. Any time. */
size_t api_class_name(MonoClass *c, char *to, size_t room);

/* The runtime's version of the profiler API: 2 or 3. */
unsigned api_version(void);

#endif
