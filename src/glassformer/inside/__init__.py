"""Looks inside models: a pass as a document, the front end that draws it, and watching models that are not ours."""
