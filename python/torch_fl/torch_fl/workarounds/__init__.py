"""Repairs of single toolchains. Each module has ``install_when_needed()``, which installs it once."""
