"""Fair sharing of a cluster's resources among its users. See docs/reference/python.md."""

from mirab._core import *
from mirab._core import __version__
from mirab._program import page, simulate
