# SPDX-License-Identifier: MIT
"""What pyproject.toml cannot say: Debian's h5py is there under a name that pip does not know."""

import importlib.util

from setuptools import setup

needed = ["pandas>=1.3"]
if importlib.util.find_spec("h5py") is None:
    needed.append("h5py>=3.5")
setup(install_requires=needed)
