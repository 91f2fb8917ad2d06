"""The protocol between an operator and its agents: terms, agents' files, statements, advice."""
