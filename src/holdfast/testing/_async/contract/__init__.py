# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""The tests that every engine passes: the safety contract, line by line.

Subclass it in a test module, and give it a fixture ``make_engine`` that returns a function which
builds engines on one and the same fresh store, as the processes of a service would::

    class TestMyEngine(AsyncEngineContract):
        @pytest.fixture
        def make_engine(self, tmp_path):
            return lambda: MyAsyncEngine(parse(f"mine://{tmp_path}"))

Nothing here assumes that the machine is idle: where something must last, it has a long ttl; where
something must end, the test waits for the end.
"""

from __future__ import annotations

from holdfast.testing.twins import aio as kit

from .ambiguity import AsyncAmbiguityContract
from .block import AsyncBlockContract
from .fencing import AsyncFencingContract
from .renewal import AsyncRenewalContract
from .sharing import AsyncSharingContract
from .surface import AsyncSurfaceContract
from .trust import AsyncTrustContract
from .waiting import AsyncWaitingContract


class AsyncEngineContract(
    AsyncAmbiguityContract,
    AsyncTrustContract,
    AsyncRenewalContract,
    AsyncBlockContract,
    AsyncSharingContract,
    AsyncWaitingContract,
    AsyncFencingContract,
    AsyncSurfaceContract,
    kit.FlavourContract,
):
    """All of the contract: one test for each promise."""
