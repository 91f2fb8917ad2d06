"""Augmentation: training images changed at random, anew each time one is used."""
