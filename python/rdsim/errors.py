"""errors - the exceptions of rdsim. A file of its own, since every other file raises them."""


class Error(Exception):
    """A run, an edit or a file is impossible; the text is the program's message."""


class ModelError(Error, ValueError):
    """A model, an option or an argument is wrong."""


class RunWarning(UserWarning):
    """A message about a run that goes on, as the program prints it."""


class StaleView(Error):
    """A view of the state is used after the state has changed."""
