#!/usr/bin/env python3
"""Frame to result of datumd without and with datumd-view under load on a large store, by turns.

usage: view_load.py BIN FOLDER [--results N] [--boards N] [--turns N] [--clients N] [--cols N] [--rows N]

FOLDER gets the store (bench_pages writes it, once) and a cell beside it: datumd measures frames of a drop folder. A turn is BOARDS boards,
one at a time, without datumd-view; the next turn the same with it, while CLIENTS connections ask for its pages one after the other:
newest boards, a board, a lot of 1,000 boards, a component over a year, search. datumd-view runs as its unit runs it: in processor time
that is left over. A frame has COLS x ROWS pixels of 50 um. Time: from the rename of the sidecar to the result's line at a host over
TCP, in ms. Exit status 1: p99 with load is more than 5 % above p99 without, over all turns."""
import argparse
import array
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

PIXEL_MM = 0.05
RECIPE = """schema = 1
name = "load"
sensor_serial = "SN-1"
package.C0603 = { body_mm = [1.6, 0.8], nominal_um = 800, characteristic = "median", tolerance_um = 80 }
component = [
  { reference = "C1", package = "C0603", centre_mm = [6, 6] },
  { reference = "C2", package = "C0603", centre_mm = [12, 6] },
]
floor = { inner_margin_mm = 0.3, outer_margin_mm = 1.3 }
decision = { rule = "14253" }
board = { size_mm = [40, 30], coordinates = "sensor", origin_mm = [0, 0, 0] }
"""
SENSOR = """schema = 1
serial = "SN-1"
model = "load"
handedness = "right"
z_min_mm = -5.0
z_max_mm = 5.0
scale_uncertainty_ppm = 500.0
linearity_um = 1.0
noise = { z_mm = [0.0], sigma_um = [3.0] }
"""
CONFIG = """schema = 1
cell = "load"
sensor = { profile = "sensor.toml", drop_folder = "drop" }
inspection = { recipes_folder = "recipes", recipe = "load", trigger = "on_frame", arm_at_start = true }
results = { store_file = "results.db" }
host.tcp = { port = 0 }
"""


