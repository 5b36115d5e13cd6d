"""What is captured and driven: monitors, windows and other machines."""
