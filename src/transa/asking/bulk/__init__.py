"""Many questions at once: ids in and arrays out, files in and files out."""
