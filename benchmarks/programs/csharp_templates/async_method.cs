// SPDX-License-Identifier: MIT
public async Task<int> ${name}(int number, CancellationToken cancel = default)
{
    await gate.WaitAsync(cancel).ConfigureAwait(false);
    try
    {
        ${body}
    }
    finally
    {
        gate.Release();
    }
}
