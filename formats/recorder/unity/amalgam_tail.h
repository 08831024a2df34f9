/**
 * The end of the recorder in one C file. Only amalgamate.py takes it in.
 */

/* ---- registration where plug-ins are linked in ---- */

#ifdef TRACETOOL_STATIC
/* Of players that link plug-ins in. */
void UnityRegisterRenderingPluginV5(unity_load_fn *load, unity_unload_fn *unload);

/* Give our entry points to the engine. The C# companion calls it once. */
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
