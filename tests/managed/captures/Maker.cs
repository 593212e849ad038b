// SPDX-License-Identifier: MIT
// An assembly that is made at run time, with one method: Made.Call.
using System;
using System.Reflection;
using System.Reflection.Emit;

static class Maker
{
    static Action? call;

    public static Action Made => call ??= Make();

    static Action Make()
    {
        TypeBuilder type = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("made"), AssemblyBuilderAccess.Run)
            .DefineDynamicModule("made").DefineType("Made",
                TypeAttributes.Public | TypeAttributes.Abstract | TypeAttributes.Sealed);
        type.DefineMethod("Call", MethodAttributes.Public | MethodAttributes.Static, typeof(void), Type.EmptyTypes)
            .GetILGenerator().Emit(OpCodes.Ret);
        return type.CreateType()!.GetMethod("Call")!.CreateDelegate<Action>();
    }
}
