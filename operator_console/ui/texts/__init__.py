"""The texts of the window: one module for each part of it, constants and functions that return a sentence.

A text whose words depend on a number is made by `counted`, so that a catalogue of another language can use that
language's plural forms.
"""
