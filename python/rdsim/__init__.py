"""rdsim - stochastic reaction-diffusion simulation from Python.

A Model runs a configuration; open() reads a result. Neither numpy nor xarray is loaded before it is
needed.
"""
from rdsim.errors import Error, ModelError, RunWarning, StaleView
from rdsim.model import Model, Report
from rdsim.result import open_result as open  # noqa: A004 (the name is that of the page)

__all__ = ["Error", "Model", "ModelError", "Report", "RunWarning", "StaleView", "open", "version"]


def version() -> str:
    """Returns the version of the library, as "0.2.0"."""
    from rdsim.library import load, text
    return text(load()[1].rdsim_version())
