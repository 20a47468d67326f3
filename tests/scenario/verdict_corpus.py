#!/usr/bin/env python3
"""Verdicts of a corpus of frames, before a change and after it.

verdict_corpus.py BIN FOLDER [--boards N]

The first call renders the frames into FOLDER (boards with defects, machined parts in snapshots, raw images of fringes) and
measures each with BIN/datumd --once; verdicts.jsonl keeps the verdicts. A later call measures the same frames with its BIN and
prints each verdict that differs. What names the moment, the computer and the code is left out of the comparison. Real measurements
are part of it where they are there. Exit status: 0 equal or made, 1 different, 2 it could not be done.
"""
import argparse
import json
import os
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONFIG = os.path.join(TREE, "config")
DEFECTS = ["good", "lifted=U3", "missing=C3", "height=L1:2700", "occluded=U1", "level=U1:35", "ramp=U3:60", "dark=L1",
           "lifted=U3,missing=C3", "level=L1:18,dark=U3"]
FRINGE = ["good", "height=R1:640,missing=C2", "shiny=L1", "lifted=L1", "level=R1:40", "dark=C2"]
PARTS = ["good", "dent=600", "hole=0.12:-0.08", "post=3", "dent=300,hole=0.05:0"]
STAGE = "120.8,79.4,35.1"
FORMATS = ["tiff16", "png16", "float"]


def config(*names):
    return os.path.join(CONFIG, *names)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit("verdict_corpus: %s: %s" % (" ".join(command), done.stderr.strip() or done.returncode))
    return done.stdout


def sidecars(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".json"))


def make(bin_, folder, boards):
    """Cases: a name and the arguments of --once."""
    cases = []
    demo = ["--recipe", config("recipes", "demo-board.toml"), "--calibration", config("calibrations", "demo.toml")]
    for number in range(boards):
        drop = os.path.join(folder, "board%03d" % number)
        os.makedirs(drop)
        run(bin_ + "/virtual-sensor", *demo, "--twin", config("twins", "demo.toml"), "--position", STAGE, "--drop", drop,
            "--board", DEFECTS[number % len(DEFECTS)], "--seed", str(1000 + number), "--format", FORMATS[number % 3])
        cases += [("board%03d" % number, ["--once", file, *demo, "--sensor", config("sensors", "virtual.toml"), "--temperature",
                                          "20", "--position=" + STAGE]) for file in sidecars(drop)]
    part_files = ["--twin", config("twins", "surface.toml"), "--calibration", config("calibrations", "demo.toml")]
    recipe = os.path.join(folder, "demo-part.toml")
    with open(config("recipes", "demo-part.toml")) as text, open(recipe, "w") as out:
        out.write(text.read())
    places = [",".join(line.split()) for line in run(bin_ + "/virtual-part", *part_files, "--positions").splitlines()]
    for number, part in enumerate(PARTS):
        drop = os.path.join(folder, "part%d" % number)
        os.makedirs(drop)
        run(bin_ + "/virtual-part", *part_files, "--model", os.path.join(folder, "demo-part.stl"), "--drop", drop, "--seed",
            str(50 + number), "--part", part)
        snapshots = sidecars(drop)
        cases.append(("part%d" % number, ["--once", *snapshots, "--recipe", recipe, "--sensor", config("sensors", "virtual.toml"),
                                          "--calibration", config("calibrations", "demo.toml"), "--temperature", "20"] +
                      ["--position=" + place for place in places[:len(snapshots)]]))
    fringe = ["--recipe", config("recipes", "demo-fringe.toml")]
    sensor = ["--twin", config("twins", "fringe.toml"), "--camera", config("twins", "fringe-camera.toml"), "--sensor",
              os.path.join(folder, "sensors", "fringe.toml")]
    os.makedirs(os.path.join(folder, "sensors"))
    with open(config("sensors", "fringe.toml")) as text, open(os.path.join(folder, "sensors", "fringe.toml"), "w") as out:
        out.write(text.read())
    plate = os.path.join(folder, "plate")
    os.makedirs(plate)
    steps = run(bin_ + "/virtual-fringe", *fringe, *sensor, "--drop", plate, "--seed", "101", "--plate=-0.75,0,0.75,1.5,2.25,3")
    run(bin_ + "/datumctl", "fringe", "calibrate", *steps.split(), "--sensor", os.path.join(folder, "sensors", "fringe.toml"),
        "--id", "fp-0001-demo", "--operator", "corpus", "--u-step-um", "0.3", "--u-plate-um", "0.3", "--max-residual-um", "10",
        "--valid-days", "3000")
    for number in range(4 * len(FRINGE)):
        drop = os.path.join(folder, "fringe%02d" % number)
        os.makedirs(drop)
        run(bin_ + "/virtual-fringe", *fringe, *sensor, "--drop", drop, "--seed", str(300 + number), "--board",
            FRINGE[number % len(FRINGE)])
        cases += [("fringe%02d" % number, ["--once", file, *fringe, "--sensor", os.path.join(folder, "sensors", "fringe.toml")])
                  for file in sidecars(drop)]
    real = os.path.join(os.environ.get("DATUM_REAL_DATA", os.path.join(TREE, "..", "shared", "data")), "pemtron", "board.ptr")
    if os.path.exists(real):
        cases.append(("carrier", ["--once", os.path.abspath(real), "--recipe", config("recipes", "pemtron-warpage.toml"),
                                  "--sensor", config("sensors", "pemtron.toml")]))
    return cases


