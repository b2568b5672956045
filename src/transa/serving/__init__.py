"""A model folder served over HTTP, with a page that shows it. Needs the extra `serve`."""