def quantile(values, q):
    """Nearest rank."""
    ordered = sorted(values)
    return ordered[max(1, -(-int(q * 1000) * len(ordered) // 1000)) - 1]


class Cell:
    def __init__(self, bin_folder, folder, cols, rows):
        self.bin, self.folder, self.number = bin_folder, folder, int(time.time()) * 1000
        self.cols = cols
        shutil.rmtree(folder / "drop", ignore_errors=True)  # of a run that was cut off
        for name in ("recipes", "drop", "cache"):
            (folder / name).mkdir(exist_ok=True)
        (folder / "recipes/load.toml").write_text(RECIPE)
        (folder / "sensor.toml").write_text(SENSOR)
        (folder / "datumd.toml").write_text(CONFIG)
        noise = random.Random(7)
        rows = [array.array("f", (noise.gauss(0, 0.003) for _ in range(cols))) for _ in range(rows)]
        for row in rows[112:129]:
            for begin in (104, 224):
                for col in range(begin, begin + 33):
                    row[col] += 0.8
        self.rows = rows
        self.log = open(folder / "datumd.log", "w")
        self.daemon = subprocess.Popen([bin_folder / "datumd", "--config", "datumd.toml"], cwd=folder, stderr=self.log)
        self.host = self.connect()

    def connect(self):
        while self.daemon.poll() is None:
            said = (self.folder / "datumd.log").read_text()
            if port := re.search(r"commands, tcp 127\.0\.0\.1:(\d+)", said):
                link = socket.create_connection(("127.0.0.1", int(port.group(1))), timeout=60)
                link.sendall(b"DATA:PUSH ON\n")
                return link.makefile("rb")
            time.sleep(0.1)
        sys.exit("datumd ended; see datumd.log")

    def measure(self):
        """ms from the delivery to the line."""
        self.number += 1
        name = f"f{self.number}"
        drop = self.folder / "drop"
        self.rows[0][0] = self.number % 2**24 * 2**-30  # repeated pixels are no new frame; a float holds 2^24 of them exactly
        with open(drop / f"{name}.img", "wb") as out:
            for row in self.rows:
                row.tofile(out)
        (drop / f"{name}.hdr").write_text(
            f"ENVI\nsamples = {self.cols}\nlines = {len(self.rows)}\nbands = 1\ndata type = 4\nbyte order = 0\n")
        pixel = {"scale": PIXEL_MM, "offset": 0, "unit": "mm"}
        (drop / f"{name}.part").write_text(json.dumps({
            "schema_version": 1, "sensor_serial": "SN-1", "frame_id": name, "handedness": "right",
            "capture_time": {"ns": 0, "clock": "unknown"}, "x": pixel, "y": pixel,
            "z": {"scale": 1, "offset": 0, "unit": "mm"}, "invalid_value": "nan",
            "height_file": f"{name}.img", "header_file": f"{name}.hdr"}))
        begin = time.monotonic()
        os.rename(drop / f"{name}.part", drop / f"{name}.json")
        while True:
            line = self.host.readline()
            if not line:
                sys.exit("datumd ended; see datumd.log")
            if name.encode() in line:
                took = 1e3 * (time.monotonic() - begin)
                break
        if b"PASS" not in line:
            sys.exit(f"the board is no PASS: {line!r}")
        for kept in (self.folder / "drop/done").glob(f"{name}*"):
            kept.unlink() if kept.is_file() else shutil.rmtree(kept)
        return took

    def end(self):
        self.daemon.send_signal(signal.SIGTERM)
        self.daemon.wait()


def ask(port, pages, asked, stopping):
    while not stopping.is_set():
        for page in pages:
            try:
                link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                link.request("GET", page)
                link.getresponse().read()
                link.close()
                with asked.get_lock():
                    asked.value += 1
            except OSError:
                time.sleep(0.1)
            if stopping.is_set():
                return


def clients(port, number, pages, asked, stopping):
    """Ask for pages until the end, in processor time that is left over: they stand for browsers on other computers."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    threads = [threading.Thread(target=ask, args=(port, pages[i % len(pages):] + pages[:i % len(pages)], asked, stopping))
               for i in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class View:
    """datumd-view with clients that ask for pages until the end. They are a process of their own: in this one they would
    hold the interpreter's lock while a result's line waits for its time."""

    def __init__(self, cell, number, results):
        log = open(cell.folder / "view.log", "w")
        self.program = subprocess.Popen(
            ["chrt", "--idle", "0", "nice", "-n", "10", cell.bin / "datumd-view", "--config", "datumd.toml", "--cache", "cache",
             "--listen", "127.0.0.1:0"], cwd=cell.folder, stderr=log)
        port = None
        while port is None:
            if self.program.poll() is not None:
                sys.exit("datumd-view ended; see view.log")
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", (cell.folder / "view.log").read_text())
            port = int(found.group(1)) if found else None
            time.sleep(0.05)
        pages = ["/", f"/board/{results // 2}", "/lot?recipe=mainboard&most=1000",
                 "/component?recipe=small&reference=C1&what=median", "/search?unit=SN00000100"]
        self.asked, self.stopping = multiprocessing.Value("L"), multiprocessing.Event()
        self.clients = multiprocessing.Process(target=clients, args=(port, number, pages, self.asked, self.stopping))
        self.clients.start()

    def end(self):
        self.stopping.set()
        self.clients.join()
        self.program.send_signal(signal.SIGTERM)
        self.program.wait()


def turns(cell, o):
    """ms of each board, without (False) and with (True) datumd-view."""
    for _ in range(20):
        cell.measure()
    times = {False: [], True: []}
    print(f"{'turn':<18} {'boards':>7} {'median':>8} {'p99':>8} ms   pages")
    for turn in range(o.turns):
        loaded = turn % 2 == 1
        view = View(cell, o.clients, o.results) if loaded else None
        try:
            measured = [cell.measure() for _ in range(o.boards)]
        finally:
            if view:
                view.end()
        times[loaded] += measured
        print(f"{'with datumd-view' if loaded else 'without':<18} {len(measured):>7} {quantile(measured, 0.5):>8.2f} "
              f"{quantile(measured, 0.99):>8.2f}      {view.asked.value if view else ''}", flush=True)
    return times


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("bin", type=pathlib.Path)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--results", type=int, default=1_000_000)
    options.add_argument("--boards", type=int, default=200)
    options.add_argument("--turns", type=int, default=6)
    options.add_argument("--clients", type=int, default=8)
    options.add_argument("--cols", type=int, default=800)
    options.add_argument("--rows", type=int, default=600)
    o = options.parse_args()
    o.bin = o.bin.resolve()
    o.folder.mkdir(parents=True, exist_ok=True)
    o.folder = o.folder.resolve()
    if not (o.folder / "results.db").exists():
        made = subprocess.run([o.bin / "bench_pages", "--results", str(o.results), "--folder", o.folder])
        if not (o.folder / "results.db").exists():
            sys.exit(made.returncode)
        (o.folder / "cache").mkdir(exist_ok=True)
        os.rename(o.folder / "view.db", o.folder / "cache/view.db")
    cell = Cell(o.bin, o.folder, o.cols, o.rows)
    try:
        times = turns(cell, o)
    finally:
        cell.end()
    ratio = {q: quantile(times[True], q) / quantile(times[False], q) for q in (0.5, 0.99)}
    print(f"with / without: median {ratio[0.5]:.3f}, p99 {ratio[0.99]:.3f} (limit 1.05)")
    return 0 if ratio[0.99] <= 1.05 else 1


if __name__ == "__main__":
    sys.exit(main())
