#!/bin/sh
# One board through each kind of device on the network: an I++ DME controller says where the stage stands, a Gocator and a
# GigE Vision camera (Aravis' own fake one) see the board; the daemon triggers them. All of them are the real programs, the
# devices virtual ones. Usage: demo_devices.sh BIN [FOLDER]; the cell is built anew in FOLDER (default: ../devices beside BIN).
set -eu
bin=$(cd "$1" && pwd)
cell=${2:-$bin/../devices}
tree=$(cd "$(dirname "$0")/../.." && pwd)

rm -rf "$cell"
mkdir -p "$cell"
cd "$cell"
cell=$(pwd)
serial=30001  # numeric for a Gocator
for file in sensors/virtual.toml recipes/demo-board.toml calibrations/demo.toml twins/demo.toml; do
  mkdir -p "$(dirname "$file")"
  sed "s/\"VS3D-0001\"/\"$serial\"/" "$tree/config/$file" >"$file"
done
"$bin/datumctl" calibrate seal calibrations/demo.toml --operator demo >seal.log

started=
stop() {
  # shellcheck disable=SC2086
  [ -z "$started" ] || kill $started 2>/dev/null || true
  wait 2>/dev/null || true
  started=
}
trap stop EXIT INT TERM
start() {  # log command...
  log=$1
  shift
  "$@" >"$log" 2>&1 &
  started="$started $!"
}
fail() {
  echo "demo: $1; see $cell/*.log" >&2
  cat ./*.log >&2
  exit 1
}
said() {  # log pattern: waits for a line of a started program
  for _ in $(seq 400); do
    found=$(sed -n "s/.*$2.*/\\1/p" "$1" 2>/dev/null | head -n 1)
    [ -z "$found" ] || { echo "$found"; return 0; }
    sleep 0.05
  done
  return 1
}

# The stage position of the calibration, where the virtual sensors see the board.
start ipp.log "$bin/virtual-ipp" --listen 0 --position 120,80,35 --coordinate-system MachineCsy --tool Probe1
ipp=$(said ipp.log '127\.0\.0\.1:\([0-9]*\)') || fail "the I++ controller did not come up"

# An address of its own: the port of a GigE Vision camera is fixed.
camera=127.$((1 + $$ / 65536 % 250)).$(($$ / 256 % 256)).$((1 + $$ % 254))
twin="--recipe recipes/demo-board.toml --twin twins/demo.toml --calibration calibrations/demo.toml"
# shellcheck disable=SC2086
start gocator.log "$bin/virtual-gocator" $twin
# shellcheck disable=SC2086
start genicam.log "$bin/virtual-genicam" $twin --address "$camera" --mbit-per-s 200
ports=$(said gocator.log 'serves 127\.0\.0\.1 \([0-9,]*\)') || fail "the Gocator did not come up"
said genicam.log 'stands at \([0-9.]*\)' >/dev/null || fail "the camera did not come up"

gocator="kind = \"gocator\"
[sensor.gocator]
address = \"127.0.0.1\"
control_port = ${ports%%,*}
health_port = $(echo "$ports" | cut -d, -f2)
data_port = ${ports##*,}
job = \"board.job\"
max_age_ms = $((5000 * ${DATUM_SLOWER:-1}))"
genicam="kind = \"genicam\"
[sensor.genicam]
address = \"$camera\"
user_set = \"UserSet1\"
packet_size = 8192
max_age_ms = $((5000 * ${DATUM_SLOWER:-1}))"

configure() {  # keys of the sensor
  cat >datumd.toml <<TEXT
schema = 1
cell = "devices"
[sensor]
profile = "sensors/virtual.toml"
$1
resolution_um = [50.0, 50.0, 0.25]
trigger = "software"
[inspection]
recipes_folder = "recipes"
calibrations_folder = "calibrations"
calibration = "demo-cell-2026-01"
trigger = "bus"
frame_timeout_ms = $((20000 * ${DATUM_SLOWER:-1}))
[results]
store_file = "results.db"
[cmm]
preset = "ipp_dme"
[cmm.tcp]
host = "127.0.0.1"
port = $ipp
[cmm.ipp]
tool = "Probe1"
coordinate_system = "MachineCsy"
[cmm.pairing]
window_ms = $((5000 * ${DATUM_SLOWER:-1}))  # what a sanitizer slows is older
[[cmm.axis]]
label = "X"
machine_axis = "X"
min_mm = 1
max_mm = 500
[[cmm.axis]]
label = "Y"
machine_axis = "Y"
min_mm = 1
max_mm = 500
[[cmm.axis]]
label = "Z"
machine_axis = "Z"
min_mm = 1
max_mm = 500
[host.tcp]
port = 0
TEXT
}

measure() {  # name keys
  configure "$2"
  echo "$1, and I++ DME:"
  "$bin/datumd" --check-config --config datumd.toml >check.log || fail "the configuration is refused"
  "$bin/datumd" --config datumd.toml >"datumd-$1.log" 2>&1 &
  daemon=$!
  started="$started $daemon"
  port=$(said "datumd-$1.log" 'commands, tcp 127\.0\.0\.1:\([0-9]*\)') || fail "datumd did not come up"
  up=
  for _ in $(seq 400); do
    "$bin/datumctl" links --tcp "127.0.0.1:$port" >links.log 2>&1 || true
    if grep -q "$1 .*running" links.log && "$bin/datumctl" position --tcp "127.0.0.1:$port" >position.log 2>&1; then
      up=yes
      break
    fi
    sleep 0.05
  done
  [ -n "$up" ] || fail "the links to the devices did not come up"
  "$bin/virtual-plc" --link "tcp:127.0.0.1:$port" --recipe demo-board --trigger --unit "through-$1" --heights-only
  kill "$daemon"
  wait "$daemon" || true
  echo
}

measure gocator "$gocator"
measure genicam "$genicam"
"$bin/datumctl" results --store results.db
