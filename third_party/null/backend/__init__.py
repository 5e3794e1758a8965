"""A backend that compiles and launches nothing."""
