"""pytest fixtures, there once holdfast is installed. Nothing is imported before it is used."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from holdfast import AsyncClient, Client

    from .faults import Faults


@pytest.fixture
def holdfast_url() -> str:
    """The engine of the other fixtures: a memory space of this test's own. Override it at will."""
    return f"memory://{secrets.token_hex(8)}"


@pytest.fixture
def holdfast_faults() -> Faults:
    """What goes wrong in the clients of the other fixtures: nothing, until the test says so."""
    from . import Faults

    return Faults()


@pytest.fixture
def holdfast_client(holdfast_url: str, holdfast_faults: Faults) -> Iterator[Client]:
    """A client whose engine obeys ``holdfast_faults``; closed after the test."""
    from . import faulty_client

    with faulty_client(holdfast_faults, holdfast_url) as client:
        yield client


@pytest.fixture
def holdfast_async_client(holdfast_url: str, holdfast_faults: Faults) -> AsyncClient:
    """An async client whose engine obeys ``holdfast_faults``. Close it in the test if need be."""
    from . import async_faulty_client

    return async_faulty_client(holdfast_faults, holdfast_url)
