#!/usr/bin/env python3
"""Frame to result of datumd without and with datumd-view under load on a large store, by turns.

usage: view_load.py BIN FOLDER [--results N] [--boards N] [--turns N] [--views WORD,...] [--clients N] [--page-percent P] [--others PERCENT] [--minutes N] [--first] [--cols N] [--rows N]

FOLDER gets the store (bench_pages writes it, once) and a cell beside it: datumd measures frames of a drop folder. A turn is BOARDS boards,
one at a time, with each of the VIEWS once, by turns in alternating order:
  without  no datumd-view
  panel    datumd-view as its unit runs it, and a browser that loads the newest boards each 5 s: what a cell has
  idle     as its unit runs it, in processor time that is left over, and CLIENTS connections that ask for pages one after the other all
           the time: newest boards, a board, a lot of 1,000 boards, a component over a year, search
  unpaced  the same, and datumd-view may spend all of that time on pages (--page-percent 100)
  normal   the same clients, and datumd-view at normal priority, unpaced
The clients of a turn begin 3 s before its boards: what datumd-view makes at once after a rest is over then. P: of datumd-view (default: its own).
Clients stand for browsers on other computers: they run in processor time that is left over.
A frame has COLS x ROWS pixels of 50 um. Time: from the rename of the sidecar to the result's line at a host over TCP, in ms. Beside it, of
datumd's process and for each board: processor time, time that its threads were ready and waited for a processor, and kB written; of
datumd-view for each page: processor time and kB read from the disk. "others" is what everything else on this computer used meanwhile,
in percent of one processor. A turn waits until it is at most OTHERS (default 15); with more of it meanwhile it is shown, does not count and
is repeated. What was not measured MINUTES (default 30) after the start is left out, and the exit status is 1.
--first: datumd and this program come before all others (SCHED_FIFO, root), and each turn counts. So the ratios show what datumd-view costs by the
disk, locks and memory even where others use the processors, and not what it costs by them.
Exit status 1: p99 with the first of the views that is not "without" is more than 5 % above p99 without."""
import argparse
import array
import http.client
import json
import math
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


def usage(pid):
    """Of a process: processor time and time ready without a processor in ms, of all threads that live; bytes read and written on the disk."""
    proc = pathlib.Path(f"/proc/{pid}")
    fields = (proc / "stat").read_text().rsplit(")", 1)[1].split()
    cpu = 1e3 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    waited = sum(int((task / "schedstat").read_text().split()[1]) for task in (proc / "task").iterdir()) / 1e6
    io = dict(line.split(": ") for line in (proc / "io").read_text().splitlines())
    return {"cpu": cpu, "waited": waited, "read": int(io["read_bytes"]), "written": int(io["write_bytes"])}


TICK = os.sysconf("SC_CLK_TCK")


