"""Inside: a look into a model as data for a page, the front end that draws it, and the page in one file."""
