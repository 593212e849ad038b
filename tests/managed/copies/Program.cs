// SPDX-License-Identifier: MIT
// Methods that bear one name: those of this file, loaded five times, and overloads by return type; methods in
// whose names nothing is to be seen, and one whose name is longer than anybody needs.
using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Plug
{
    public static class Work
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Do(int number) => number + 1;
    }
}

static class Program
{
    const int Calls = 10;
    static readonly string[] Unseen = { "\u200b", "\u200b\u200b", "\u202e", "\u2028", "\ufeff", "\u0001", "\u00a0" };

    static void Main()
    {
        int sum = 0;
        Func<int, int>[] copies = Copies();
        for (int copy = 0; copy < copies.Length; ++copy)
        {
            for (int call = 0; call < Calls * (copy + 1); ++call) sum += copies[copy](call);
        }
        foreach (Action method in Odd()) method();
        Console.WriteLine(sum);
    }

    static Func<int, int>[] Copies()
    {
        string path = typeof(Program).Assembly.Location;
        byte[] bytes = File.ReadAllBytes(path);
        Assembly[] all =
        {
            typeof(Program).Assembly, new AssemblyLoadContext("one").LoadFromAssemblyPath(path),
            new AssemblyLoadContext("two").LoadFromAssemblyPath(path), Assembly.Load(bytes), Assembly.Load(bytes),
        };
        return all.Select(one => one.GetType("Plug.Work")!.GetMethod("Do")!.CreateDelegate<Func<int, int>>()).ToArray();
    }

    // Invoked, each is called once.
    static Action[] Odd()
    {
        TypeBuilder odd = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("odd"), AssemblyBuilderAccess.Run)
            .DefineDynamicModule("odd").DefineType("Odd", TypeAttributes.Public);
        foreach (string name in Unseen) Add(odd, name, typeof(void));
        Add(odd, "Get", typeof(int));
        Add(odd, "Get", typeof(string));
        Add(odd, "Get", typeof(long));
        Add(odd, new string('n', 70_000), typeof(void));
        return odd.CreateType()!.GetMethods(BindingFlags.Public | BindingFlags.Static)
            .Select(method => (Action)(() => method.Invoke(null, null))).ToArray();
    }

    static void Add(TypeBuilder type, string name, Type returned)
    {
        ILGenerator code = type.DefineMethod(name, MethodAttributes.Public | MethodAttributes.Static, returned,
            Type.EmptyTypes).GetILGenerator();
        if (returned == typeof(string)) code.Emit(OpCodes.Ldnull);
        if (returned == typeof(int)) code.Emit(OpCodes.Ldc_I4_1);
        if (returned == typeof(long)) code.Emit(OpCodes.Ldc_I8, 1L);
        code.Emit(OpCodes.Ret);
    }
}
