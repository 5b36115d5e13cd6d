"""Each model's dialect, turned into domain values and back; never retries or sleeps."""
