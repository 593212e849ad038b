// SPDX-License-Identifier: MIT
public sealed class ${subject}Machine
{
    public enum State
    {
        ${states}
    }

    public enum Order
    {
        Go,
        Halt,
        Turn,
        Reset,
    }

    public State Now { get; private set; } = State.${first};

    private readonly Stack<State> past = new();
    private readonly StringBuilder log = new();

    ${methods}

    public bool Step(Order order, int number)
    {
        State next = (Now, order) switch
        {
            ${transitions}
            (_, Order.Reset) => past.TryPeek(out State last) ? last : Now,
            _ => Now,
        };
        if (next == Now)
        {
            return false;
        }
        past.Push(Now);
        log.Append(CultureInfo.InvariantCulture, $$"{Now} to {next} by {order}").AppendLine();
        Now = next;
        return true;
    }
}
