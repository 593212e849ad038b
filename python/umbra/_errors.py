# SPDX-License-Identifier: MIT
"""The one exception of this package."""


class ProfileError(Exception):
    """A file is no profile, is damaged, or is of a newer schema. The text is one line: what was
    tried, on which file, and why it failed."""
