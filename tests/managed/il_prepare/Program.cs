// SPDX-License-Identifier: MIT
// Has the runtime compile every method of the libraries named on its standard input, a line each;
// answers how many it has compiled, and how many it would not. Ends with the input.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

while (Console.ReadLine() is { } name)
{
    Assembly library = File.Exists(name) ? Assembly.LoadFrom(name) : Assembly.Load(name);
    int compiled = 0, refused = 0;
    foreach (MethodBase method in Methods(library))
    {
        if (Compile(method)) ++compiled;
        else ++refused;
    }
    Console.WriteLine($"{compiled} {refused}");
}

static IEnumerable<MethodBase> Methods(Assembly library)
{
    const BindingFlags All = BindingFlags.DeclaredOnly | BindingFlags.Public | BindingFlags.NonPublic |
                             BindingFlags.Instance | BindingFlags.Static;
    foreach (Type type in TypesOf(library))
    {
        foreach (MethodBase method in type.GetMethods(All).Cast<MethodBase>()
                                          .Concat(type.GetConstructors(All)))
        {
            if (!method.IsAbstract && HasBody(method)) yield return method;
        }
        if (type.TypeInitializer is { } initializer) yield return initializer;
    }
}

static Type[] TypesOf(Assembly library)
{
    try { return library.GetTypes(); }
    catch (ReflectionTypeLoadException some) { return some.Types.OfType<Type>().ToArray(); }
}

static bool HasBody(MethodBase method)
{
    const MethodImplAttributes NoIl = MethodImplAttributes.CodeTypeMask | MethodImplAttributes.InternalCall;
    return (method.GetMethodImplementationFlags() & NoIl) == 0 &&
           (method.Attributes & MethodAttributes.PinvokeImpl) == 0;
}

static bool Compile(MethodBase method)
{
    try
    {
        Type[] ofType = method.DeclaringType is { IsGenericTypeDefinition: true } open
            ? open.GetGenericArguments() : [];
        Type[] ofMethod = method.IsGenericMethodDefinition ? method.GetGenericArguments() : [];
        RuntimeTypeHandle[] arguments =
            ofType.Concat(ofMethod).Select(parameter => Argument(parameter).TypeHandle).ToArray();
        if (arguments.Length == 0) RuntimeHelpers.PrepareMethod(method.MethodHandle);
        else RuntimeHelpers.PrepareMethod(method.MethodHandle, arguments);
        return true;
    }
    catch (Exception)  // constraints that no simple argument meets, code for other processors
    {
        return false;
    }
}

/// Something a type parameter may stand for: as simple as its constraints allow.
static Type Argument(Type parameter)
{
    GenericParameterAttributes attributes = parameter.GenericParameterAttributes;
    return (attributes & GenericParameterAttributes.NotNullableValueTypeConstraint) != 0 ||
           parameter.GetGenericParameterConstraints().Any(one => one.IsInterface)
        ? typeof(int)
        : typeof(object);
}
