"""Settings for every test: hypothesis without deadlines (machines are shared), the same examples in CI."""

import os

# SciPy reads it when it is imported: scikit-learn's checks with arrays of other libraries need it.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("local", deadline=None, max_examples=30, suppress_health_check=list(HealthCheck))
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(params=["wide", "narrow"], scope="module")
def registers(request):
    """Texts are read, counted and judged with wide registers, where the processor has them, and without."""
    from plainbayes.text import analyzer

    with pytest.MonkeyPatch.context() as patch:
        if request.param == "narrow":
            patch.setenv("PLAINBAYES_NARROW", "1")
        analyzer._core.cache_clear()
        yield
    analyzer._core.cache_clear()
