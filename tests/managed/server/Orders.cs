// SPDX-License-Identifier: MIT
// An answer of some length, made as such answers are.
using System.Globalization;
using System.Linq;
using System.Text;

namespace Server;

static class Orders
{
    public static string AsJson(int orders)
    {
        var text = new StringBuilder("[");
        foreach (int order in Enumerable.Range(1, orders))
        {
            text.Append(order == 1 ? "" : ", ").Append("{\"order\": ").Append(order)
                .Append(", \"net\": ")
                .Append((order * 12.5m).ToString(CultureInfo.InvariantCulture)).Append('}');
        }
        return text.Append(']').ToString();
    }
}