def busy_s():
    """Processor time that all processes of this computer used, idle and waiting for the disk left out."""
    fields = [int(f) for f in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / TICK


def used_s(pids):
    """Of these processes, and of theirs that have ended."""
    total = 0
    for pid in pids:
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except FileNotFoundError:  # its parent has its time now
            continue
        total += sum(int(f) for f in fields[11:15])
    return total / TICK


def children_of(pid):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == pid:
                found.append(int(stat.parent.name))
        except OSError:
            pass
    return found


def between(before, after):
    return {key: after[key] - before[key] for key in before}


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


def answer(port, page):
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    link.request("GET", page)
    body = link.getresponse().read()
    link.close()
    return body


def ask(port, pages, asked, stopping, pause):
    while not stopping.is_set():
        for page in pages:
            try:
                answer(port, page)
                with asked.get_lock():
                    asked.value += 1
            except OSError:
                time.sleep(0.1)
            if stopping.wait(pause):
                return


def clients(port, number, pages, asked, stopping, pause):
    """Ask for pages until the end, in processor time that is left over: they stand for browsers on other computers."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    threads = [threading.Thread(target=ask, args=(port, pages[i % len(pages):] + pages[:i % len(pages)], asked, stopping, pause))
               for i in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class View:
    """datumd-view with clients that ask for pages until the end. They are a process of their own: in this one they would
    hold the interpreter's lock while a result's line waits for its time."""

    def __init__(self, cell, kind, o):
        log = open(cell.folder / "view.log", "w")
        command = [cell.bin / "datumd-view", "--config", "datumd.toml", "--cache", "cache", "--listen", "127.0.0.1:0"]
        percent = 100 if kind in ("unpaced", "normal") else o.page_percent
        command += ["--page-percent", str(percent)] if percent else []
        command = ["chrt", "--other", "0", *command] if kind == "normal" else ["chrt", "--idle", "0", "nice", "-n", "10", *command]
        self.program = subprocess.Popen(command, cwd=cell.folder, stderr=log)
        port = None
        while port is None:
            if self.program.poll() is not None:
                sys.exit("datumd-view ended; see view.log")
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", (cell.folder / "view.log").read_text())
            port = int(found.group(1)) if found else None
            time.sleep(0.05)
        while b'id="index">complete' not in answer(port, "/health"):  # the index of a store is made once
            time.sleep(1)
        pages = ["/", f"/board/{o.results // 2}", "/lot?recipe=mainboard&most=1000",
                 "/component?recipe=small&reference=C1&what=median", "/search?unit=SN00000100"]
        number, pages, pause = (1, ["/"], 5) if kind == "panel" else (o.clients, pages, 0)
        self.asked, self.stopping = multiprocessing.Value("L"), multiprocessing.Event()
        self.before = usage(self.program.pid)
        self.clients = multiprocessing.Process(target=clients, args=(port, number, pages, self.asked, self.stopping, pause))
        self.clients.start()
        time.sleep(3)

    def end(self):
        """Pages, and what datumd-view used."""
        self.stopping.set()
        self.clients.join()
        used = between(self.before, usage(self.program.pid))
        self.program.send_signal(signal.SIGTERM)
        self.program.wait()
        return self.asked.value, used


class Sums:
    """Of all turns of one kind."""

    def __init__(self):
        self.times, self.pages, self.datumd, self.view = [], 0, dict(cpu=0, waited=0, read=0, written=0), dict(cpu=0, waited=0, read=0, written=0)

    def add(self, times, pages, datumd, view):
        self.times += times
        self.pages += pages
        for key in self.datumd:
            self.datumd[key] += datumd[key]
            self.view[key] += view[key] if view else 0

    def text(self):
        n = len(self.times)
        per_page = "" if not self.pages else (f"{self.pages:>8} {self.view['cpu'] / self.pages:>8.2f} {self.view['read'] / self.pages / 1e3:>8.0f}")
        return (f"{n:>7} {quantile(self.times, 0.5):>8.2f} {quantile(self.times, 0.99):>8.2f} {self.datumd['cpu'] / n:>8.2f} "
                f"{self.datumd['waited'] / n:>8.2f} {self.datumd['written'] / n / 1e3:>8.1f} {per_page}")


def one_turn(cell, kind, o):
    """Times, pages, what datumd and datumd-view used, and the percent of a processor that others used."""
    view = View(cell, kind, o) if kind != "without" else None
    own = [os.getpid(), cell.daemon.pid, *children_of(cell.daemon.pid)] + ([view.program.pid, view.clients.pid] if view else [])
    before, pages, used = usage(cell.daemon.pid), 0, None
    begin, busy, ours = time.monotonic(), busy_s(), used_s(own)
    try:
        times = [cell.measure() for _ in range(o.boards)]
        datumd = between(before, usage(cell.daemon.pid))
        others = 100 * (busy_s() - busy - (used_s(own) - ours)) / (time.monotonic() - begin)
    finally:
        if view:
            pages, used = view.end()
    return (times, pages, datumd, used), others


def wait_for_quiet(most_percent, until):
    """False: it did not become quiet until then."""
    while time.monotonic() < until:
        begin, busy = time.monotonic(), busy_s()
        time.sleep(0.5)
        if 100 * (busy_s() - busy) / (time.monotonic() - begin) <= most_percent:
            return True
        time.sleep(2)
    return False


def turns(cell, o):
    """Sums of each kind of turn."""
    for _ in range(20):
        cell.measure()
    sums = {kind: Sums() for kind in o.views}
    print(f"{'':<10} {'boards':>7} {'median':>8} {'p99':>8} {'CPU':>8} {'waited':>8} {'kB':>8} {'pages':>8} {'CPU':>8} {'kB read':>8}   others", flush=True)
    until = time.monotonic() + 60 * o.minutes
    for turn in range(o.turns):
        for kind in o.views if turn % 2 == 0 else reversed(o.views):
            while wait_for_quiet(o.others, until):
                measured, others = one_turn(cell, kind, o)
                one = Sums()
                one.add(*measured)
                counts = others <= o.others
                print(f"{kind:<10} {one.text():<72}   {max(others, 0):.0f} %{'' if counts else ', not counted'}", flush=True)
                if counts:
                    sums[kind].add(*measured)
                    break
    print("all turns:")
    for kind, of in sums.items():
        if of.times:
            print(f"{kind:<10} {of.text()}")
    return sums


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("bin", type=pathlib.Path)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--results", type=int, default=1_000_000)
    options.add_argument("--boards", type=int, default=200)
    options.add_argument("--turns", type=int, default=4)
    options.add_argument("--views", type=lambda text: text.split(","), default=["without", "panel", "idle"])
    options.add_argument("--clients", type=int, default=8)
    options.add_argument("--page-percent", type=float)
    options.add_argument("--others", type=float, default=15)
    options.add_argument("--first", action="store_true")
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--cols", type=int, default=800)
    options.add_argument("--rows", type=int, default=600)
    o = options.parse_args()
    if "without" not in o.views or len(o.views) < 2 or not set(o.views) <= {"without", "panel", "idle", "unpaced", "normal"}:
        options.error("--views: without, and some of panel, idle, unpaced, normal")
    if o.first:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
        o.others = math.inf
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
        sums = turns(cell, o)
    finally:
        cell.end()
    quiet = sums.pop("without")
    good = bool(quiet.times) and all(of.times for of in sums.values())
    if not good:
        return 1
    for kind, of in sums.items():
        ratio = {q: quantile(of.times, q) / quantile(quiet.times, q) for q in (0.5, 0.99)}
        good = good and (kind != next(iter(sums)) or ratio[0.99] <= 1.05)
        print(f"{kind} / without: median {ratio[0.5]:.3f}, p99 {ratio[0.99]:.3f}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
