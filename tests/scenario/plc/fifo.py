"""Reads and acknowledges every result of the FIFO; prints the store's id and the numbers. PORT FOLDER RESULTS"""
import sys
import time

from modbus_cell import *

STORE_ID = 92
cell = Cell(int(sys.argv[1]), sys.argv[2])
taken = []
give_up = time.monotonic() + PATIENCE_S
while len(taken) < int(sys.argv[3]):
    sequence = cell.read_u64(FIFO_SEQUENCE)
    if sequence:
        cell.write(ACK_SEQUENCE, *struct.unpack(">4H", struct.pack(">Q", sequence)))
        taken.append(sequence)
    assert time.monotonic() < give_up, taken
print(f"{cell.read_u64(STORE_ID):016x}", *taken, cell.read_u64(FIFO_SEQUENCE))
