#!/bin/sh
# The first hour of a newcomer: the README's own lines, in the README's order, and then a board of twelve parts. Prints the
# minutes of each step; exit status 1 where a verdict is not the one that the board deserves. Usage:
#   first_hour.sh [FOLDER [BIN]]    FOLDER becomes the home; without BIN ./datum demo makes the programs of build/release/bin
# In a bare root: ./datum clean-root FOLDER standard first-hour
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
home=${1:-$(mktemp -d)}
mkdir -p "$home"
export HOME="$home"
begun=$(date +%s) steps=
step() {  # what: prints how long it took since the step before
  now=$(date +%s)
  line=$(printf '%5.1f min  %s' "$(echo "$((now - ${last:-$begun}))" | awk '{print $1 / 60}')" "$1")
  echo "step  $line"
  steps="$steps$line
"
  last=$now
}
fail() { echo "first hour: $1" >&2; exit 1; }
blocks() { python3 "$tree/tests/scenario/readme_blocks.py" "$tree/README.md" "$@"; }

cd "$tree"
bin=${2:-}
if [ -z "$bin" ]; then
  ./datum demo || fail "./datum demo: exit status $?"
  step "./datum demo"
fi

# The section's blocks as a reader takes them: files are saved, commands are typed.
eval "$(blocks sh 'export PATH')"
[ -z "$bin" ] || export PATH="$bin:$PATH"
[ "$PWD" = "$HOME/first" ] || fail "the README's first lines lead to $PWD"
for file in frame.py sensor.toml recipes/first.toml datumd.toml; do blocks file $file >$file; done
step "save the README's files"
python3 frame.py
step "write a frame"
status=0
eval "$(blocks sh 'datumd --once')" >once.txt || status=$?
cat once.txt
[ $status = 1 ] || fail "datumd --once: exit status $status, and C2 is missing"
grep -q '^C1 .*PASS' once.txt && grep -q '^C2 .*FAIL' once.txt || fail "C1 is there, C2 is missing"
[ -s board.png ] || fail "no picture"
step "the README's board: FAIL with C2"

# The cell, on a port that is free: another one of this computer may have the usual one.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
sed -i "s/port = 5025/port = $port/" datumd.toml
eval "$(blocks sh 'datumd --config')" >shown.txt || status=$?
daemon=$!
trap 'kill $daemon 2>/dev/null || true' EXIT
for _ in $(seq 120); do  # a busy computer needs more than the README's two seconds
  ! grep -q '^1 ' shown.txt || break
  sleep 0.5
  datumctl show last --config datumd.toml >shown.txt 2>&1 || true
done
head -n 8 shown.txt
grep -q '^1 .*FAIL' shown.txt || fail "datumctl show last does not show result 1, FAIL"
step "the README's cell: the same frame through the folder"

# A board of the newcomer's own: twelve parts, written by the README's function.
cat >twelve.py <<'PYTHON'
import random, sys
sys.argv = ["frame.py"]
source = open("frame.py").read()
exec(source[: source.index("\nz_mm = ")])

random.seed(5)
pitch = 0.05
z_mm = [[random.gauss(0, 0.003) for column in range(1000)] for row in range(800)]
packages = {"C0603": (1.6, 0.8, 0.8), "R0805": (2.0, 1.25, 0.55), "SOIC8": (4.9, 3.9, 1.6)}
parts = [(f"C{n + 1}", "C0603", 6 + 8 * n, 6) for n in range(4)]
parts += [(f"R{n + 1}", "R0805", 6 + 8 * n, 16) for n in range(4)] + [(f"U{n + 1}", "SOIC8", 8 + 10 * n, 28) for n in range(4)]
for name, package, x, y in parts:
    width, height, top = packages[package]
    if name == "C2":
        continue  # missing
    slope = 0.03 if name == "U3" else 0  # tilted by 1.72 degrees
    for row in range(round((y - height / 2) / pitch), round((y + height / 2) / pitch) + 1):
        for column in range(round((x - width / 2) / pitch), round((x + width / 2) / pitch) + 1):
            z_mm[row][column] += top - (0.15 if name == "R4" else 0) + slope * (column * pitch - x)
write_frame("twelve", z_mm, pitch, "SN-1")

with open("recipes/twelve.toml", "w") as recipe:  # in the compact form
    recipe.write('schema = 1\nname = "twelve"\nsensor_serial = "SN-1"\n')
    recipe.write('floor = { inner_margin_mm = 0.3, outer_margin_mm = 1.3 }\ndecision = { rule = "14253" }\n')
    recipe.write('board = { size_mm = [50, 40], coordinates = "sensor", origin_mm = [0, 0, 0] }\n')
    for package, (width, height, top) in packages.items():
        tilt = ', check = [{ characteristic = "tilt", upper_mdeg = 800 }]' if package == "SOIC8" else ""
        recipe.write(f'package.{package} = {{ body_mm = [{width}, {height}], nominal_um = {top * 1000:.0f}, '
                     f'characteristic = "median", tolerance_um = 80{tilt} }}\n')
    recipe.write("component = [\n")
    for name, package, x, y in parts:
        recipe.write(f'  {{ reference = "{name}", package = "{package}", centre_mm = [{x}, {y}] }},\n')
    recipe.write("]\n")
PYTHON
python3 twelve.py
datumctl frame describe twelve.json --sensor sensor.toml
step "write a frame and a recipe of twelve parts"
status=0
datumd --once twelve.json --recipe recipes/twelve.toml --sensor sensor.toml --picture twelve.png --json >twelve.verdict || status=$?
[ $status = 1 ] || fail "datumd --once of twelve parts: exit status $status"
python3 - <<'PYTHON'
import json
verdict = json.load(open("twelve.verdict"))
bad = {c["reference"]: [k["characteristic"] for k in c["checks"] if k["decision"] != "PASS"]
       for c in verdict["components"] if c["decision"] != "PASS"}
print(f"{len(verdict['components'])} parts, {verdict['decision']}: {bad}")
assert len(verdict["components"]) == 12
assert bad == {"C2": ["median"], "R4": ["median"], "U3": ["tilt"]}, bad
PYTHON
step "twelve parts: C2 missing, R4 too low, U3 tilted, nine PASS"
printf '%s' "$steps"
printf 'first hour: %.1f min, every verdict right\n' "$(echo "$(($(date +%s) - begun))" | awk '{print $1 / 60}')"
