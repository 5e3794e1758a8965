"""The build side of the project: which backends exist, which are selected, and what a wheel or editable install holds.

Importing it does nothing; work happens in the ``run`` methods of ``commands`` and ``cmake_driver``.

manifest      third_party/<b>/backend.toml, read into dataclasses
registry      all backends, selection by name or alias
assembly      packages, package_dir, package_data, entry points and links of a selection
links         the links of an editable install
version       version of the distribution
environment   every environment variable the build reads; environment_page makes docs/environment.md of it
build_type    release, debug, sanitizer
artifacts     archives that backends need: the cache of them; download, unpack and bundle do what they are called
toolchain     programs and libraries that a build calls
inputs        artifacts and toolchain, looked at before a build starts
parallel      how many compilations run at once
locking       one process at a time
installed_files  what an editable install put into the checkout
presets       CMake presets for the backends
cmake_driver  the setuptools command that configures, builds and installs the C++ part
shared_core   which CMake trees a build has; one compiler for several Pythons
conflicts     other distributions that own the package triton
commands      the other setuptools commands
python_part   the one that copies Python files, of a whole wheel and of an add-on
schema        JSON schema and reference of backend.toml
preview       a package of links for a selection without C++

The same code is the distribution flagtree-build, package flagtree_build, for repositories that hold one backend:

plugin        the entry points that setuptools calls; settings reads [tool.flagtree]
plugin_addon  makes such a project an add-on wheel, which addon checks against trunk, what is known of the trunk
plugin_vendor makes it a whole wheel, from a checkout
"""
