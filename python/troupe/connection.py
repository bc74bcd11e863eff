"""Remote control of runs, which were started with control={"address": "127.0.0.1:0"} or ``troupe train --control``."""

from __future__ import annotations

import atexit
import json
import os
import threading
import time
import weakref
from typing import Any, Callable, Dict, Iterator, List, Optional, TypeVar, Union

from . import _native
from ._configuration import text_of
from .errors import ConfigError
from .extension import Extension

_POLL = 0.1  # seconds until Ctrl-C is noticed, and between two questions for rows

T = TypeVar("T")


def _interruptible(call: Callable[[], T]) -> T:
    """Waits in a way that Ctrl-C ends; the call itself goes on in its thread."""
    answers: List[T] = []
    errors: List[BaseException] = []

    def run() -> None:
        try:
            answers.append(call())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_POLL)
    if errors:
        raise errors[0]
    return answers[0]


class Connection:
    """A connection to a running run. Made by :func:`connect`; a context manager, which closes it.

    ``at`` of the commands is a batch: they are carried out after it, before the next begins. Each returns the run's answer,
    a list of lines. All raise Unavailable if the run is frozen or gone, Refused for a wrong token, ConfigError with the
    run's sentence for what it cannot do.
    """

    def __init__(self, native: _native.Connection):
        self._native = native
        self._holds: List[Any] = []  # callables that were attached

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection; the run goes on."""
        self._native.close()

    def ask(self, verb: str, *arguments: str, at: Optional[int] = None) -> List[str]:
        """Any command of ``troupe ctl``: ask("break", "loss is nan")."""
        words = [*arguments, *([] if at is None else [f"at={at}"])]
        done, lines = _interruptible(lambda: self._native.ask(verb, words))
        if not done:
            raise ConfigError("\n".join(lines))
        return lines

    def status(self) -> Dict[str, Any]:
        """Where training is, and its extensions."""
        status: Dict[str, Any] = json.loads("\n".join(self.ask("status", "json")))
        return status

    def pause(self, at: Optional[int] = None) -> List[str]:
        """Holds training between two batches."""
        return self.ask("pause", at=at)

    def resume(self) -> List[str]:
        """Ends a pause."""
        return self.ask("resume")

    def step(self, batches: int = 1) -> List[str]:
        """Trains so many batches, and pauses."""
        return self.ask("step", str(batches))

    def stop(self, level: str = "after_batch", at: Optional[int] = None) -> List[str]:
        """Saves and ends the run: "after_batch", "after_epoch" or "now"."""
        return self.ask("stop", level, at=at)

    def set(self, at: Optional[int] = None, **settings: float) -> List[str]:
        """Changes settings of the optimizer: set(learning_rate=0.001)."""
        return self.ask("set", *(f"{name}={text_of(value)}" for name, value in settings.items()), at=at)

    def save(self, file: Optional[str] = None, at: Optional[int] = None) -> List[str]:
        """Saves a checkpoint into the run's folder."""
        return self.ask("save", *([] if file is None else [file]), at=at)

    def evaluate(self, section: str = "validation", at: Optional[int] = None) -> List[str]:
        """Measures the model on "train", "validation" or "test"."""
        return self.ask("evaluate", section, at=at)

    def attach(
        self, kind: Union[str, Extension], name: Optional[str] = None, at: Optional[int] = None, **options: Any
    ) -> List[str]:
        """Attaches an extension by its kind, with options as in the configuration: attach("printing", "often",
        every_n_batches=10). A callable that :func:`troupe.extension` has made can be attached to a run of this process."""
        if isinstance(kind, Extension):
            self._holds.append(kind.hand_over())
            options = {**kind.section(self._holds[-1]), **options}
            kind, name = options.pop("type"), name or kind.name
        words = [f"{key}={text_of(value)}" for key, value in options.items()]
        return self.ask("attach", kind if name is None else f"{kind}:{name}", *words, at=at)

    def detach(self, name: str, at: Optional[int] = None) -> List[str]:
        """Detaches an extension."""
        return self.ask("detach", name, at=at)

    def follow(self, past: int = 0) -> Iterator[Dict[str, Any]]:
        """The rows of the log as they come, after ``past`` past ones, until the run ends: worker, batch, epoch, seconds, and
        the row's records, by name. A row that came too fast for the run to keep is skipped; the run's own log has it."""
        while True:
            lines, _, ended = self._native.next_rows(past)
            for line in lines:
                row = json.loads(line)
                row.update(row.pop("records", {}))
                yield row
            if ended:
                return
            if not lines:
                time.sleep(_POLL)


_connections: "weakref.WeakSet[Connection]" = weakref.WeakSet()


@atexit.register
def _close_connections() -> None:
    for connection in list(_connections):
        connection.close()


def connect(
    run: Union[str, "os.PathLike[str]"] = "latest",
    *,
    token_file: Optional[Union[str, "os.PathLike[str]"]] = None,
    certs: Optional[Union[str, "os.PathLike[str]"]] = None,
    name: str = "control",
) -> Connection:
    """Connects to a run that can be controlled.

    run         its folder on this machine, "latest", or "host:port"
    token_file  with host:port: a file with the token, or the control.json of the run's folder
    certs       folder with ca.pem, <name>.pem and <name>.key, for a run that admits only certificates
    name        of the certificate

    :raises FileError: there is no such run, or it cannot be controlled. ConfigError, UsageError: more is needed
    """
    connection = Connection(_native.Connection(run=os.fspath(run), token_file=os.fspath(token_file or ""),
                                               certs=os.fspath(certs or ""), name=name))
    _connections.add(connection)
    return connection
