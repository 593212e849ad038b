// SPDX-License-Identifier: MIT
// Decompiles the types of an assembly to C#, on several threads, and prints how much it has become:
//   decompile ASSEMBLY THREADS [EVERY]     each EVERY-th type only
using System;
using System.Linq;
using System.Reflection.Metadata;
using System.Threading;
using System.Threading.Tasks;
using ICSharpCode.Decompiler;
using ICSharpCode.Decompiler.CSharp;
using ICSharpCode.Decompiler.Metadata;
using ICSharpCode.Decompiler.TypeSystem;

namespace Decompile;

static class Program
{
    static int Main(string[] args)
    {
        string assembly = args[0];
        int threads = int.Parse(args[1]);
        int every = args.Length > 2 ? int.Parse(args[2]) : 1;
        var settings = new DecompilerSettings(LanguageVersion.Latest) { ThrowOnAssemblyResolveErrors = false };
        using var file = new PEFile(assembly);
        var resolver = new UniversalAssemblyResolver(
            assembly, throwOnError: false, file.DetectTargetFrameworkId());
        var types = new DecompilerTypeSystem(file, resolver, settings);
        TopLevelTypeName[] names = types.MainModule.TopLevelTypeDefinitions
            .Where(type => type.Name != "<Module>")
            .Select(type => type.FullTypeName.TopLevelTypeName)
            .Where((_, index) => index % every == 0)
            .ToArray();
        long characters = 0;
        Parallel.ForEach(
            names,
            new ParallelOptions { MaxDegreeOfParallelism = threads },
            () => new CSharpDecompiler(types, settings),
            (name, _, decompiler) =>
            {
                string text = decompiler.DecompileTypeAsString(new FullTypeName(name.ReflectionName));
                Interlocked.Add(ref characters, text.Length);
                return decompiler;
            },
            _ => { });
        Console.WriteLine($"{names.Length} types, {characters} characters");
        return 0;
    }
}
