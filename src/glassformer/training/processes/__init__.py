"""Many processes, on one machine or several, that train one model. They know no text and no task."""
