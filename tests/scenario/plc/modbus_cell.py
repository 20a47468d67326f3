"""A cell's Modbus registers by name through pymodbus, and its drop folder."""
import inspect
import os
import struct
import time

from pymodbus.client import ModbusTcpClient

CONTROL, COMMAND, ACK_SEQUENCE, UNIT, JOB_NAME = 100, 101, 104, 110, 158
STATUS, RESULT_ID, RESULT_SEQUENCE, RESULT_CODE = 300, 303, 304, 308
COMMAND_RESULT, FIFO_SEQUENCE = 311, 332
RESULT, FIRST_ROW, ROW = 10000, 160, 24
TRIGGER, RESULTS_ACK, JOB_STROBE, RESET = 1, 2, 4, 8
READY, TRIGGER_ACK, BUSY, RESULTS_VALID, PASS, FAIL, INCONCLUSIVE, INVALID, FAULT = (1 << n for n in range(9))
EXPOSING = 1 << 12
# The unit identifier's argument: versions of pymodbus name it differently.
UNIT_1 = {next(name for name in ("device_id", "slave") if name in inspect.signature(ModbusTcpClient.write_registers).parameters): 1}
PATIENCE_S = 60  # far beyond every duration here on a busy machine


class Cell:
    def __init__(self, port, folder):
        self.client, self.folder = ModbusTcpClient("127.0.0.1", port=port), folder
        assert self.client.connect()

    def read(self, address, count=1):
        answer = self.client.read_holding_registers(address, count=count, **UNIT_1)
        assert not answer.isError(), answer
        return answer.registers

    def read_u64(self, address):
        return struct.unpack(">Q", struct.pack(">4H", *self.read(address, 4)))[0]

    def write(self, address, *values):
        answer = self.client.write_registers(address, list(values), **UNIT_1)
        assert not answer.isError(), answer

    def write_text(self, address, text):
        self.write(address, *text.encode("ascii"), 0)

    def refusal(self, address, *values):
        """The exception code of a refused write."""
        return self.client.write_registers(address, list(values), **UNIT_1).exception_code

    def status(self):
        return self.read(STATUS)[0]

    def await_status(self, on, off=0):
        give_up = time.monotonic() + PATIENCE_S
        while True:
            status = self.status()
            if status & on == on and not status & off:
                return status
            assert time.monotonic() < give_up, f"STATUS stays {status:016b}"

    def choose(self, job):
        self.write_text(JOB_NAME, job)
        self.write(CONTROL, JOB_STROBE)
        assert self.read(COMMAND_RESULT)[0] == 0
        self.write(CONTROL, 0)

    def deliver(self, name):
        os.rename(f"{self.folder}/outbox/{name}", f"{self.folder}/drop/{name}")
