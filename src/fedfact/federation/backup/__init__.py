"""An operator's or a member's directory in one encrypted file (`back_up`), and back (`restore`).

For commands, which import what they need.
"""

__all__: list[str] = []
