/**
 * The end of the one-file recorder; only amalgamate.py uses it.
 */

/* ---- registration where plug-ins are linked in ---- */

#ifdef TRACETOOL_STATIC
/* Provided by players that link plug-ins in. */
void UnityRegisterRenderingPluginV5(unity_load_fn *load, unity_unload_fn *unload);

/* Register our entry points with the engine; the C# companion calls it once. */
TRACETOOL_API int32_t tracetool_register(void);

int32_t
tracetool_register(void)
{
	static _Bool done;

	if (!done)
		UnityRegisterRenderingPluginV5(UnityPluginLoad, UnityPluginUnload);
	done = 1;
	return TRACETOOL_OK;
}
#endif
