// SPDX-License-Identifier: MIT
// Has the runtime look up names of the core library's methods all the time, as its compiler does.
using System;
using System.Reflection;
using System.Reflection.Emit;
using System.Threading.Tasks;

static class Names
{
    const int MethodDef = 0x06000000;
    static readonly Module Library = typeof(object).Module;
    static readonly Action<object, int> Read = Reader();

    public static void Round(int round) => Read(Library, MethodDef | 10_000);

    /// Something async, which captures follow.
    public static void Wait(int round) => Pause().GetAwaiter().GetResult();

    static async Task Pause() => await Task.Delay(1);

    /// The reader that reflection has for itself: of one name after the other, down to the first.
    static Action<object, int> Reader()
    {
        MethodInfo import = Library.GetType().GetProperty("MetadataImport", BindingFlags.Instance | BindingFlags.NonPublic)!.GetMethod!;
        MethodInfo name = import.ReturnType.GetMethod("GetName", [typeof(int)])!;
        var method = new DynamicMethod("Read", typeof(void), [typeof(object), typeof(int)], Library, true);
        ILGenerator il = method.GetILGenerator();
        LocalBuilder reader = il.DeclareLocal(import.ReturnType);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Castclass, Library.GetType());
        il.Emit(OpCodes.Call, import);
        il.Emit(OpCodes.Stloc, reader);
        Label next = il.DefineLabel();
        il.MarkLabel(next);
        il.Emit(OpCodes.Ldloca, reader);
        il.Emit(OpCodes.Ldarg_1);
        il.Emit(OpCodes.Call, name);
        il.Emit(OpCodes.Pop);
        il.Emit(OpCodes.Ldarg_1);
        il.Emit(OpCodes.Ldc_I4_1);
        il.Emit(OpCodes.Sub);
        il.Emit(OpCodes.Starg, 1);
        il.Emit(OpCodes.Ldarg_1);
        il.Emit(OpCodes.Ldc_I4, MethodDef);
        il.Emit(OpCodes.Bgt, next);
        il.Emit(OpCodes.Ret);
        return method.CreateDelegate<Action<object, int>>();
    }
}
