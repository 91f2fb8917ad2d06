"""The free-rider dilemma trained for real: the model that each rule ends with."""
