# SPDX-License-Identifier: MIT
"""Opens profiles of umbra, the exact .NET profiler, as pandas frames.

>>> import umbra
>>> profile = umbra.open("umbra-app-4711.h5")
>>> profile.hot(10)                      # where the time went
>>> profile.flame()                      # the page with its flame graph, inline in a notebook
>>> profile.diff(umbra.open("new.h5"))   # what changed
>>> umbra.aggregate("runs/*.h5").hot()   # one hot list of many files

Times are in nanoseconds (columns ending in _ns), shares in percent (_percent). docs/file_format.md
of umbra describes the columns. What cannot be read raises ProfileError, whose text is one line.
"""

from ._aggregate import Aggregate, aggregate
from ._diff import diff
from ._errors import ProfileError
from ._hot import in_unit
from ._page import Page
from ._profile import Profile, open

__all__ = ["Aggregate", "Page", "Profile", "ProfileError", "aggregate", "diff", "in_unit", "open"]
