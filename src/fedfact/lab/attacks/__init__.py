"""Agents that do not play fair, and what each attack does under each rule."""
