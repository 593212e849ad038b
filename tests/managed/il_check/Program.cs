// SPDX-License-Identifier: MIT
// Reads bodies that tests/il/rewrite_assembly.cpp has put probes into, with a library that knows
// nothing of umbra, beside the bodies they were made from.
//
//     il_check [--arguments] LIBRARY RECORDS
//
// --arguments: values are told between the probes, and what is left without these is not compared.
// Of each body: every instruction is known, every branch and clause has its target, the stack is as
// deep as the header says, and what is left without the probes is what the method had. Prints what
// is wrong, then how many bodies were read; status 1 if anything is.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using dnlib.DotNet;
using dnlib.DotNet.Emit;
using dnlib.DotNet.Writer;
using dnlib.IO;

const int MostFaults = 20;
bool arguments = args[0] == "--arguments";
using ModuleDefMD module = ModuleDefMD.Load(File.ReadAllBytes(args[^2]));
using var records = new BinaryReader(File.OpenRead(args[^1]));
int read = 0, refused = 0, faults = 0;
while (records.BaseStream.Position < records.BaseStream.Length)
{
    uint token = records.ReadUInt32();
    byte[] locals = records.ReadBytes(records.ReadInt32());
    byte[] body = records.ReadBytes(records.ReadInt32());
    if (body.Length == 0)
    {
        ++refused;
        continue;
    }
    ++read;
    var method = (MethodDef)module.ResolveToken(token);
    foreach (string fault in new Rewritten(module, method, locals, body).Faults(arguments))
    {
        if (++faults <= MostFaults) Console.Error.WriteLine($"0x{token:x8} {method.FullName}: {fault}");
    }
}
Console.WriteLine($"{read} bodies read back, {refused} refused, {faults} faults");
return faults == 0 ? 0 : 1;

/// Knows the three tokens that no library has.
sealed class Tokens(ModuleDefMD module, LocalSig locals) : IInstructionOperandResolver
{
    public const uint Probe = 0x11000042, Locals = 0x11000043, Count = 0x0affffff;
    readonly MethodSig probe = MethodSig.CreateStatic(
        module.CorLibTypes.Void, module.CorLibTypes.UInt64, module.CorLibTypes.UIntPtr);

    public IMDTokenProvider ResolveToken(uint token, GenericParamContext context) =>
        token switch
        {
            Probe => new StandAloneSigUser(probe),
            Locals => new StandAloneSigUser(locals),
            Count => new MemberRefUser(module, "get_Count",
                MethodSig.CreateInstance(module.CorLibTypes.Int32), module.CorLibTypes.Object.TypeRef),
            _ => module.ResolveToken(token, context),
        };
    public string ReadUserString(uint token) => module.ReadUserString(token);
}

sealed class Rewritten
{
    const long ClientId = 0x1122334455667788;
    static readonly Code[] Probe =
        [Code.Ldc_I8, Code.Ldloca, Code.Conv_U, Code.Ldc_I8, Code.Conv_I, Code.Calli];

    readonly MethodDef method;
    readonly CilBody before;
    readonly CilBody after;
    readonly List<Instruction> own = [];  // without the probes
    int enters, leaves;

    public Rewritten(ModuleDefMD module, MethodDef method, byte[] locals, byte[] body)
    {
        this.method = method;
        before = method.Body;
        var context = GenericParamContext.Create(method);
        var signature =
            (LocalSig)SignatureReader.ReadSig(module, module.CorLibTypes, locals, context);
        after = MethodBodyReader.CreateCilBody(new Tokens(module, signature),
            ByteArrayDataReaderFactory.CreateReader(body), method, context);
    }

    public IEnumerable<string> Faults(bool arguments)
    {
        foreach (Instruction one in after.Instructions)
        {
            if (one.OpCode.Code is Code.UNKNOWN1 or Code.UNKNOWN2) yield return $"unknown at {one.Offset}";
            if (one.OpCode.OperandType is OperandType.InlineBrTarget && one.Operand is null)
                yield return $"branch from {one.Offset} to nowhere";
            if (one.Operand is IList<Instruction> targets && targets.Any(target => target is null))
                yield return $"switch at {one.Offset} to nowhere";
            if (one.OpCode.OperandType is OperandType.InlineVar && one.Operand is null)
                yield return $"no such local or argument at {one.Offset}";
        }
        if (!TakeProbesOut()) yield return "a probe is not whole";
        bool hasTail = before.Instructions.Any(one => one.OpCode.Code == Code.Tailcall);
        bool hasResult = method.ReturnType.RemovePinnedAndModifiers().ElementType != ElementType.Void;
        if (after.Variables.Count != before.Variables.Count + (hasResult ? 2 : 1))
            yield return $"{after.Variables.Count} locals of {before.Variables.Count}";
        if (enters != 1) yield return $"{enters} enter probes";
        if (!hasTail && leaves != 2) yield return $"{leaves} leave probes";
        foreach (string fault in Clauses(hasTail)) yield return fault;
        if (!arguments && Difference(hasTail, hasResult) is { } difference) yield return difference;
        // A body that the library cannot follow (code behind a throw) may be one either way.
        if (MaxStackCalculator.GetMaxStack(before.Instructions, before.ExceptionHandlers, out _))
        {
            if (!MaxStackCalculator.GetMaxStack(after.Instructions, after.ExceptionHandlers, out uint depth))
                yield return "its stack does not balance";
            else if (depth > after.MaxStack)
                yield return $"its stack is {depth} deep, its header says {after.MaxStack}";
        }
    }

