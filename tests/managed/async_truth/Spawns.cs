// SPDX-License-Identifier: MIT
// Calls made by work that was handed to the thread pool or to a scheduler: who handed it over is their parent.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Spawns
{
    public static async Task Run(By by)
    {
        Call me = by.Calls("Spawns.Run");
        await me.On(Tasks(me), "child Spawns.Tasks");
        await me.On(Unwraps(me), "child Spawns.Unwraps");
        await me.On(Continues(me), "child Spawns.Continues");
        await me.On(Items(me), "child Spawns.Items");
        await me.On(Nested(me), "child Spawns.Nested");
        await me.On(Scheduled(me), "child Spawns.Scheduled");
        Task late = Leaves(me, out ManualResetEventSlim left);
        await me.On(late, "outside Task");
        me.Ends();
        left.Dispose();
    }

    static async Task Work(By by)
    {
        Call me = by.Calls("Spawns.Work");
        me.Runs(50);
        await me.Yield();
        me.Ends();
    }

    static async Task Tasks(By by)
    {
        Call me = by.Calls("Spawns.Tasks");
        await me.On(Task.Run(() => Work(me.Spawns)), "outside Task.Run");
        await me.On(Task.Run(async () =>
        {
            Call one = me.Spawns.Calls("Spawns.Tasks.lambda#1");
            await one.On(Work(one), "child Spawns.Work");
            one.Ends();
        }), "outside Task.Run");
        var synchronous = new Task<Task>(() => Work(me.Spawns));
        synchronous.RunSynchronously();
        await me.On(synchronous.Result, "child Spawns.Work");
        me.Ends();
    }

    /// What Unwrap answers is the task within, where that is known already.
    static async Task Unwraps(By by)
    {
        Call me = by.Calls("Spawns.Unwraps");
        await me.On(Task.Factory.StartNew(() => Work(me.Spawns)).Unwrap(), "*");
        await me.On(Task.Factory.StartNew(() => Work(me.Spawns), CancellationToken.None,
                                          TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap(), "*");
        var cold = new Task<Task>(() => Work(me.Spawns));
        cold.Start();
        await me.On(cold.Unwrap(), "*");
        me.Ends();
    }

    static async Task Continues(By by)
    {
        Call me = by.Calls("Spawns.Continues");
        await me.On(Task.Delay(1).ContinueWith(_ => Work(me.Spawns), TaskScheduler.Default).Unwrap(), "*");
        await me.On(Task.Delay(1).ContinueWith(_ => Work(me.Spawns), CancellationToken.None,
                                               TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default)
                        .Unwrap(), "*");
        await me.On(Work(me).ContinueWith(_ => Work(me.Spawns), TaskScheduler.Default).Unwrap(), "*");
        me.Ends();
    }

    sealed class Item : IThreadPoolWorkItem
    {
        readonly Func<Task> work;
        readonly TaskCompletionSource done = new();

        public Item(Func<Task> work) => this.work = work;

        public Task Done => done.Task;

        public void Execute() => work().ContinueWith(_ => done.SetResult(), TaskScheduler.Default);
    }

    static async Task Items(By by)
    {
        Call me = by.Calls("Spawns.Items");
        for (int i = 0; i < 10; i++)
        {
            var one = new Item(() => Work(me.Spawns));
            ThreadPool.QueueUserWorkItem(_ => one.Execute());
            await me.On(one.Done, "outside Task");
            var two = new Item(() => Work(me.Spawns));
            ThreadPool.UnsafeQueueUserWorkItem(_ => two.Execute(), null);
            await me.On(two.Done, "outside Task");
            var three = new Item(() => Work(me.Spawns));
            ThreadPool.UnsafeQueueUserWorkItem(three, preferLocal: true);
            await me.On(three.Done, "outside Task");
            var four = new Item(() => Work(me.Spawns));
            ThreadPool.QueueUserWorkItem(item => item.Execute(), four, preferLocal: false);
            await me.On(four.Done, "outside Task");
        }
        me.Ends();
    }

    /// A task that starts a task.
    static async Task Nested(By by)
    {
        Call me = by.Calls("Spawns.Nested");
        await me.On(Task.Run(() => Task.Run(() => Work(me.Spawns))), "outside Task.Run");
        await me.On(Task.Run(async () =>
        {
            Call one = me.Spawns.Calls("Spawns.Nested.lambda#1");
            await one.On(Task.Run(() => Work(one.Spawns)), "outside Task.Run");
            one.Ends();
        }), "outside Task.Run");
        me.Ends();
    }

    /// A scheduler with a thread of its own, which runs one task after the other.
    sealed class OwnThread : TaskScheduler, IDisposable
    {
        readonly BlockingCollection<Task> tasks = new();
        readonly Thread thread;

        public OwnThread()
        {
            thread = new Thread(() =>
            {
                foreach (Task task in tasks.GetConsumingEnumerable())
                {
                    TryExecuteTask(task);
                }
            });
            thread.Start();
        }

        protected override void QueueTask(Task task) => tasks.Add(task);
        protected override bool TryExecuteTaskInline(Task task, bool queued) => false;
        protected override IEnumerable<Task> GetScheduledTasks() => tasks;

        public void Dispose()
        {
            tasks.CompleteAdding();
            thread.Join();
        }
    }

    static async Task Scheduled(By by)
    {
        Call me = by.Calls("Spawns.Scheduled");
        using (var scheduler = new OwnThread())
        {
            await me.On(Task.Factory.StartNew(() => Twice(me.Spawns), CancellationToken.None,
                                              TaskCreationOptions.None, scheduler).Unwrap(), "*")
                .ConfigureAwait(false);
        }
        me.Ends();
    }

    /// Goes on in the scheduler that it was called in.
    static async Task Twice(By by)
    {
        Call me = by.Calls("Spawns.Twice");
        await me.Yield();
        await me.On(Work(me), "child Spawns.Work");
        me.Ends();
    }

    /// The work begins when who handed it over has long ended.
    static Task Leaves(By by, out ManualResetEventSlim left)
    {
        var gone = left = new ManualResetEventSlim();
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task maker = Left(by, gone, done);
        maker.Wait();
        gone.Set();
        return done.Task;
    }

    static async Task Left(By by, ManualResetEventSlim gone, TaskCompletionSource done)
    {
        Call me = by.Calls("Spawns.Left");
        ThreadPool.QueueUserWorkItem(_ =>
        {
            gone.Wait();
            Work(me.Spawns).ContinueWith(_ => done.SetResult(), TaskScheduler.Default);
        });
        await me.On(Task.CompletedTask, "outside Task");
        me.Ends();
    }
}
