"""The app's window: renders engine events and posts the human's intents. The one room of Qt widgets."""
