// SPDX-License-Identifier: MIT
public sealed class ${subject}Service : IAsyncDisposable
{
    private readonly ${first} first;
    private readonly ${second} second;
    private readonly Dictionary<string, int> cache = new(StringComparer.Ordinal);
    private readonly List<int> history = new();
    private readonly SemaphoreSlim gate = new(1, 1);
    private int state;

    public ${subject}Service(${first} first, ${second} second)
    {
        this.first = first ?? throw new ArgumentNullException(nameof(first));
        this.second = second ?? throw new ArgumentNullException(nameof(second));
    }

    ${methods}

    ${async_methods}

    public async IAsyncEnumerable<(int Index, string Text)> Stream(int count)
    {
        for (int i = 0; i < count; i++)
        {
            int value = await ${streamed}(i).ConfigureAwait(false);
            yield return (i, $$"{value:X} of {count}");
        }
    }

    public ValueTask DisposeAsync()
    {
        gate.Dispose();
        return ValueTask.CompletedTask;
    }
}
