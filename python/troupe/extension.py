"""Extensions of training that are Python callables."""

from __future__ import annotations

import logging
from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from . import _native

#: An event of training, which an extension is called with. See _native.pyi for its members.
Event = _native.Event

Body = Callable[[Event], Optional[Mapping[str, Any]]]

_log = logging.getLogger("troupe")


class Extension:
    """A callable that training calls in a thread of its own. Make one by :func:`extension`."""

    def __init__(self, function: Body, name: str, options: Dict[str, Any]):
        self.function = function
        self.name = name
        self.options = options
        #: What the function has raised; None: nothing. After that it is not called any more.
        self.error: Optional[BaseException] = None

    def __call__(self, event: Event) -> Optional[Mapping[str, Any]]:
        return self.function(event)

    def _call(self, event: Event) -> Any:
        try:
            records = self.function(event)
            return dict(records) if isinstance(records, Mapping) else records
        except BaseException as error:
            self.error = error
            _log.error("extension '%s' raised %s: %s", self.name, type(error).__name__, error, exc_info=True)
            raise

    def hand_over(self) -> Any:
        """What keeps it callable for a training that names it in its configuration."""
        return _native.HandedCallable(self._call)

    def section(self, handed: Any) -> Dict[str, Any]:
        """Its section of a configuration, for as long as ``handed`` is kept."""
        return {"handle": handed.handle, **self.options}


def extension(
    function: Optional[Body] = None,
    *,
    name: Optional[str] = None,
    gate: bool = False,
    on_error: str = "proceed",
    shows: str = "nothing",
    window: int = 16,
    writes: Sequence[str] = (),
    **schedule: Any,
) -> Any:
    """Makes an extension of a callable; also a decorator, with or without arguments::

        @troupe.extension(every_n_batches=100)
        def watch(event):
            return {"twice_the_loss": 2 * event.loss}

    The callable gets an :class:`Event`. It may return records for the log, by name, and call ``event.stop(reason)`` and
    ``event.set(learning_rate=...)``. It runs in a thread of its own and holds training by nothing but Python's lock on its
    processor: at most ``window`` events wait for it, and further ones are lost, which the log says once at the end.
    A gate is awaited instead.

    gate      True: training waits for each call, so that none is lost, and what it sets applies to the next batch
    name      in messages and in the configuration; None: the function's
    on_error  after an exception: "proceed" (training goes on without it), "finish" (ends in good order), "fail"
    shows     "parameters" fills event.parameters, "gradients" event.gradient too; else they are empty
    window    events in flight, at least 1; a gate has none
    writes    records that other extensions may wait for
    schedule  when it is called, as in the configuration: every_n_batches=10, after_epoch=True (the default), ...
    """

    def make(body: Body) -> Extension:
        options: Dict[str, Any] = {"type": "function_gate" if gate else "function", "on_end": on_error, "shows": shows}
        if not gate:
            options["window"] = window
        if schedule:
            options["after_epoch"] = False  # the usual moment, unless the schedule names it
        options.update(schedule)
        if writes:
            options["writes"] = list(writes)
        return Extension(body, name or getattr(body, "__name__", "extension").strip("<>"), options)

    return make if function is None else make(function)
