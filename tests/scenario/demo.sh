#!/bin/sh
# Three boards through the real daemon in a virtual cell: a stage on a pseudo-terminal, a sensor that drops frames, a PLC
# on a serial line. Usage: demo.sh BIN [--keep] [FOLDER]; the cell is built anew in FOLDER (default: ../demo beside BIN).
# --keep: the cell goes on, and FOLDER/board and FOLDER/stop are its commands.
set -eu
bin=$(cd "$1" && pwd)
keep=
[ "${2:-}" != --keep ] || { keep=yes; shift; }
cell=${2:-$bin/../demo}
tree=$(cd "$(dirname "$0")/../.." && pwd)

[ ! -x "$cell/stop" ] || "$cell/stop"  # one that was kept
rm -rf "$cell"
mkdir -p "$cell/links" "$cell/drop" "$cell/pictures"
cell=$(cd "$cell" && pwd)
sed "s|/run/datumd-demo/|$cell/links/|" "$tree/config/demo.toml" >"$cell/datumd.toml"
# Under a sanitizer programs are slower by DATUM_SLOWER, and positions older.
[ -z "${DATUM_SLOWER:-}" ] || printf '[cmm.pairing]\nwindow_ms = %d\n' $((5000 * DATUM_SLOWER)) >>"$cell/datumd.toml"
if [ -n "$keep" ]; then  # a link for the operator, on the usual port or, where that is taken, on another one
  port=${DATUM_DEMO_PORT:-5025}
  while ss -Hltn "sport = :$port" 2>/dev/null | grep -q .; do port=$((port + 1)); done
  printf '\n[host.tcp]\nport = %d\n' "$port" >>"$cell/datumd.toml"
fi
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
  setsid "$@" </dev/null >"$log" 2>&1 &  # a terminal that is closed does not end a kept cell
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
[ -n "$keep" ] || exit 0

# The kept cell's own commands. A process is stopped only where it still works in this folder.
echo "$started" >pids
echo 3 >frames
cat >board <<TEXT
#!/bin/sh
# board [WHAT]: one more board for the virtual cell, good or as virtual-sensor --help says of --board. Exit status: its verdict.
cd "$cell"
n=\$((\$(cat frames) + 1))
echo \$n >frames
"$bin/datumctl" trigger --tcp 127.0.0.1:$port --unit "demo-\$n" --wait &
wait=\$!
until "$bin/datumctl" send --tcp 127.0.0.1:$port 'SYSTem:STATe?' | grep -q WAITING; do
  kill -0 \$wait 2>/dev/null || break
  sleep 0.1
done
"$bin/virtual-sensor" --recipe recipes/demo-board.toml --twin twins/demo.toml --calibration calibrations/demo.toml \\
  --position $stage --drop drop --frame-id \$n --seed \$n --board "\${1:-good}" >/dev/null
wait \$wait
TEXT
cat >stop <<TEXT
#!/bin/sh
# Stops the kept cell.
for process in \$(cat "$cell/pids" 2>/dev/null); do
  [ "\$(readlink /proc/\$process/cwd)" != "$cell" ] || kill \$process
done
rm -f "$cell/pids"
TEXT
chmod +x board stop
trap - EXIT INT TERM
echo
echo "The cell goes on. In this terminal or another one:"
echo "  $bin/datumctl status --tcp 127.0.0.1:$port"
echo "  $bin/datumctl watch --tcp 127.0.0.1:$port"
echo "  $cell/board                           a good board; with defects: $cell/board lifted=U3,missing=C3"
echo "  $bin/datumctl show last --store $cell/results.db"
echo "  $cell/stop                            ends it"