def without_the_moment(value):
    """Neither time, computer nor code, and no file's whole path."""
    if isinstance(value, dict):
        return {key: without_the_moment(item) for key, item in value.items()
                if key not in ("measured_at", "code", "controller", "backend")}
    return [without_the_moment(item) for item in value] if isinstance(value, list) else value


def verdict(bin_, arguments):
    done = subprocess.run([bin_ + "/datumd", *arguments, "--json", "--threads", "1"], capture_output=True, text=True)
    if done.returncode > 3:  # PASS, FAIL, INCONCLUSIVE, INVALID
        return {"refused": done.stderr.strip()}
    return without_the_moment(json.loads(done.stdout))


def differences(then, now, at=""):
    if isinstance(then, dict) and isinstance(now, dict):
        for key in sorted(set(then) | set(now)):
            yield from differences(then.get(key), now.get(key), at + "/" + key)
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for i, (a, b) in enumerate(zip(then, now)):
            yield from differences(a, b, "%s/%d" % (at, i))
    elif then != now:
        yield "%s: %s, now %s" % (at, json.dumps(then), json.dumps(now))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("bin")
    options.add_argument("folder")
    options.add_argument("--boards", type=int, default=200)
    o = options.parse_args()
    bin_, folder = os.path.abspath(o.bin), os.path.abspath(o.folder)
    kept, list_ = os.path.join(folder, "verdicts.jsonl"), os.path.join(folder, "cases.json")
    if not os.path.exists(kept):
        os.makedirs(folder, exist_ok=True)
        cases = make(bin_, folder, o.boards)
        words = {}
        with open(kept + ".part", "w") as out:
            for name, arguments in cases:
                found = verdict(bin_, arguments)
                words[found.get("decision", "refused")] = words.get(found.get("decision", "refused"), 0) + 1
                out.write(json.dumps([name, found], sort_keys=True) + "\n")
        with open(list_, "w") as out:
            json.dump(cases, out)
        os.rename(kept + ".part", kept)
        print("%d verdicts kept: %s" % (len(cases), ", ".join("%s %d" % item for item in sorted(words.items()))))
        return 0
    with open(list_) as text:
        cases = dict(json.load(text))
    different = total = 0
    with open(kept) as lines:
        for line in lines:
            name, then = json.loads(line)
            found = list(differences(then, json.loads(json.dumps(verdict(bin_, cases[name])))))
            total += 1
            different += bool(found)
            for text in found[:5]:
                print(name + text)
    print("%d verdicts, %d differ" % (total, different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
