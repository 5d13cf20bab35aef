"""The twins: the same names for threads and for asyncio, and what each of them means."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from holdfast._runtime import aio, threads
from holdfast.errors import EngineError

#: Longer than anything here takes on a busy machine; nothing waits so long unless it fails.
LIMIT = 30.0

#: What only one of them has, and why.
ONLY = {"Coro"}  # the type of a coroutine: the generator takes it away


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, LIMIT))


def public(module: Any) -> set[str]:
    """The names that a twin defines itself."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not inspect.ismodule(value)
        and name not in {"annotations", "T", "P"}
        and getattr(value, "__module__", "holdfast") not in {"typing", "collections.abc"}
        and name not in {"EngineError", "ThreadPoolExecutor", "lru_cache", "partial", "dump_info"}
    }


def test_the_same_names() -> None:
    assert public(aio) - ONLY == public(threads) - ONLY


NAMES = sorted(public(threads) - ONLY)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_kinds_of_things(name: str) -> None:
    one, two = getattr(aio, name), getattr(threads, name)
    assert callable(one) == callable(two)


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isfunction(getattr(aio, name))])
def test_functions_take_as_many_arguments(name: str) -> None:
    one, two = getattr(aio, name), getattr(threads, name)
    if inspect.isfunction(two):
        assert kinds(one) == kinds(two)


@pytest.mark.parametrize("name", ["Event", "Mutex", "Body", "Task", "Worker", "Reader"])
def test_classes_have_the_same_methods(name: str) -> None:
    one, two = getattr(aio, name), getattr(threads, name)
    for method, function in vars(one).items():
        if method.startswith("_") or not inspect.isfunction(function):
            continue
        twin = getattr(two, method)
        if inspect.isfunction(twin):
            assert kinds(function) == kinds(twin), method


def kinds(function: Callable[..., Any]) -> list[object]:
    return [parameter.kind for parameter in inspect.signature(function).parameters.values()]


# --- events --------------------------------------------------------------------------------------


@pytest.mark.parametrize("twin", [aio, threads], ids=lambda twin: twin.__name__)
def test_an_event_is_true_once_it_is_set(twin: Any) -> None:
    event = twin.Event()
    assert not event
    assert not event.is_set()
    event.set()
    event.set()
    assert event
    assert event.is_set()
    event.clear()
    assert not event


def test_waiting_in_a_thread() -> None:
    event = threads.Event()
    assert event.wait(0) is False
    assert event.wait(0.001) is False
    timer = threading.Timer(0.01, event.set)
    timer.start()
    assert event.wait(LIMIT) is True
    timer.join()
    assert event.wait(0) is True


def test_waiting_in_a_task() -> None:
    async def main() -> None:
        event = aio.Event()
        assert await event.wait(0) is False
        assert await event.wait(0.001) is False
        asyncio.get_running_loop().call_soon(event.set)
        assert await event.wait() is True
        assert await event.wait(0) is True

    run(main())


def test_another_thread_wakes_a_task() -> None:
    async def main() -> None:
        event = aio.Event()
        waiters = [asyncio.create_task(event.wait(LIMIT)) for _ in range(3)]
        await asyncio.sleep(0)
        thread = threading.Thread(target=event.set)
        thread.start()
        assert await asyncio.gather(*waiters) == [True] * 3
        thread.join()

    run(main())


def test_an_event_that_is_set_and_cleared_at_once_still_wakes() -> None:
    async def main() -> None:
        event = aio.Event()
        waiter = asyncio.create_task(event.wait(LIMIT))
        await asyncio.sleep(0)
        event.set()
        event.clear()
        assert await waiter is True
        assert not event

    run(main())


def test_one_event_wakes_tasks_of_several_loops() -> None:
    event = aio.Event()
    waiting = threading.Barrier(3)
    results: list[bool] = []

    async def wait() -> None:
        asyncio.get_running_loop().call_later(0.02, waiting.wait)
        results.append(await event.wait(LIMIT))

    loops = [threading.Thread(target=asyncio.run, args=(wait(),)) for _ in range(2)]
    for loop in loops:
        loop.start()
    waiting.wait(LIMIT)
    event.set()
    for loop in loops:
        loop.join(LIMIT)
    assert results == [True, True]


def test_a_cancelled_waiter_is_forgotten() -> None:
    async def main() -> None:
        event = aio.Event()
        waiter = asyncio.create_task(event.wait())
        await asyncio.sleep(0)
        waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter
        assert event._waiting == []
        event.set()

    run(main())


def test_setting_an_event_whose_loop_is_closed_harms_nobody() -> None:
    event = aio.Event()
    loop = asyncio.new_event_loop()
    event._waiting.append(loop.create_future())
    loop.close()
    event.set()
    assert event


