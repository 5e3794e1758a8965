import pytest
from triton import knobs


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path, monkeypatch):
    """An empty kernel cache per test, and knobs as they were."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    with knobs.runtime.scope(), knobs.compilation.scope(), knobs.cache.scope(), knobs.autotuning.scope():
        yield tmp_path / "cache"


@pytest.fixture
def hits():
    """How launches got their kernels: True for a hit of the file cache."""
    found = []
    knobs.compilation.listener = lambda **kwargs: found.append(kwargs["cache_hit"])
    return found
