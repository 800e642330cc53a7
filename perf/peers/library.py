# SPDX-License-Identifier: Apache-2.0
"""What the tool asks of a library, heed or another."""
import dataclasses
import typing


class CannotExpress(Exception):
    """The library's operation has no way to say this call; the text is the reason."""


@dataclasses.dataclass
class Form:
    """One way to make a call: everything prepared but the call itself."""
    label: str                         # '' where there is only one way
    run: typing.Callable[[], object]   # the call, timed
    result: typing.Callable            # calls, and answers out as a [batch, heads, tokens, channels] array
    kept: object = None                # alive as long as the form: memory that the call knows by address only


class Library(typing.Protocol):
    name: str
    version: str

    def forms(self, workload, threads: int) -> list[Form]:
        """Ways to make this call; the tool takes the fastest. Raises CannotExpress."""
