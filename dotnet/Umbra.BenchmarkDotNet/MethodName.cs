// SPDX-License-Identifier: MIT
// Names of methods that fit a column.
using System;
using System.Text;

namespace Umbra.BenchmarkDotNet
{
    /// <summary>Shortens names as the reports of umbra do.</summary>
    internal static class MethodName
    {
        private const string Dots = "..";

        /// <summary>
        /// A name of <paramref name="most"/> characters at most: without its parameters if it is longer,
        /// then without generic arguments, then without what stands in front of its type.
        /// </summary>
        public static string Short(string name, int most)
        {
            if (name.Length > most)
            {
                name = WithoutParameters(name);
            }
            if (name.Length > most)
            {
                name = WithoutArguments(name);
            }
            return name.Length > most ? End(name, most) : name;
        }

        /// <summary>How many parameters a name has.</summary>
        public static int Parameters(string name)
        {
            string list = name[Open(name)..];
            int depth = 0;
            int commas = 0;
            foreach (char c in list)
            {
                depth += "([<{".Contains(c) ? 1 : ")]>}".Contains(c) ? -1 : 0;
                commas += c == ',' && depth == 1 ? 1 : 0;
            }
            return list.Length > "()".Length ? commas + 1 : 0;
        }

        /// <summary>Acme.Cart.Add(Item, int) as Acme.Cart.Add(..).</summary>
        private static string WithoutParameters(string name)
        {
            int open = Open(name);
            return name.Length - open > "(..)".Length ? $"{name[..open]}({Dots})" : name;
        }

        /// <summary>Where the list of parameters begins; the end of the name: it has none.</summary>
        private static int Open(string name)
        {
            int depth = 0;
            for (int at = name.Length - 1; at > 0 && name.EndsWith(')'); --at)
            {
                depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
                if (depth == 0)
                {
                    return at;
                }
            }
            return name.Length;
        }

        /// <summary>Acme.Bag&lt;int, string&gt;.Add as Acme.Bag&lt;..&gt;.Add.</summary>
        private static string WithoutArguments(string name)
        {
            var shorter = new StringBuilder();
            int depth = 0;
            foreach (char c in name)
            {
                depth -= c == '>' && depth > 0 ? 1 : 0;
                if (depth == 0)
                {
                    shorter.Append(c);
                }
                if (c == '<' && ++depth == 1)
                {
                    shorter.Append(Dots);
                }
            }
            return depth == 0 ? shorter.ToString() : name;  // an operator's name
        }

        /// <summary>As many of the last parts of a name as fit.</summary>
        private static string End(string name, int most)
        {
            int room = most - Dots.Length;
            int dot = name.IndexOf('.', Math.Max(0, name.Length - room - 1));
            // A part that is too long by itself, or the dots of parameters.
            bool whole = dot >= 0 && dot + 1 < name.Length && char.IsLetterOrDigit(name[dot + 1]);
            return Dots + (whole ? name[(dot + 1)..] : name[^room..]);
        }
    }
}
