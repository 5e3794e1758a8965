"""Packages that kernels import by the name of a device, found below `triton.language.extra`, not here."""
