"""Fair sharing of a cluster's resources among its users. See docs/reference/python.md."""

try:
    import numpy as _numpy
except ModuleNotFoundError:

    def __getattr__(name: str) -> object:
        """Without numpy there is the client of a service, `mirab.client`, and nothing else."""
        raise AttributeError(f"mirab.{name} needs numpy (Debian: python3-numpy), which is not installed; mirab.client does not")

else:
    from mirab._core import *
    from mirab._core import __version__
    from mirab._program import page, simulate
