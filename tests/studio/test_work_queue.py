"""The desk: a few pieces of work at a time, some in the queue, the rest told to come back later."""

import asyncio
import threading

import pytest
import torch
from helpers.own_loop import awaited

from glassformer.studio.work_queue import BusyError, Desk, GoneError, Piece

LONG = 200_000  # operations: nobody waits for them, unless work is not broken off


def test_work_is_done_in_another_thread_and_its_errors_come_back() -> None:
    desk = Desk(at_once=1, waiting=0)
    assert awaited(desk.do(threading.get_ident)) != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        awaited(desk.do(lambda: 1 // 0))
    assert desk.taken == 0
    desk.close()


def test_more_than_can_wait_is_told_to_come_back() -> None:
    desk, gate = Desk(at_once=1, waiting=1), threading.Event()

    async def three() -> list[object]:
        begun = [asyncio.ensure_future(desk.do(gate.wait)) for _ in range(2)]
        await asyncio.sleep(0)  # both are taken
        with pytest.raises(BusyError, match="too much to do"):
            await desk.do(lambda: None)
        gate.set()
        return list(await asyncio.gather(*begun))

    assert awaited(three()) == [True, True]
    desk.close()


def test_who_has_gone_before_the_turn_came_is_not_worked_for() -> None:
    desk, gate, done = Desk(at_once=1, waiting=1), threading.Event(), []

    async def gone() -> None:
        first = asyncio.ensure_future(desk.do(gate.wait))
        second = asyncio.ensure_future(desk.do(lambda: done.append("second")))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        gate.set()
        await first
        await desk.do(lambda: done.append("third"))

    awaited(gone())
    assert done == ["third"]
    desk.close()


def test_work_is_broken_off_when_its_asker_goes_and_the_thread_takes_the_next() -> None:
    desk, begun = Desk(at_once=1, waiting=1), threading.Event()
    ended: list[str] = []

    def endless() -> None:
        for _ in range(LONG):
            begun.set()
            torch.ones(3).sum()
        ended.append("by itself")

    async def leaves() -> str:
        work = asyncio.ensure_future(desk.do(endless))
        while not begun.is_set():
            await asyncio.sleep(0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        return await desk.do(lambda: "the next")

    assert awaited(leaves()) == "the next"
    assert ended == []
    assert desk.taken == 0
    desk.close()


def test_who_leaves_too_late_disturbs_nobody() -> None:
    """The thread has gone on to other work by then."""
    piece = Piece(lambda: "done")
    assert piece.do() == "done"
    piece.leave()
    assert sum(range(10_000)) == 49_995_000
    with pytest.raises(GoneError):
        piece.do()


def test_nothing_in_the_work_holds_the_leaving_back() -> None:
    begun, ended = threading.Event(), threading.Event()

    def stubborn() -> None:
        for _ in range(LONG):
            try:
                begun.set()
                torch.ones(3).sum()
            except Exception:  # as rooms have it, to tell an error in words
                continue

    piece = Piece(stubborn)

    def work() -> None:
        with pytest.raises(GoneError):
            piece.do()
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    piece.leave()
    thread.join()
    assert ended.is_set()


def test_what_is_broken_off_leaves_no_lock_held() -> None:
    """Whenever its asker goes: a lock that was taken is let go, even one that a function of ours lets go."""
    lock = threading.Condition()

    def careful() -> None:
        for _ in range(LONG):
            with lock:
                torch.ones(3).sum()
            begun.set()

    def work() -> None:
        with pytest.raises(GoneError):
            piece.do()

    for _ in range(30):
        begun, piece = threading.Event(), Piece(careful)
        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()
        piece.leave()
        thread.join()
        assert lock.acquire(blocking=False)
        lock.release()


def test_work_without_torch_is_done_to_its_end() -> None:
    piece = Piece(lambda: (piece.leave(), "done")[1])
    assert piece.do() == "done"


def test_work_that_is_broken_off_leaves_gradients_as_they_were() -> None:
    pieces: list[Piece[None]] = []

    def quiet() -> None:
        with torch.no_grad():  # its end is an operation of torch too
            pieces[0].leave()

    pieces.append(Piece(quiet))
    with pytest.raises(GoneError):
        pieces[0].do()
    assert torch.is_grad_enabled()
