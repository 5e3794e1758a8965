"""The build side of the project: which backends exist, which are selected, and what a wheel or editable install holds.

Importing it does nothing; work happens in the ``run`` methods of ``commands`` and ``cmake_driver``.

manifest      third_party/<b>/backend.toml, read into dataclasses
registry      all backends, selection by name or alias
assembly      packages, package_dir, package_data, entry points and links of a selection
links         the links of an editable install
version       version of the distribution
environment   every environment variable the build reads
cmake_driver  the setuptools command that configures, builds and installs the C++ part
conflicts     other distributions that own the package triton
commands      the other setuptools commands
"""
