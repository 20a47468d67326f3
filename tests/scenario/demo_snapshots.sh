#!/bin/sh
# A board of 300 x 250 mm in twelve snapshots, by the real daemon on a machine whose axes are not square: the sensor is calibrated by
# commands on a serial line alone, then four boards come. One is good, one has defects, of one a snapshot is missing, and one is
# seen with the stage's X counting the other way.
# Usage: demo_snapshots.sh BIN [FOLDER]; the cell is built anew in FOLDER (default: ../snapshots beside BIN).
set -eu
bin=$(cd "$1" && pwd)
cell=${2:-$bin/../snapshots}
tree=$(cd "$(dirname "$0")/../.." && pwd)

rm -rf "$cell"
mkdir -p "$cell/drop" "$cell/pictures" "$cell/links"
cd "$cell"
cell=$(pwd)
for file in recipes/demo-snapshots.toml artefacts/angled-slot-120.toml twins/artefact.toml twins/snapshots.toml sensors/virtual.toml; do
  mkdir -p "$(dirname "$file")"
  cp "$tree/config/$file" "$file"
done
mkdir truth
cp "$tree/config/calibrations/demo.toml" truth/  # how sensor and axes truly lie; datumd does not see it
sed -i 's/^pixel_pitch_mm.*/pixel_pitch_mm = 0.08/' sensors/virtual.toml
cat >datumd.toml <<TEXT
schema = 1
cell = "snapshots"
[sensor]
profile = "sensors/virtual.toml"
drop_folder = "drop"
[inspection]
recipes_folder = "recipes"
calibrations_folder = "calibrations"
calibration = "current"
trigger = "bus"
frame_timeout_ms = 30000
[calibration]
artefacts_folder = "artefacts"
probe_radius_mm = 1.0
probe_u_radius_um = 0.3
probe_u_touch_um = 0.5
probe_checked_by = "ring gauge 20 mm, certificate 4711, 2026-03-01"
squareness_rad = [8.0e-5, 0.0, 0.0]      # of the machine's axes, by a ball bar
scale_ppm = [12.0, -9.0, 0.0]
u_squareness_rad = [2.0e-6, 2.0e-6, 2.0e-6]
u_scale_ppm = [2.0, 2.0, 2.0]
u_position_um = [0.5, 0.5, 0.5]
[results]
store_file = "results.db"
pictures_folder = "pictures"
[cmm]
preset = "grbl_1_1"
unit = "mm"
[cmm.serial]
path = "$cell/links/cmm"
baud = 115200
[cmm.pairing]
window_ms = 30000  # as long as a frame may take: the stage stands until its frame is there
[host.serial]
path = "$cell/links/host"
baud = 115200
TEXT

. "$tree/tests/scenario/demo_programs.sh"

start line.log socat PTY,link=links/host,raw,echo=0 PTY,link=links/plc,raw,echo=0
start cmm.log "$bin/virtual-cmm" --preset grbl_1_1 --link links/cmm --control machine --position 0,0,0 \
  --artefact artefacts/angled-slot-120.toml --mount twins/artefact.toml --axes truth/demo.toml
until_true "the serial line did not come up" test -e links/plc
until_true "the virtual CMM did not come up" test -e links/cmm -a -e machine
mkdir -p calibrations
# The same with X counted the other way, about the position of the calibration.
sed 's/^name = "demo-snapshots"/name = "reversed"/' recipes/demo-snapshots.toml |
  awk '/^position_mm = \[/ { gsub(/[^0-9. -]/, ""); printf "position_mm = [%.1f, %s, %s]\n", 241.6 - $1, $2, $3; next } { print }' >recipes/reversed.toml
"$bin/datumd" --check-config --config datumd.toml
start datumd.log "$bin/datumd" --config datumd.toml
until_true "datumd did not come up" grep -q "commands, serial .*8N1: open" datumd.log

ask() { "$bin/datumctl" send "$1" --serial "$cell/links/plc" --baud 115200 --timeout-ms 60000; }
tell() { ask "$1" >>ctl.log || fail "$1 is refused"; }
exposing() { ask 'STAT:OPER:COND?' | awk '{ exit !(int($1 / 8) % 2) }'; }
standing() { ask 'DIAG:POS?' | awk -F, -v at="$1" '{ exit !($1 ~ /OK/ && sprintf("%g %g %g", $2, $3, $4) == at) }'; }
sensor() {  # frame number of the first, arguments...
  first=$1
  shift
  rm -f wire
  start sensor.log "$bin/virtual-sensor" --recipe recipes/demo-snapshots.toml --twin twins/snapshots.toml --calibration truth/demo.toml \
    --artefact artefacts/angled-slot-120.toml --mount twins/artefact.toml --drop drop --truth truth.jsonl --on-trigger wire \
    --frame-id "$first" --seed "$first" "$@"
  until_true "the virtual sensor did not come up" test -e wire
}

# Calibration: the probe touches the artefact's faces, the sensor scans it.
tell "CAL:STAR 'AS120-0001','demo',20.5"
for face in LP RP LL LR SU SL; do
  for n in 1 2 3 4 5 6; do
    tell "CAL:TOUC '$face'"
    echo "touch $face $n/6" >machine
    tell '*OPC?'
  done
done
sensor 1 --board artefact
echo "move 120.8 79.4 35.1" >machine
until_true "the stage does not move" standing "120.8 79.4 35.1"
tell "CAL:SCAN"
until_true "no exposure is asked for" exposing
echo "120.8 79.4 35.1" >wire
tell '*OPC?'
tell "CAL:SOLV"
tell '*OPC?'
ask "CAL:STAT?" | grep -q SOLVED || fail "the calibration is not solved"
tell "CAL:ACC"
tell "SENS:TEMP 20.5"
echo "calibrated by commands on the serial line: $(basename calibrations/*.toml .toml)"

poses() { sed -n 's/^position_mm = \[\(.*\), \(.*\), \(.*\)\]$/\1 \2 \3/p' "recipes/$1.toml" | awk '{ printf "%g %g %g\n", $1, $2, $3 }'; }
x_reversed() { echo "$1" | awk '{ printf "%g %g %g\n", 241.6 - $1, $2, $3 }'; }  # about the position of the calibration
sensor 101 --snapshots 12 --board good --board missing=C3,height=L1:2700,lifted=U2 --board good --board good
results=0
board() {  # unit recipe left-out
  tell "CONF:REC '$2'"
  tell INIT
  taken=0
  poses demo-snapshots >positions
  while read -r place; do
    taken=$((taken + 1))
    [ "$taken" != "${3:-}" ] || continue
    stage=$place
    [ "$2" != reversed ] || stage=$(x_reversed "$place")
    echo "move $stage" >machine
    until_true "the stage does not move" standing "$stage"
    tell "CONF:UNIT '$1';*TRG"
    until_true "no exposure is asked for" exposing
    echo "$place" >wire
    tell '*OPC?'
  done <positions
  results=$((results + 1))
  until_true "no result" sh -c "'$bin/datumctl' results --store results.db | grep -q $1"
  tell ABOR
  echo
  status=0
  "$bin/datumctl" show $results --store results.db >shown$results || status=$?
  awk '/^floor of/ { exit } { print }' shown$results
  grep -E '^(snapshot|warp) ' shown$results || true
  echo "$status" >status$results
}
board good demo-snapshots
board defects demo-snapshots
board reversed reversed
board incomplete demo-snapshots 6
echo
echo "pictures: $(echo "$cell"/pictures/*.png | wc -w), in $cell/pictures"
