"""One turn of the model: observe, propose, then approve, act and settle for each call."""
