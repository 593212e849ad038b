// SPDX-License-Identifier: MIT
public sealed class ${subject}Builder
{
    private readonly Options options = new();
    private readonly List<Action<Options>> later = new();

    ${methods}

    public Options Build()
    {
        later.ForEach(step => step(options));
        return options;
    }

    public sealed class Options
    {
        ${properties}

        public static Options Default => new ${subject}Builder()
            ${calls}
            .Build();
    }

}
