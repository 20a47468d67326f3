#!/bin/sh
# Three boards through the real daemon in a virtual cell: a stage on a pseudo-terminal, a sensor that drops frames, a PLC
# on a serial line. Usage: demo.sh BIN [FOLDER]; the cell is built anew in FOLDER (default: ../demo beside BIN).
set -eu
bin=$(cd "$1" && pwd)
cell=${2:-$bin/../demo}
tree=$(cd "$(dirname "$0")/../.." && pwd)

rm -rf "$cell"
mkdir -p "$cell/links" "$cell/drop" "$cell/pictures"
cell=$(cd "$cell" && pwd)
sed "s|/run/datumd-demo/|$cell/links/|" "$tree/config/demo.toml" >"$cell/datumd.toml"
# Under a sanitizer programs are slower by DATUM_SLOWER, and positions older.
[ -z "${DATUM_SLOWER:-}" ] || printf '[cmm.pairing]\nwindow_ms = %d\n' $((5000 * DATUM_SLOWER)) >>"$cell/datumd.toml"
for folder in sensors recipes calibrations twins; do mkdir "$cell/$folder"; done
cp "$tree/config/sensors/virtual.toml" "$cell/sensors/"
cp "$tree/config/recipes/demo-board.toml" "$cell/recipes/"
cp "$tree/config/calibrations/demo.toml" "$cell/calibrations/"
cp "$tree/config/twins/demo.toml" "$cell/twins/"
cd "$cell"

started=
stop() {
  # shellcheck disable=SC2086
  [ -z "$started" ] || kill $started 2>/dev/null || true
  wait 2>/dev/null || true
}
trap stop EXIT INT TERM
start() {  # log command...
  log=$1
  shift
  "$@" >"$log" 2>&1 &
  started="$started $!"
}
appears() {  # path what: waits until a program that was started has made it
  for _ in $(seq 200); do
    [ ! -e "$1" ] || return 0
    sleep 0.05
  done
  echo "demo: $2 did not come up; see $cell/*.log" >&2
  cat ./*.log >&2
  exit 1
}

# Off the stage position of the calibration: the board is found by the CMM's position.
stage=120.8,79.4,35.1

# The PLC's serial line: one pseudo-terminal for each end.
start line.log socat PTY,link=links/host,raw,echo=0 PTY,link=links/plc,raw,echo=0
start cmm.log "$bin/virtual-cmm" --preset grbl_1_1 --link links/cmm --position "$stage" --noise-um 0.5
appears links/host "the serial line"
appears links/plc "the serial line"
appears links/cmm "the virtual CMM"

"$bin/datumd" --check-config --config datumd.toml
start datumd.log "$bin/datumd" --config datumd.toml
start sensor.log "$bin/virtual-sensor" --recipe recipes/demo-board.toml --twin twins/demo.toml \
  --calibration calibrations/demo.toml --position "$stage" --drop drop --truth truth.jsonl --on-trigger links/trigger \
  --board good --board "lifted=U3,missing=C3,height=L1:2700" --board "occluded=U1"
appears links/trigger "the virtual sensor"
appears results.db "datumd"

"$bin/virtual-plc" --link "serial:$cell/links/plc:115200" --recipe demo-board --trigger --wire links/trigger \
  --unit demo-good --unit demo-defects --unit demo-occluded --heights-only || plc=$?
# Its exit status is the worst verdict (10 INCONCLUSIVE, 11 FAIL, 12 INVALID); the demo shows them all.
case ${plc:-0} in 0 | 10 | 11 | 12) ;; *) cat datumd.log >&2; exit "$plc" ;; esac

echo
"$bin/datumctl" results --store results.db
# A picture is drawn after its result was announced.
for n in 00000001 00000002 00000003; do
  for _ in $(seq 200); do ls pictures/$n*-deviation.png >/dev/null 2>&1 && break; sleep 0.05; done
done
echo
echo "pictures: $(echo "$cell"/pictures/*.png)"
echo "one result in full: $bin/datumctl show 2 --store $cell/results.db"
