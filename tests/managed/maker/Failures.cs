// SPDX-License-Identifier: MIT
// Everything that compiled code throws by itself, in code that has just been made; filters, finally blocks.
using System;
using System.Reflection.Emit;

static class Failures
{
    delegate object Failing(object value, int number);

    static readonly (Type Thrown, Action<ILGenerator> Write)[] Kinds =
    [
        (typeof(InvalidCastException), il => { il.Emit(OpCodes.Ldarg_0); il.Emit(OpCodes.Castclass, typeof(Array)); }),
        (typeof(InvalidCastException), il => { il.Emit(OpCodes.Ldarg_0); il.Emit(OpCodes.Unbox_Any, typeof(long)); il.Emit(OpCodes.Box, typeof(long)); }),
        (typeof(DivideByZeroException), il => { il.Emit(OpCodes.Ldc_I4_7); il.Emit(OpCodes.Ldarg_1); il.Emit(OpCodes.Div); il.Emit(OpCodes.Box, typeof(int)); }),
        (typeof(IndexOutOfRangeException), il =>
        {
            il.Emit(OpCodes.Ldarg_1);
            il.Emit(OpCodes.Newarr, typeof(object));
            il.Emit(OpCodes.Ldc_I4_4);
            il.Emit(OpCodes.Ldelem_Ref);
        }),
        (typeof(OverflowException), il =>
        {
            il.Emit(OpCodes.Ldc_I4, int.MaxValue);
            il.Emit(OpCodes.Dup);
            il.Emit(OpCodes.Add_Ovf);
            il.Emit(OpCodes.Box, typeof(int));
        }),
        (typeof(OverflowException), il => { il.Emit(OpCodes.Ldc_I4_M1); il.Emit(OpCodes.Newarr, typeof(string)); }),
        (typeof(OverflowException), il => { il.Emit(OpCodes.Ldc_R8, 1e30); il.Emit(OpCodes.Conv_Ovf_U8); il.Emit(OpCodes.Box, typeof(ulong)); }),
        (typeof(NullReferenceException), il => { il.Emit(OpCodes.Ldnull); il.Emit(OpCodes.Callvirt, typeof(object).GetMethod("ToString")!); }),
        (typeof(ArrayTypeMismatchException), il =>
        {
            il.Emit(OpCodes.Ldc_I4_1);
            il.Emit(OpCodes.Newarr, typeof(Version));
            il.Emit(OpCodes.Dup);
            il.Emit(OpCodes.Ldc_I4_0);
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Stelem_Ref);
        }),
    ];

    public static void Round(int round)
    {
        (Type thrown, Action<ILGenerator> write) = Kinds[round % Kinds.Length];
        var method = new DynamicMethod("Fails", typeof(object), [typeof(object), typeof(int)], typeof(Failures).Module, true);
        ILGenerator il = method.GetILGenerator();
        write(il);
        il.Emit(OpCodes.Ret);
        var failing = method.CreateDelegate<Failing>();
        int caught = 0;
        for (int i = 0; i < 3; ++i)
        {
            try
            {
                try { failing("text", 0); }
                finally { caught += 10; }
            }
            catch (Exception wrong) when (wrong.GetType() == thrown) { ++caught; }
        }
        Reflect.Check(caught == 33);
    }
}
