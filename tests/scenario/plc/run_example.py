"""Executes the README's PLC program cyclically with a real datumd. PORT FOLDER PROGRAM"""
import sys
import time

from modbus_cell import *
from structured_text import Program

cell = Cell(int(sys.argv[1]), sys.argv[2])
plc = Program(open(sys.argv[3]).read())
v = plc.values
STEP_WAITS = 20


def scan(cycle_ms):
    inputs = cell.read(STATUS, 4)
    v["Status"], v["ResultId"] = inputs[0], inputs[3]
    plc.scan(cycle_ms)
    cell.write(CONTROL, v["Control"])


SLOWER = 10  # the program's clock is slower by this factor, since this machine may be busy
HASTE = 0.001


def board(frame):
    """The program's reaction to a board. Without a frame its timeout ends at once."""
    v["Start"], delivered, last = True, False, time.monotonic()
    give_up = last + PATIENCE_S
    while not (v["Good"] or v["Reject"]):
        assert time.monotonic() < give_up, v
        now = time.monotonic()
        hurry = frame is None and v["Step"] == STEP_WAITS
        scan((now - last) * 1000 / (HASTE if hurry else SLOWER))
        last = now
        v["Start"] = v["Start"] and v["Step"] == 0
        if frame and not delivered and v["Step"] == STEP_WAITS and v["Status"] & EXPOSING:
            cell.deliver(frame)
            delivered = True
    outcome = "good" if v["Good"] else "reject"
    for _ in range(1000):
        scan(1)
        assert not (v["Good"] or v["Reject"]), "for one cycle"
        if v["Step"] == 0 and v["Status"] & READY:
            break
    return outcome


cell.choose("box")
print("pass", board("pass.ptr"))
print("fail", board("fail.ptr"))
print("invalid", board("invalid.ptr"))
print("never exposed", board(None))
cell.deliver("late.ptr")  # frame of the rejected board: the next board must not get its result
give_up = time.monotonic() + PATIENCE_S
while not (v["Step"] == 0 and v["Status"] & READY and not v["Status"] & FAULT and cell.read_u64(FIFO_SEQUENCE)):
    assert time.monotonic() < give_up, v
    scan(1)
print("next", board("next.ptr"))
