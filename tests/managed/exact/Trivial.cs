// SPDX-License-Identifier: MIT
// Trivial methods: each counts itself and does what such methods do. They have rows with --trivial only.
using System.Collections.Generic;

namespace Exact;

class Item
{
    int f0, f1, f2, f3, f4, f5, f6, f7;
    readonly int[] cells = new int[3];
    public int P0 { get { T.n00++; return f0; } set { T.n01++; f0 = value; } }
    public int P1 { get { T.n02++; return f1; } set { T.n03++; f1 = value; } }
    public int P2 { get { T.n04++; return f2; } set { T.n05++; f2 = value; } }
    public int P3 { get { T.n06++; return f3; } set { T.n07++; f3 = value; } }
    public int P4 { get { T.n08++; return f4; } set { T.n09++; f4 = value; } }
    public int P5 { get { T.n10++; return f5; } set { T.n11++; f5 = value; } }
    public int P6 { get { T.n12++; return f6; } set { T.n13++; f6 = value; } }
    public int P7 { get { T.n14++; return f7; } set { T.n15++; f7 = value; } }
    public int Sum0(int a) { T.n16++; return f0 + a; }
    public int Sum1(int a) { T.n17++; return f1 + a; }
    public int Sum2(int a) { T.n18++; return f2 + a; }
    public int Sum3(int a) { T.n19++; return f3 + a; }
    public int Sum4(int a) { T.n20++; return f4 + a; }
    public int Sum5(int a) { T.n21++; return f5 + a; }
    public void Set0(int a) { T.n22++; f0 = a; }
    public void Set1(int a) { T.n23++; f1 = a; }
    public void Set2(int a) { T.n24++; f2 = a; }
    public void Set3(int a) { T.n25++; f3 = a; }
    public void Set4(int a) { T.n26++; f4 = a; }
    public void Set5(int a) { T.n27++; f5 = a; }
    public int this[int i] { get { T.n28++; return cells[i]; } }
    public static int operator +(Item a, int b) { T.n29++; return a.f0 + b; }
    public static implicit operator int(Item a) { T.n30++; return a.f1; }
}

struct Pair
{
    readonly int left;
    public Pair(int a) { T.n48++; left = a; }
    public int Left { get { T.n49++; return left; } }
}

static class T
{
    public static long n00, n01, n02, n03, n04, n05, n06, n07, n08, n09, n10, n11, n12, n13,
        n14, n15, n16, n17, n18, n19, n20, n21, n22, n23, n24, n25, n26, n27,
        n28, n29, n30, n31, n32, n33, n34, n35, n36, n37, n38, n39, n40, n41,
        n42, n43, n44, n45, n46, n47, n48, n49;
    public static int Of0(int a, int b) { T.n31++; return a + b; }
    public static int Of1(int a, int b) { T.n32++; return a - b; }
    public static int Of2(int a, int b) { T.n33++; return a * b; }
    public static int Of3(int a, int b) { T.n34++; return a & b; }
    public static int Of4(int a, int b) { T.n35++; return a | b; }
    public static int Of5(int a, int b) { T.n36++; return a ^ b; }
    public static int Max0(int a, int b) { T.n37++; return a > b ? a : b; }
    public static int Max1(int a, int b) { T.n38++; return a > b ? a : b; }
    public static int Max2(int a, int b) { T.n39++; return a > b ? a : b; }
    public static int Max3(int a, int b) { T.n40++; return a > b ? a : b; }
    public static void Nothing0() { T.n41++; }
    public static void Nothing1() { T.n42++; }
    public static void Nothing2() { T.n43++; }
    public static void Nothing3() { T.n44++; }
    public static int Both0(Item a) { T.n45++; return a.P0 + 1; }
    public static int Both1(Item a) { T.n46++; return a.P1 + 1; }
    public static int Both2(Item a) { T.n47++; return a.P2 + 1; }
}

static class Trivial
{
    public static int Run(int i)
    {
        var item = new Item();
        int sum = 0;
        for (int k = 0; k < 5; k++)
        {
            sum += item.P0;
            item.P0 = i;
            sum += item.P1;
            item.P1 = i;
            sum += item.P2;
            item.P2 = i;
            sum += item.P3;
            item.P3 = i;
            sum += item.P4;
            item.P4 = i;
            sum += item.P5;
            item.P5 = i;
            sum += item.P6;
            item.P6 = i;
            sum += item.P7;
            item.P7 = i;
            sum += item.Sum0(i);
            sum += item.Sum1(i);
            sum += item.Sum2(i);
            sum += item.Sum3(i);
            sum += item.Sum4(i);
            sum += item.Sum5(i);
            item.Set0(i);
            item.Set1(i);
            item.Set2(i);
            item.Set3(i);
            item.Set4(i);
            item.Set5(i);
            sum += item[1];
            sum += item + i;
            sum += item;
            sum += T.Of0(i, 1);
            sum += T.Of1(i, 2);
            sum += T.Of2(i, 3);
            sum += T.Of3(i, 4);
            sum += T.Of4(i, 5);
            sum += T.Of5(i, 6);
            sum += T.Max0(i, 0);
            sum += T.Max1(i, 1);
            sum += T.Max2(i, 2);
            sum += T.Max3(i, 3);
            T.Nothing0();
            T.Nothing1();
            T.Nothing2();
            T.Nothing3();
            sum += T.Both0(item);
            sum += T.Both1(item);
            sum += T.Both2(item);
            var pair = new Pair(i);
            sum += pair.Left;
        }
        return sum;
    }

    public static void AddTo(SortedDictionary<string, long> all)
    {
        foreach (var (method, calls) in new[]
        {
            ("Item.P0.get", T.n00), ("Item.P0.set", T.n01), ("Item.P1.get", T.n02), ("Item.P1.set", T.n03),
            ("Item.P2.get", T.n04), ("Item.P2.set", T.n05), ("Item.P3.get", T.n06), ("Item.P3.set", T.n07),
            ("Item.P4.get", T.n08), ("Item.P4.set", T.n09), ("Item.P5.get", T.n10), ("Item.P5.set", T.n11),
            ("Item.P6.get", T.n12), ("Item.P6.set", T.n13), ("Item.P7.get", T.n14), ("Item.P7.set", T.n15),
            ("Item.Sum0", T.n16), ("Item.Sum1", T.n17), ("Item.Sum2", T.n18), ("Item.Sum3", T.n19),
            ("Item.Sum4", T.n20), ("Item.Sum5", T.n21), ("Item.Set0", T.n22), ("Item.Set1", T.n23),
            ("Item.Set2", T.n24), ("Item.Set3", T.n25), ("Item.Set4", T.n26), ("Item.Set5", T.n27),
            ("Item.this[int].get", T.n28), ("Item.operator +", T.n29), ("Item.implicit operator int", T.n30), ("T.Of0", T.n31),
            ("T.Of1", T.n32), ("T.Of2", T.n33), ("T.Of3", T.n34), ("T.Of4", T.n35),
            ("T.Of5", T.n36), ("T.Max0", T.n37), ("T.Max1", T.n38), ("T.Max2", T.n39),
            ("T.Max3", T.n40), ("T.Nothing0", T.n41), ("T.Nothing1", T.n42), ("T.Nothing2", T.n43),
            ("T.Nothing3", T.n44), ("T.Both0", T.n45), ("T.Both1", T.n46), ("T.Both2", T.n47),
            ("Pair.Pair", T.n48), ("Pair.Left.get", T.n49)
        })
        {
            all[method] = calls;
        }
    }
}