    bool TakeProbesOut()
    {
        IList<Instruction> all = after.Instructions;
        for (int at = 0; at < all.Count; ++at)
        {
            if (all[at].OpCode.Code != Code.Ldc_I8 || (long)all[at].Operand != ClientId)
            {
                own.Add(all[at]);
                continue;
            }
            if (at + Probe.Length > all.Count ||
                !Probe.SequenceEqual(all.Skip(at).Take(Probe.Length).Select(one => one.OpCode.Code)))
                return false;
            bool enter = (long)all[at + 3].Operand == 0x7f0000001000;
            enters += enter ? 1 : 0;
            leaves += enter ? 0 : 1;
            at += Probe.Length - 1;
        }
        return true;
    }

    IEnumerable<string> Clauses(bool hasTail)
    {
        IList<ExceptionHandler> clauses = after.ExceptionHandlers;
        if (clauses.Count != before.ExceptionHandlers.Count + (hasTail ? 0 : 1))
            yield return $"{clauses.Count} clauses of {before.ExceptionHandlers.Count}";
        foreach (ExceptionHandler clause in clauses)
        {
            if (clause.TryStart is null || clause.HandlerStart is null ||
                (clause.IsFilter && clause.FilterStart is null))
                yield return "a clause begins nowhere";
        }
        if (!hasTail && clauses[^1] is { } last &&
            !(last.IsFault && last.TryEnd == last.HandlerStart && last.HandlerEnd is not null))
            yield return "the last clause is not the fault handler";
        for (int at = 0; at < before.ExceptionHandlers.Count && at < clauses.Count; ++at)
        {
            if (clauses[at].HandlerType != before.ExceptionHandlers[at].HandlerType ||
                clauses[at].CatchType?.MDToken != before.ExceptionHandlers[at].CatchType?.MDToken)
                yield return $"clause {at} is another";
        }
    }

    /// Without the probes: the method's own instructions, then `endfinally` and the common end.
    string? Difference(bool hasTail, bool hasResult)
    {
        var expected = new List<(Code Code, object? Operand)>();
        HashSet<Instruction> targets = Targets();
        for (int number = 0; number < before.Instructions.Count; ++number)
        {
            Instruction one = before.Instructions[number];
            // Who comes to it by a branch has not left yet, so it is there twice.
            if (IsAfterTailCall(number) && targets.Contains(one)) expected.Add((Code.Ret, null));
            if (one.OpCode.Code == Code.Ret && !hasTail)
            {
                if (hasResult) expected.Add((Code.Stloc, null));
                expected.Add((Code.Leave, null));
            }
            else
            {
                expected.Add((Long(one.OpCode).Code, one.Operand));
            }
        }
        if (!hasTail)
        {
            expected.Add((Code.Endfinally, null));
            if (hasResult) expected.Add((Code.Ldloc, null));
            expected.Add((Code.Ret, null));
        }
        if (own.Count != expected.Count) return $"{own.Count} instructions, not {expected.Count}";
        for (int at = 0; at < own.Count; ++at)
        {
            if (own[at].OpCode.Code != expected[at].Code)
                return $"{own[at].OpCode} in the place of {expected[at].Code}";
            if (expected[at].Operand is IMDTokenProvider token &&
                ((IMDTokenProvider)own[at].Operand).MDToken != token.MDToken)
                return $"{own[at]} of another operand";
            if (expected[at].Operand is string or int or long or float or double or sbyte or byte &&
                !expected[at].Operand!.Equals(own[at].Operand))
                return $"{own[at]} of another value";
        }
        return null;
    }

    /// The instructions that something branches to.
    HashSet<Instruction> Targets() =>
        before.Instructions.SelectMany(one => one.Operand as IList<Instruction> ??
            (one.Operand is Instruction target ? [target] : [])).ToHashSet();

    /// A return behind a tail call.
    bool IsAfterTailCall(int at)
    {
        IList<Instruction> all = before.Instructions;
        if (at == 0 || all[at].OpCode.Code != Code.Ret || all[at - 1].OpCode.FlowControl != FlowControl.Call)
            return false;
        for (at -= 2; at >= 0 && all[at].OpCode.OpCodeType == OpCodeType.Prefix; --at)
            if (all[at].OpCode.Code == Code.Tailcall) return true;
        return false;
    }

    static OpCode Long(OpCode code) => code.OperandType != OperandType.ShortInlineBrTarget
        ? code
        : OpCodes.OneByteOpCodes[code.Code == Code.Leave_S
            ? (int)Code.Leave
            : (int)code.Code + ((int)Code.Br - (int)Code.Br_S)];
}
