"""What goes wrong, with the sentences of the program ``troupe`` and its exit codes (docs/reference/errors.md)."""

from __future__ import annotations

from typing import Dict, Optional, Type


class Error(Exception):
    """The base of all errors of this package. ``code`` is the exit code with which the program would end."""

    code: int = 70


class UsageError(Error, ValueError):
    """An argument is malformed."""

    code = 2


class ConfigError(Error, ValueError):
    """A value of the configuration is wrong: the text has a sentence for each mistake."""

    code = 78


class DataError(Error, ValueError):
    """Data or a checkpoint are damaged or do not fit."""

    code = 65


class FileError(Error, OSError):
    """A file or folder cannot be read or written."""

    code = 74


class Unavailable(Error, ConnectionError):
    """A run or another process does not answer."""

    code = 69


class Refused(Error, PermissionError):
    """A run does not accept the token or certificate."""

    code = 77


class TrainingFailed(Error, RuntimeError):
    """Training began and failed, for instance at a loss that is not a number. ``folder`` has the run's files."""

    folder: Optional[str] = None


_BY_CODE: Dict[int, Type[Error]] = {
    kind.code: kind for kind in (UsageError, ConfigError, DataError, FileError, Unavailable, Refused)
}


def error_of(code: int, text: str) -> Error:
    """The exception for an exit code."""
    error = _BY_CODE.get(code, Error)(text)
    error.code = code
    return error