# --- work that must run to its end ---------------------------------------------------------------


class Work:
    """Something that ends when it is told to."""

    def __init__(self) -> None:
        self.started, self.go, self.done = asyncio.Event(), asyncio.Event(), False

    async def run(self) -> str:
        self.started.set()
        await self.go.wait()
        self.done = True
        return "result"

    async def fail(self) -> str:
        await self.run()
        raise OSError("failed")


def test_shielded_returns_the_result_or_raises_the_error() -> None:
    async def main() -> None:
        work = Work()
        work.go.set()
        assert await aio.shielded(work.run(), LIMIT) == "result"
        with pytest.raises(OSError, match="failed"):
            await aio.shielded(work.fail(), LIMIT)

    run(main())


@pytest.mark.parametrize("times", [1, 3])
def test_a_cancellation_is_delivered_after_the_work_is_done(times: int) -> None:
    async def main() -> None:
        work = Work()
        caller = asyncio.create_task(aio.shielded(work.run(), LIMIT))
        await work.started.wait()
        for _ in range(times):
            caller.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert not caller.done()
        work.go.set()
        with pytest.raises(asyncio.CancelledError):
            await caller
        assert work.done

    run(main())


def test_a_cancellation_outranks_the_error_of_the_work() -> None:
    async def main() -> None:
        work = Work()
        caller = asyncio.create_task(aio.shielded(work.fail(), LIMIT))
        await work.started.wait()
        caller.cancel()
        await asyncio.sleep(0)
        work.go.set()
        with pytest.raises(asyncio.CancelledError):
            await caller

    run(main())


def test_what_is_not_done_in_time_goes_on_in_the_background() -> None:
    async def main() -> None:
        work = Work()
        with pytest.raises(TimeoutError, match="no answer within"):
            await aio.shielded(work.run(), 0.01)
        assert not work.done
        work.go.set()
        while not work.done:
            await asyncio.sleep(0)

    run(main())


def test_a_cancelled_caller_waits_no_longer_than_the_timeout() -> None:
    async def main() -> None:
        work = Work()
        caller = asyncio.create_task(aio.shielded(work.run(), 0.05))
        await work.started.wait()
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        assert not work.done
        work.go.set()
        while not work.done:
            await asyncio.sleep(0)

    run(main())


def test_what_fails_in_the_background_is_not_reported_as_a_leak() -> None:
    """Its caller was told that the outcome is unknown; there is nobody left to tell."""
    reports: list[dict[str, Any]] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, report: reports.append(report))
        work = Work()
        with pytest.raises(TimeoutError):
            await aio.shielded(work.fail(), 0.01)
        work.go.set()
        while not work.done:
            await asyncio.sleep(0)
        await asyncio.sleep(0)

    run(main())
    assert reports == []


def test_a_plain_call_has_run_by_the_time_it_returns() -> None:
    assert threads.shielded("result", 0.0) == "result"


# --- bodies --------------------------------------------------------------------------------------


def test_a_body_is_cancelled_and_knows_that_it_was_us() -> None:
    async def main() -> None:
        body = aio.Body()
        asyncio.get_running_loop().call_soon(body.interrupt)
        with pytest.raises(asyncio.CancelledError) as caught:
            await asyncio.sleep(LIMIT)
        assert body.leave(caught.value) is True
        current = asyncio.current_task()
        assert current is not None
        assert current.cancelling() == 0

    run(main())


def test_a_cancellation_from_elsewhere_stays_one() -> None:
    bodies: list[bool] = []

    async def under_a_lease(interrupted: bool) -> None:
        body = aio.Body()
        try:
            await asyncio.sleep(LIMIT)
        except asyncio.CancelledError as exc:
            if interrupted:
                body._interrupted = True
                body._task.cancel()  # both at once
            bodies.append(body.leave(exc))
            raise

    async def main() -> None:
        for interrupted in (False, True):
            task = asyncio.create_task(under_a_lease(interrupted))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    run(main())
    assert bodies == [False, False]


def test_the_error_of_a_body_is_not_taken_for_an_interruption() -> None:
    async def main() -> None:
        body = aio.Body()
        asyncio.get_running_loop().call_soon(body.interrupt)
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(LIMIT)
        assert body.leave(OSError("its own")) is False

    run(main())


def test_a_body_that_has_ended_is_not_interrupted_any_more() -> None:
    async def main() -> None:
        body = aio.Body()
        assert body.leave(None) is False
        body.interrupt()
        await asyncio.sleep(0)

    run(main())


def test_a_body_does_not_interrupt_itself() -> None:
    async def main() -> None:
        body = aio.Body()
        body.interrupt()
        await asyncio.sleep(0)
        assert body.leave(None) is False

    run(main())


