// Writes Bare.exe, with a method whose local variables do not begin as zero; no C# compiler makes such a method.
using System;
using System.Reflection;
using System.Reflection.Emit;

class MakeBare
{
	const MethodAttributes Static = MethodAttributes.Public | MethodAttributes.Static;

	static void Sum(MethodBuilder m)
	{
		ILGenerator il = m.GetILGenerator();
		LocalBuilder sum = il.DeclareLocal(typeof(int)), o = il.DeclareLocal(typeof(object));
		LocalBuilder place = il.DeclareLocal(typeof(IntPtr)), half = il.DeclareLocal(typeof(double));
		LocalBuilder odd = il.DeclareLocal(typeof(bool)), s = il.DeclareLocal(typeof(string));

		m.InitLocals = false;
		m.SetImplementationFlags(MethodImplAttributes.NoInlining);
		il.Emit(OpCodes.Ldarg_0);
		il.Emit(OpCodes.Ldc_I4, 1000);
		il.Emit(OpCodes.Add);
		il.Emit(OpCodes.Stloc, sum);
		il.Emit(OpCodes.Ldarg_0);
		il.Emit(OpCodes.Conv_I);
		il.Emit(OpCodes.Stloc, place);
		il.Emit(OpCodes.Ldarg_0);
		il.Emit(OpCodes.Conv_R8);
		il.Emit(OpCodes.Ldc_R8, 2.0);
		il.Emit(OpCodes.Div);
		il.Emit(OpCodes.Stloc, half);
		il.Emit(OpCodes.Ldarg_0);
		il.Emit(OpCodes.Ldc_I4_1);
		il.Emit(OpCodes.And);
		il.Emit(OpCodes.Stloc, odd);
		il.Emit(OpCodes.Ldstr, "a text");
		il.Emit(OpCodes.Stloc, s);
		il.Emit(OpCodes.Ldloc, s);
		il.Emit(OpCodes.Callvirt, typeof(string).GetProperty("Length").GetGetMethod());
		il.Emit(OpCodes.Ldloc, sum);
		il.Emit(OpCodes.Add);
		il.Emit(OpCodes.Ret);
	}

	static void Main()
	{
		AssemblyBuilder a = AppDomain.CurrentDomain.DefineDynamicAssembly(new AssemblyName("Bare"), AssemblyBuilderAccess.Save);
		TypeBuilder t = a.DefineDynamicModule("Bare", "Bare.exe").DefineType("Bare", TypeAttributes.Public);
		MethodBuilder sum = t.DefineMethod("Sum", Static, typeof(int), new[] { typeof(int) });
		MethodBuilder main = t.DefineMethod("Main", Static, typeof(void), Type.EmptyTypes);
		ILGenerator il = main.GetILGenerator();

		sum.DefineParameter(1, ParameterAttributes.None, "n");
		Sum(sum);
		il.Emit(OpCodes.Ldc_I4_7);
		il.Emit(OpCodes.Call, sum);
		il.Emit(OpCodes.Pop);
		il.Emit(OpCodes.Ret);
		t.CreateType();
		a.SetEntryPoint(main);
		a.Save("Bare.exe");
	}
}
