// SPDX-License-Identifier: MIT
// Expression trees, compiled: closures, casts, boxes, calls of the core library, catch blocks, dynamic sites.
using System;
using System.Linq;
using System.Linq.Expressions;

static class Trees
{
    public static void Round(int round)
    {
        ParameterExpression x = Expression.Parameter(typeof(int), "x"), o = Expression.Parameter(typeof(object), "o");
        Expression<Func<int, object>> boxes = Expression.Lambda<Func<int, object>>(
            Expression.Convert(Expression.Add(x, Expression.Constant(round)), typeof(object)), x);
        object boxed = boxes.Compile()(1);
        Reflect.Check((int)boxed == round + 1);
        Func<object, string> casts = Expression.Lambda<Func<object, string>>(
            Expression.TryCatch(
                Expression.Call(Expression.Convert(o, typeof(string)), "Substring", null, Expression.Constant(1)),
                Expression.Catch(typeof(InvalidCastException), Expression.Constant("no string"))), o).Compile();
        Reflect.Check(casts("abc") == "bc" && casts(boxed) == "no string");
        ParameterExpression sum = Expression.Variable(typeof(long), "sum"), values = Expression.Parameter(typeof(int[]), "values");
        LabelTarget end = Expression.Label(typeof(long));
        ParameterExpression at = Expression.Variable(typeof(int), "at");
        Func<int[], long> sums = Expression.Lambda<Func<int[], long>>(
            Expression.Block([sum, at],
                Expression.Loop(Expression.IfThenElse(
                    Expression.LessThan(at, Expression.ArrayLength(values)),
                    Expression.AddAssignChecked(sum, Expression.Convert(
                        Expression.ArrayIndex(values, Expression.PostIncrementAssign(at)), typeof(long))),
                    Expression.Break(end, sum)), end)), values).Compile();
        Reflect.Check(sums(Enumerable.Range(0, 100).ToArray()) == 4950);
        int captured = round;
        Expression<Func<int, Func<int, bool>>> nested = a => b => a + b > captured;
        Reflect.Check(nested.Compile()(round)(1));
        IQueryable<int> query = Enumerable.Range(0, 20).AsQueryable().Where(n => n % 3 == round % 3).Select(n => n * 2);
        Reflect.Check(query.Count() is 6 or 7);
    }
}
