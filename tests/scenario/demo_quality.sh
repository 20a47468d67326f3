#!/bin/sh
# What a quality engineer does: a lot of 200 twin boards whose part C1 grows taller, a gauge study of ten parts, reports, and pages in a
# browser, all by the real programs. Usage: demo_quality.sh BIN [FOLDER [BOARDS]]; the cell is built anew in FOLDER (default: ../quality
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
sed 's/recipe = "demo-cad"/recipe = "quality"/' "$tree/config/demo-cad.toml" >datumd.toml
# Of a PASS the frame goes: 240 frames would take 1.7 GB.
printf '\n[retention]\nframes = "failures"\n' >>datumd.toml

. "$tree/tests/scenario/demo_programs.sh"

"$bin/datumctl" recipe import designs/demo.kicad_pcb --name quality --sensor sensors/virtual.toml \
  --library packages/starter.toml --library packages/demo.toml -o recipes/quality.toml >import.log
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

package=$(sed -n 's/.*reference = "C1", package = "\([^"]*\)".*/\1/p' recipes/quality.toml)
nominal=$(sed -n "s/^package[.]\"$package\" = .*nominal_um = \([0-9]*\).*/\1/p" recipes/quality.toml)
[ -n "$nominal" ] || fail "the recipe states no height of C1"
echo "a lot of $boards boards; C1 grows by 40 um from the first to the last"
while [ $number -lt "$boards" ]; do
  heights=
  for i in 0 1 2 3 4 5 6 7 8 9; do
    [ $((number + i)) -ge "$boards" ] || heights="$heights $((nominal + 40 * (number + i) / boards))"
  done
  # shellcheck disable=SC2086
  measure $heights
done

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

report() {  # name arguments...: HTML, and PDF where a browser prints it
  name=$1
  shift
  "$bin/datumctl" report "$@" -o "reports/$name.html"
}
report board board $number --config datumd.toml
report lot lot --first 1 --last "$boards" --config datumd.toml
report spc spc quality --component C1 --characteristic median --config datumd.toml
report study study grr-1 --component C1 --characteristic median --config datumd.toml
for name in board lot spc study; do grep -q '</html>' reports/$name.html || fail "no report $name"; done
"$bin/datumctl" spc --recipe quality --component C1 --characteristic median --json --store results.db >spc.json
tr -d ' \n' <spc.json | grep -q '"hits":\[{' || fail "the drift of C1 hits no rule"
echo "the drift of C1 hits $(tr -d ' \n' <spc.json | grep -o '"rule":' | wc -l) times a rule of its chart"

browser=
for program in chromium-headless-shell chromium; do [ -n "$browser" ] || browser=$(command -v $program || true); done
if [ -z "$browser" ]; then
  echo "SKIPPED: screenshots and PDF; Chromium (Debian package chromium) is not installed"
else
  [ "$(id -u)" != 0 ] || browser="$browser --no-sandbox"
  look() {  # name URL
    $browser --headless --disable-gpu --hide-scrollbars --user-data-dir=profile --window-size=1280,800 --screenshot="reports/$1.png" "$2" \
      >>browser.log 2>&1
    [ -s "reports/$1.png" ] || fail "no picture of $2"
  }
  until_true "the index did not follow" sh -c "$browser --headless --disable-gpu --user-data-dir=profile --dump-dom '$pages/component?recipe=quality' 2>>browser.log | grep -q 'C1 median'"
  look page-boards "$pages/"
  look page-board "$pages/board/$number"
  look page-lot "$pages/lot?recipe=quality&most=$boards"
  look page-component "$pages/component?recipe=quality&reference=C1&what=median"
  look page-health "$pages/health"
  "$bin/datumctl" report lot --first 1 --last "$boards" --config datumd.toml -o reports/lot.pdf
fi
stop
"$bin/datumctl" results --last 3 --store results.db
echo
echo "reports and pages: $cell/reports"
