// SPDX-License-Identifier: MIT
public class ${subject}Repository<TKey, TItem> \
    where TKey : notnull, IComparable<TKey> where TItem : class
{
    private readonly Dictionary<TKey, List<TItem>> rows = new();
    private readonly Func<TItem, TKey> key;
    private readonly object gate = new();
    private int version;

    public ${subject}Repository(Func<TItem, TKey> key) => this.key = key;

    public event EventHandler<Change>? Changed;

    public int Version => version;

    public void Add(TItem item)
    {
        lock (gate)
        {
            if (!rows.TryGetValue(key(item), out var list))
            {
                rows[key(item)] = list = new List<TItem>();
            }
            list.Add(item);
            version++;
        }
        Changed?.Invoke(this, new Change(version, item));
    }

    public IEnumerable<TItem> Between(TKey low, TKey high)
    {
        foreach (var (found, list) in rows.OrderBy(pair => pair.Key))
        {
            if (found.CompareTo(low) < 0)
            {
                continue;
            }
            if (found.CompareTo(high) > 0)
            {
                yield break;
            }
            foreach (TItem item in list)
            {
                yield return item;
            }
        }
    }

    public Dictionary<TGroup, TSum> Summary<TGroup, TSum>\
        (Func<TItem, TGroup> group, Func<IEnumerable<TItem>, TSum> sum) where TGroup : notnull
    {
        return rows.Values.SelectMany(list => list).GroupBy(group)\
            .ToDictionary(one => one.Key, one => sum(one));
    }

    ${methods}

    public sealed class Change : EventArgs
    {
        public Change(int version, TItem item) => (Version, Item) = (version, item);

        public int Version { get; }

        public TItem Item { get; }
    }

}

public sealed class ${subject}Store : ${subject}Repository<string, ${item}>
{
    public ${subject}Store() : base(item => item.Name) { }

    public string Describe()
    {
        var sums = Summary(item => item.Rank, items => items.Sum(item => item.Value));
        return string.Join("; ", sums.OrderByDescending(pair => pair.Value)\
            .Select(pair => $$"{pair.Key}: {pair.Value:F2}"));
    }
}
