"""Reading: files, folders and named sets, down to rows with their line numbers. It knows no models and no ids."""