def test_a_body_in_a_thread_cannot_be_interrupted() -> None:
    body = threads.Body()
    body.interrupt()
    assert body.leave(OSError()) is False


# --- tasks and workers ---------------------------------------------------------------------------


def test_tasks_in_threads() -> None:
    assert threads.spawn(lambda a, b: a + b, 1, 2).join() == 3
    with pytest.raises(ZeroDivisionError):
        threads.spawn(lambda: 1 // 0).join()
    task = threads.spawn(threading.current_thread, name="holdfast-test")
    task.cancel()
    assert task.join().name == "holdfast-test"
    assert task.join().daemon


def test_tasks_in_a_loop() -> None:
    async def add(a: int, b: int) -> int:
        return a + b

    async def main() -> None:
        assert await aio.spawn(add, 1, 2).join() == 3
        task = aio.spawn(asyncio.sleep, LIMIT, name="holdfast-test")
        assert task.task.get_name() == "holdfast-test"
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task.join()
        assert not aio._tasks & {task.task}

    run(main())


def test_gather_keeps_the_order_and_raises_the_error() -> None:
    first, second = threading.Event(), threading.Event()

    def one() -> int:
        assert second.wait(LIMIT)
        return 1

    def two() -> int:
        second.set()
        return 2

    assert threads.gather([one, two]) == [1, 2]
    assert threads.gather([]) == []
    with pytest.raises(ZeroDivisionError):
        threads.gather([first.set, lambda: 1 // 0])

    async def three() -> int:
        return 3

    async def fail() -> int:
        raise ZeroDivisionError

    async def main() -> None:
        assert await aio.gather([three, three]) == [3, 3]
        assert await aio.gather([]) == []
        with pytest.raises(ZeroDivisionError):
            await aio.gather([three, fail])

    run(main())


def test_a_release_never_overtakes_its_acquire_even_if_that_is_cancelled() -> None:
    async def main() -> None:
        worker = aio.Worker("holdfast-test", lambda: None)
        order: list[str] = []
        started, go = threading.Event(), threading.Event()

        def slow() -> None:
            started.set()
            assert go.wait(LIMIT)
            order.append("acquire")

        caller = asyncio.create_task(worker.run(slow))
        await asyncio.to_thread(started.wait, LIMIT)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        after = asyncio.create_task(worker.run(order.append, "release"))
        await asyncio.sleep(0)
        assert order == []
        go.set()
        await after
        assert order == ["acquire", "release"]
        worker.stop()

    run(main())


def test_a_worker_that_was_stopped_says_so() -> None:
    async def main() -> None:
        worker = aio.Worker("holdfast-test", lambda: None)
        assert await worker.run(divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            await worker.run(divmod, 7, 0)
        worker.stop()
        worker.stop()
        with pytest.raises(EngineError, match="closed"):
            await worker.run(divmod, 7, 2)

    run(main())


def test_a_worker_in_threads_does_one_thing_at_a_time() -> None:
    worker = threads.Worker("holdfast-test", lambda: None)
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        inside.append(1)
        most.append(len(inside))
        threading.Event().wait(0.001)
        inside.pop()

    tasks = [threads.spawn(worker.run, work) for _ in range(8)]
    for task in tasks:
        task.join()
    assert max(most) == 1
    worker.stop()


# --- small things --------------------------------------------------------------------------------


def test_who_may_be_decorated() -> None:
    def plain() -> None: ...

    async def coroutine() -> None: ...

    def generator() -> Any:
        yield

    async def async_generator() -> Any:
        yield

    threads.check_function(plain)
    aio.check_function(coroutine)
    for function in (coroutine, generator, async_generator, 3, None):
        with pytest.raises(TypeError):
            threads.check_function(function)  # type: ignore[arg-type]
    for function in (plain, generator, async_generator, 3, None):
        with pytest.raises(TypeError):
            aio.check_function(function)  # type: ignore[arg-type]


def test_a_holder_says_who_it_is() -> None:
    assert '"thread":' in threads.holder_info()
    assert '"pid":' in threads.holder_info()

    async def main() -> str:
        return aio.holder_info()

    assert '"task":' in run(main())


def test_an_error_in_a_callback_goes_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    def broken(lease: object) -> None:
        raise ZeroDivisionError(lease)

    async def async_broken(lease: object) -> None:
        raise ZeroDivisionError(lease)

    async def main() -> None:
        await aio.call_back(broken, "lease").join()
        await aio.call_back(async_broken, "lease").join()

    threads.call_back(broken, "lease").join()
    run(main())
    assert [record.message for record in caplog.records] == ["on_lost raised"] * 3
