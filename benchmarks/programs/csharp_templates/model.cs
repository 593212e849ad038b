// SPDX-License-Identifier: MIT
public class ${subject}Model : ICloneable
{
    ${properties}

    public override string ToString()
    {
        var text = new StringBuilder();
        ${appends}
        return text.ToString();
    }

    public object Clone()
    {
        return new ${subject}Model
        {
            ${copies}
        };
    }
}
