"""Live experiments over HTTP. Needs the extra `serve`."""
