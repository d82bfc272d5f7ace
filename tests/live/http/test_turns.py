"""One request per experiment writes at a time; few may wait, and not for long."""

from __future__ import annotations

import asyncio
from functools import partial
from threading import Event

import pytest

from causalbandits.live.errors import Busy
from causalbandits.live.http.turns import Turns


def test_requests_for_one_experiment_write_one_after_the_other_in_order() -> None:
    done: list[int] = []
    running = 0

    def work(number: int) -> int:
        nonlocal running
        running += 1
        assert running == 1
        done.append(number)
        running -= 1
        return number

    async def main() -> list[int]:
        turns = Turns()
        tasks = [turns.write("a", partial(work, number)) for number in range(20)]
        return list(await asyncio.gather(*tasks))

    assert asyncio.run(main()) == list(range(20)) == done


def test_a_blocked_experiment_lets_others_write_and_refuses_more_than_may_wait() -> None:
    free = Event()

    async def main() -> None:
        turns = Turns(waiting=2)
        blocked = [asyncio.create_task(turns.write("a", free.wait)) for _ in range(3)]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy, match="2 requests wait for 'a' already"):
            await turns.write("a", lambda: None)
        assert await turns.write("b", lambda: 1) == 1
        free.set()
        assert await asyncio.gather(*blocked) == [True] * 3
        assert await turns.write("a", lambda: 2) == 2

    asyncio.run(main())


def test_who_waits_too_long_is_told_to_come_again() -> None:
    free = Event()

    async def main() -> None:
        turns = Turns(seconds=0.1)
        first = asyncio.create_task(turns.write("a", free.wait))
        await asyncio.sleep(0.02)
        with pytest.raises(Busy, match=r"'a' was busy for 0\.1 seconds"):
            await turns.write("a", lambda: None)
        free.set()
        await first
        assert await turns.write("a", lambda: 1) == 1

    asyncio.run(main())


def test_an_error_of_the_work_ends_the_turn() -> None:
    async def main() -> None:
        turns = Turns()
        with pytest.raises(ZeroDivisionError):
            await turns.write("a", lambda: 1 // 0)
        assert await turns.write("a", lambda: 1) == 1

    asyncio.run(main())
