#!/bin/sh
# What a quality engineer does: a shift check, a lot of 200 twin boards whose part C1 grows taller under the rules of a control chart, a
# gauge study of ten parts, a shift check that fails, reports, and pages in a browser, all by the real programs. Usage: demo_quality.sh BIN [FOLDER [BOARDS]]; the cell is built anew in FOLDER (default: ../quality
# beside BIN).
set -eu
bin=$(cd "$1" && pwd)
cell=${2:-$bin/../quality}
boards=${3:-200}
tree=$(cd "$(dirname "$0")/../.." && pwd)

rm -rf "$cell"
mkdir -p "$cell/drop" "$cell/pictures" "$cell/recipes" "$cell/cache" "$cell/reports"
cd "$cell"
cell=$(pwd)
for file in sensors/virtual.toml twins/demo.toml packages/starter.toml packages/demo.toml designs/demo.kicad_pcb; do
  mkdir -p "$(dirname "$file")"
  cp "$tree/config/$file" "$file"
done
# A person who acknowledges a chart has the role "configure".
sed -e 's/recipe = "demo-cad"/recipe = "quality"/' -e '/^\[host[.]tcp\]/a role = "configure"' "$tree/config/demo-cad.toml" >datumd.toml
# Of a PASS the frame goes: 240 frames would take 1.7 GB.
printf '\n[retention]\nframes = "failures"\n\n[metrics]\nsocket = "metrics.sock"\n' >>datumd.toml

. "$tree/tests/scenario/demo_programs.sh"

"$bin/datumctl" recipe import designs/demo.kicad_pcb --name quality --sensor sensors/virtual.toml \
  --library packages/starter.toml --library packages/demo.toml -o recipes/quality.toml >import.log
package=$(sed -n 's/.*reference = "C1", package = "\([^"]*\)".*/\1/p' recipes/quality.toml)
nominal=$(sed -n "s/^package[.]\"$package\" = .*nominal_um = \([0-9]*\).*/\1/p" recipes/quality.toml)
[ -n "$nominal" ] || fail "the recipe states no height of C1"
printf '\n[control_charts]\nrules = "1,2"\ncomponents = ["C1"]\ncharacteristics = ["median"]\n' >>recipes/quality.toml
cat >>datumd.toml <<CHECK

[reference_checks]
action = "invalid"
[[reference_checks.check]]
name = "shift"
artefact = "golden board"
serial = "GB-7"
recipe = "quality"
readings = 2
interval_h = 8
after_start = false
[[reference_checks.check.value]]
component = "C1"
characteristic = "median"
certified_um = $nominal
expanded_um = 4
mpe_um = 15
CHECK
"$bin/datumd" --check-config --config datumd.toml >check.log
start datumd.log "$bin/datumd" --config datumd.toml
until_true "datumd did not come up" grep -q 'commands, tcp 127\.0\.0\.1:[0-9]' datumd.log
start view.log "$bin/datumd-view" --config datumd.toml --cache cache --listen 127.0.0.1:0
until_true "datumd-view did not come up" grep -q 'http://127\.0\.0\.1:[0-9]' view.log
pages=$(sed -n 's|.*\(http://127\.0\.0\.1:[0-9]*\)/.*|\1|p' view.log | head -n 1)

