# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""The tests that every engine passes: the safety contract, line by line.

Subclass it in a test module, and give it a fixture ``make_engine`` that returns a function which
builds engines on one and the same fresh store, as the processes of a service would::

    class TestMyEngine(EngineContract):
        @pytest.fixture
        def make_engine(self, tmp_path):
            return lambda: MyAsyncEngine(parse(f"mine://{tmp_path}"))

Nothing here assumes that the machine is idle: where something must last, it has a long ttl; where
something must end, the test waits for the end.
"""

from __future__ import annotations

from holdfast.testing.twins import threads as kit

from .ambiguity import AmbiguityContract
from .block import BlockContract
from .fencing import FencingContract
from .renewal import RenewalContract
from .sharing import SharingContract
from .surface import SurfaceContract
from .trust import TrustContract
from .waiting import WaitingContract


class EngineContract(
    AmbiguityContract,
    TrustContract,
    RenewalContract,
    BlockContract,
    SharingContract,
    WaitingContract,
    FencingContract,
    SurfaceContract,
    kit.FlavourContract,
):
    """All of the contract: one test for each promise."""
