"""The whole handshake with a real datumd: boards with PASS, FAIL and INVALID, and refusals. PORT FOLDER"""
import math
import struct
import sys

from modbus_cell import *

cell = Cell(int(sys.argv[1]), sys.argv[2])


def measure(frame, unit):
    """One board; its id, its decision bits and its sequence."""
    cell.await_status(READY, TRIGGER_ACK | BUSY | RESULTS_VALID | PASS | FAIL | INCONCLUSIVE | INVALID)
    cell.write_text(UNIT, unit)
    before = cell.read(RESULT_ID)[0]
    cell.write(CONTROL, TRIGGER)
    status, _, _, result_id = cell.read(STATUS, 4)
    assert status & (READY | TRIGGER_ACK | BUSY | RESULTS_VALID) == TRIGGER_ACK | BUSY
    assert result_id == before % 65535 + 1, "the id is there with the acknowledgement"
    cell.write(CONTROL, 0)
    assert cell.status() & (TRIGGER_ACK | BUSY) == BUSY
    cell.await_status(EXPOSING)
    cell.deliver(frame)
    status = cell.await_status(RESULTS_VALID)
    assert not status & (BUSY | READY)
    assert cell.read(RESULT_ID)[0] == result_id
    head = cell.read(RESULT, 120)
    assert head[0] == 1 and head[1] == result_id
    sequence = cell.read_u64(RESULT_SEQUENCE)
    assert sequence == struct.unpack(">Q", struct.pack(">4H", *head[2:6]))[0]
    assert bytes(head[20:20 + len(unit)]).decode() == unit
    row = cell.read(RESULT + FIRST_ROW, ROW)
    cell.write(CONTROL, RESULTS_ACK)
    assert not cell.status() & (RESULTS_VALID | PASS | FAIL | INVALID | READY)
    assert cell.read(RESULT)[0] == 0
    cell.write(CONTROL, 0)
    return result_id, status & (PASS | FAIL | INCONCLUSIVE | INVALID), sequence, head, row


def value(row):
    return struct.unpack(">ff", struct.pack(">4H", *row[16:20]))


cell.choose("box")
ids, bits, sequences, heads, rows = zip(*[measure("pass.ptr", "SN-1"), measure("fail.ptr", "SN-2"), measure("invalid.ptr", "SN-3")])
assert bits == (PASS, FAIL, INVALID), bits
assert [h[6] for h in heads] == [1, 3, 4]
assert sequences == (1, 2, 3) and len(set(ids)) == 3
assert heads[2][7] == 42, "FRAME"
assert bytes(rows[0][:2]) == b"B1"
height, expanded = value(rows[0])
assert abs(height - 500) < 10 and 0 < expanded < 40, (height, expanded)
assert abs(value(rows[1])[0] - 700) < 10
assert math.isnan(value(rows[2])[0]) and rows[2][20:22] == [0x8000, 0]
assert cell.read_u64(FIFO_SEQUENCE) == 0, "what was taken is acknowledged"

# Refusals change nothing
assert cell.refusal(STATUS, READY | PASS) == 2
assert cell.refusal(ACK_SEQUENCE, 0, 0) == 2
assert cell.refusal(ACK_SEQUENCE, 0, 0, 0, 4) == 3
assert cell.refusal(COMMAND, 77) == 3
cell.write(CONTROL, TRIGGER)
cell.write(CONTROL, 0)
cell.write(CONTROL, TRIGGER)
assert cell.status() & FAULT and cell.read(302)[0] == 1, "TRIGGER_NOT_READY"
cell.write(CONTROL, 0)
cell.write(COMMAND, 2)
assert cell.status() & FAULT and cell.read(302)[0] == 5, "BOARD_LOST by ABORT"
assert not cell.status() & (BUSY | READY | RESULTS_VALID)
print("done", *ids)
