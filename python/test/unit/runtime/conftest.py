import pytest
from triton import knobs


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path, monkeypatch):
    """An empty kernel cache per test, and knobs as they were."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    with knobs.runtime.scope(), knobs.compilation.scope(), knobs.cache.scope(), knobs.autotuning.scope():
        yield tmp_path / "cache"
