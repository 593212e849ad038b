// SPDX-License-Identifier: MIT
// Methods that call themselves last, so often that the stack holds their calls only if each takes the place of the
// one before: in optimised code, and by a tail call that the IL asks for, which C# does not write.
using System;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using Umbra.Testing;

static class Program
{
    const int Depth = 2_000_000;

    static void Main()
    {
        Expect.Equal(Down(Depth), 7, "down");
        Expect.Calls("Program.Down", Depth + 1);
        Expect.Equal(Turn("a", "b", Depth), "a", "turn");
        Expect.Calls("Program.Turn<T>", Depth + 1);
        Expect.Equal(Asked()(Depth), 7, "asked");
        Expect.Calls("Asked.Down", Depth + 1);
        Console.WriteLine("tail calls are right");
        Expect.Print();
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    static int Down(int n) => n == 0 ? 7 : Down(n - 1);

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    static T Turn<T>(T a, T b, int n) => n == 0 ? a : Turn(b, a, n - 1);

    static Func<int, int> Asked()
    {
        TypeBuilder type = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("asked"), AssemblyBuilderAccess.Run)
            .DefineDynamicModule("asked").DefineType("Asked", TypeAttributes.Public);
        MethodBuilder down = type.DefineMethod("Down", MethodAttributes.Public | MethodAttributes.Static, typeof(int),
            new[] { typeof(int) });
        ILGenerator code = down.GetILGenerator();
        Label more = code.DefineLabel();
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Brtrue, more);
        code.Emit(OpCodes.Ldc_I4_7);
        code.Emit(OpCodes.Ret);
        code.MarkLabel(more);
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Ldc_I4_1);
        code.Emit(OpCodes.Sub);
        code.Emit(OpCodes.Tailcall);
        code.Emit(OpCodes.Call, down);
        code.Emit(OpCodes.Ret);
        return type.CreateType()!.GetMethod("Down")!.CreateDelegate<Func<int, int>>();
    }
}