number=0
measure() {  # HEIGHT...: a board each with C1 so high, in um; waits for their results
  list=
  for height in "$@"; do list="$list --board height=C1:$height"; done
  # shellcheck disable=SC2086
  "$bin/virtual-sensor" --recipe recipes/quality.toml --twin twins/demo.toml --design designs/demo.kicad_pcb --drop drop \
    --truth truth.jsonl --format tiff16 --frame-id $((number + 1)) --seed $((number + 1)) $list >>sensor.log
  number=$((number + $#))
  until_true "no result $number" sh -c "'$bin/datumctl' results --last 1 --store results.db | grep -q '^ *$number '"
}

host=$(sed -n 's/.*commands, tcp \(127\.0\.0\.1:[0-9]*\).*/\1/p' datumd.log | head -n 1)
shift_check() {  # HEIGHT: two readings of a golden board whose C1 is so high
  "$bin/datumctl" abort --tcp "$host" >>shift.log
  "$bin/datumctl" check start shift --by "the demo" --tcp "$host" >>shift.log
  "$bin/datumctl" arm --tcp "$host" >>shift.log
  measure "$1" "$1"
  until_true "the check did not end" sh -c "'$bin/datumctl' check list --tcp '$host' | grep -q 'VALID\|FAILED'"
  "$bin/datumctl" check list --tcp "$host"
}

echo "the shift begins: two readings of a golden board"
shift_check "$nominal"
"$bin/datumctl" arm --tcp "$host" >>shift.log
first=$((number + 1))
last=$((number + boards))
echo "a lot of $boards boards; behind the thirtieth C1 grows by some 40 um to the last"
while [ $number -lt $last ]; do
  heights=
  for i in 0 1 2 3 4 5 6 7 8 9; do
    of_lot=$((number + 1 + i - first))  # from 0; the first thirty are steady
    [ $((number + i)) -ge $last ] || heights="$heights $((nominal + 40 * (of_lot < 30 ? 0 : of_lot - 29) / boards))"
  done
  # shellcheck disable=SC2086
  measure $heights
  # Phase 1: the first thirty boards.
  [ $number -ne $((first + 29)) ] ||
    "$bin/datumctl" chart freeze quality --by "the demo" --config datumd.toml
done
until_true "no rule of the running chart is hit" sh -c "'$bin/datumctl' chart list --tcp '$host' | grep -q ' HIT '"
"$bin/datumctl" chart history quality --config datumd.toml | head -n 4
"$bin/datumctl" chart acknowledge quality --by "the demo" --reason "C1 is another reel" --tcp "$host" >>shift.log

echo "a gauge study: ten parts, two load cycles, two trials"
"$bin/datumctl" study start grr-1 --recipe recipes/quality.toml --parts P1,P2,P3,P4,P5,P6,P7,P8,P9,P10 --operators load-1,load-2 \
  --trials 2 --by "the demo" --seed 7 --store results.db >study.log
for _ in $(seq 120); do
  part=$("$bin/datumctl" study next grr-1 --store results.db | sed -n 's/.*part P\([0-9]*\).*/\1/p' | head -n 1)
  [ -n "$part" ] || break
  measure $((nominal - 30 + 6 * part))
  "$bin/datumctl" study next grr-1 --result last --store results.db >>study.log
done
"$bin/datumctl" study solve grr-1 --component C1 --characteristic median --store results.db >solved.txt
grep -i 'gauge\|categories' solved.txt | head -n 4

echo "the next shift begins: the golden board is 60 um off"
shift_check $((nominal + 60))
"$bin/datumctl" check look-back shift --config datumd.toml | tail -n 1

report() {  # name arguments...: HTML, and PDF where a browser prints it
  name=$1
  shift
  "$bin/datumctl" report "$@" -o "reports/$name.html"
}
report board board $number --config datumd.toml
report lot lot --first $first --last $last --config datumd.toml
report spc spc quality --component C1 --characteristic median --config datumd.toml
report study study grr-1 --component C1 --characteristic median --config datumd.toml
for name in board lot spc study; do grep -q '</html>' reports/$name.html || fail "no report $name"; done
"$bin/datumctl" spc --recipe quality --component C1 --characteristic median --json --store results.db >spc.json
tr -d ' \n' <spc.json | grep -q '"hits":\[{' || fail "the drift of C1 hits no rule"
echo "the drift of C1 hits $(tr -d ' \n' <spc.json | grep -o '"rule":' | wc -l) times a rule of its chart"

# One that is installed may still be unable to start: a sandbox that the kernel denies, a snap that sees no other folder than the home.
browser= why="Chromium (Debian package chromium) is not installed"
for program in chromium-headless-shell chromium; do
  { [ -z "$browser" ] && command -v $program >/dev/null; } || continue
  browser="$program --headless --disable-gpu --hide-scrollbars --user-data-dir=profile --window-size=1280,800"
  [ "$(id -u)" != 0 ] || browser="$browser --no-sandbox"
  $browser --screenshot="reports/page-boards.png" about:blank >>browser.log 2>&1 || true
  [ -s reports/page-boards.png ] || { browser= why="$program makes no picture; why is in $cell/browser.log"; }
done
if [ -z "$browser" ]; then
  echo "SKIPPED: screenshots and PDF; $why"
else
  look() {  # name URL
    rm -f "reports/$1.png"
    $browser --screenshot="reports/$1.png" "$2" >>browser.log 2>&1
    [ -s "reports/$1.png" ] || fail "no picture of $2"
  }
  until_true "the index did not follow" sh -c "$browser --dump-dom '$pages/component?recipe=quality' 2>>browser.log | grep -q 'C1 median'"
  look page-boards "$pages/"
  look page-board "$pages/board/$number"
  look page-lot "$pages/lot?recipe=quality&most=$boards"
  look page-component "$pages/component?recipe=quality&reference=C1&what=median"
  look page-health "$pages/health"
  "$bin/datumctl" report lot --first $first --last $last --config datumd.toml -o reports/lot.pdf
fi
stop
"$bin/datumctl" results --last 3 --store results.db
echo
echo "reports and pages: $cell/reports"
