"""Bytes in FLARE's envelopes.

A ``Shareable`` travels in FLARE's own format (FOBS), which builds only types that it knows; the
protocol puts bytes into it and nothing else, so nothing that is received is unpickled.
"""

from nvflare.apis.fl_constant import ReturnCode
from nvflare.apis.shareable import Shareable, make_reply

from ....wire.transport import Failure

_BODY, _ERROR = "fedfact", "error"
_MOST_WORDS = 1000


def pack(data: bytes) -> Shareable:
    """A message with these bytes."""
    message = Shareable()
    message[_BODY] = data
    return message


def pack_error(words: str) -> Shareable:
    """A reply that says why there is none; nobody but the operator is told the words."""
    message = make_reply(ReturnCode.EXECUTION_EXCEPTION)
    message[_ERROR] = words[:_MOST_WORDS]
    return message


def unpack(message: Shareable) -> bytes | Failure:
    """The bytes of a message, or why it has none."""
    code = message.get_return_code(ReturnCode.OK)
    if code != ReturnCode.OK:
        words = message.get(_ERROR)
        return Failure("error", words[:_MOST_WORDS] if isinstance(words, str) else str(code))
    data = message.get(_BODY)
    return data if isinstance(data, bytes) else Failure("error", "a message without bytes")
