// SPDX-License-Identifier: MIT
// Dynamic methods that call what the compiler calls helpers for, and types that nobody has seen: generics
// over them, arrays of them, in assemblies that stay and that can be unloaded.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

public static class Emit
{
    readonly record struct Wide(object A, long B, long C, long D, long E, long F, long G, string H);

    [ThreadStatic] public static int PerThread;
    static object? kept;

    public static void Round(int round)
    {
        Helpers(round);
        Types(round, round % 4 == 0 ? AssemblyBuilderAccess.RunAndCollect : AssemblyBuilderAccess.Run);
    }

    /// A method of its own for each kind of cast, box, store, copy and allocation.
    static void Helpers(int round)
    {
        var casts = Method<Func<object, object, int>>([typeof(object), typeof(object)], typeof(int), il =>
        {
            foreach (Type type in (Type[])[typeof(IComparable), typeof(string), typeof(int[]), typeof(IEnumerable<string>), typeof(Exception)])
            {
                il.Emit(OpCodes.Ldarg_0);
                il.Emit(OpCodes.Isinst, type);
                il.Emit(OpCodes.Pop);
            }
            il.Emit(OpCodes.Ldarg_1);
            il.Emit(OpCodes.Castclass, typeof(object[]));
            il.Emit(OpCodes.Ldc_I4_0);
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Stelem_Ref);
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Castclass, typeof(IComparable<int>));
            il.Emit(OpCodes.Pop);
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Unbox_Any, typeof(int));
        });
        Reflect.Check(casts(round, new object[1]) == round);
        kept = Method<Func<int, object>>([typeof(int)], typeof(object), il =>
        {
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Newarr, typeof(Wide));
            il.Emit(OpCodes.Dup);
            il.Emit(OpCodes.Ldc_I4_1);
            il.Emit(OpCodes.Ldelema, typeof(Wide));
            il.Emit(OpCodes.Initobj, typeof(Wide));
            il.Emit(OpCodes.Dup);
            il.Emit(OpCodes.Dup);
            il.Emit(OpCodes.Ldc_I4_0);
            il.Emit(OpCodes.Ldelema, typeof(Wide));
            il.Emit(OpCodes.Ldobj, typeof(Wide));
            il.Emit(OpCodes.Pop);
            il.Emit(OpCodes.Dup);
            il.Emit(OpCodes.Ldc_I4_1);
            il.Emit(OpCodes.Ldelema, typeof(Wide));
            il.Emit(OpCodes.Ldobj, typeof(Wide));
            il.Emit(OpCodes.Box, typeof(Wide));
            il.Emit(OpCodes.Pop);
            il.Emit(OpCodes.Pop);
        })(2);
        var blocks = Method<Func<byte[], byte[], int>>([typeof(byte[]), typeof(byte[])], typeof(int), il =>
        {
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Ldc_I4_0);
            il.Emit(OpCodes.Ldelema, typeof(byte));
            il.Emit(OpCodes.Ldarg_1);
            il.Emit(OpCodes.Ldc_I4_0);
            il.Emit(OpCodes.Ldelema, typeof(byte));
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Ldlen);
            il.Emit(OpCodes.Cpblk);
            il.Emit(OpCodes.Ldarg_1);
            il.Emit(OpCodes.Ldc_I4_0);
            il.Emit(OpCodes.Ldelema, typeof(byte));
            il.Emit(OpCodes.Ldc_I4_3);
            il.Emit(OpCodes.Ldarg_1);
            il.Emit(OpCodes.Ldlen);
            il.Emit(OpCodes.Initblk);
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Ldc_I4_0);
            il.Emit(OpCodes.Ldelem_U1);
        });
        Reflect.Check(blocks(new byte[300], [.. new byte[299], 1]) == 0);
        FieldInfo field = typeof(Emit).GetField(nameof(PerThread))!;
        Reflect.Check(Method<Func<double, int>>([typeof(double)], typeof(int), il =>
        {
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Conv_Ovf_I8);
            il.Emit(OpCodes.Conv_Ovf_I4);
            il.Emit(OpCodes.Stsfld, field);
            il.Emit(OpCodes.Ldsfld, field);
        })(17.5) == 17);
        var generic = typeof(Emit).GetMethod(nameof(OfType), BindingFlags.Static | BindingFlags.NonPublic)!;
        Reflect.Check(Method<Func<int>>([], typeof(int), il => il.Emit(OpCodes.Call, generic.MakeGenericMethod(typeof(List<string>))))() > 0);
    }

    static int OfType<T>() => typeof(T).Name.Length + new T[1].Length + (new List<T>() as object is IEnumerable<T> ? 1 : 0);

    static T Method<T>(Type[] parameters, Type result, Action<ILGenerator> write) where T : Delegate
    {
        var method = new DynamicMethod("Made", result, parameters, typeof(Emit).Module, true);
        ILGenerator il = method.GetILGenerator();
        write(il);
        il.Emit(OpCodes.Ret);
        return method.CreateDelegate<T>();
    }

    static void Types(int round, AssemblyBuilderAccess access)
    {
        ModuleBuilder module = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName($"Made{round}"), access)
                                              .DefineDynamicModule("Made");
        TypeBuilder value = module.DefineType("Value", TypeAttributes.Public | TypeAttributes.Sealed, typeof(ValueType));
        value.DefineField("Number", typeof(int), FieldAttributes.Public);
        value.DefineField("Text", typeof(string), FieldAttributes.Public);
        Type made = value.CreateType()!;
        object one = Activator.CreateInstance(made)!;
        made.GetField("Number")!.SetValue(one, round);
        var list = (System.Collections.IList)Activator.CreateInstance(typeof(List<>).MakeGenericType(made))!;
        for (int i = 0; i < 5; ++i) list.Add(one);
        Reflect.Check(list.Contains(one) && list.IndexOf(one) == 0);
        var array = Array.CreateInstance(made, 40);
        list.CopyTo(array, 3);
        Array.Reverse(array);
        Array.Clear(array, 2, 20);
        kept = RuntimeHelpers.GetUninitializedObject(typeof(KeyValuePair<,>).MakeGenericType(made, typeof(string)));
        TypeBuilder type = module.DefineType("Type", TypeAttributes.Public, typeof(object), [typeof(IComparable)]);
        MethodBuilder compare = type.DefineMethod("CompareTo", MethodAttributes.Public | MethodAttributes.Virtual, typeof(int), [typeof(object)]);
        ILGenerator il = compare.GetILGenerator();
        il.Emit(OpCodes.Ldarg_1);
        il.Emit(OpCodes.Unbox_Any, made);
        il.Emit(OpCodes.Ldfld, made.GetField("Number")!);
        il.Emit(OpCodes.Ret);
        Reflect.Check(((IComparable)Activator.CreateInstance(type.CreateType()!)!).CompareTo(one) == round);
    }
}
