"""The inspector of a step: everything that the record knows about it."""
