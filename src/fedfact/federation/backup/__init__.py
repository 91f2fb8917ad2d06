"""An operator's or a member's directory in one encrypted file (`back_up`), and back (`restore`)."""
