"""What a study is: its keys, its arms and its agents; read, checked and written."""

from .agents import StudyAgents, agents_of
from .arm import Arm, arms
from .load import read_study
from .study import Study
from .write_toml import to_toml

__all__ = ["Arm", "Study", "StudyAgents", "agents_of", "arms", "read_study", "to_toml"]
