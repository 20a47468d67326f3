#!/bin/sh
# A design to verdicts: a KiCad board becomes a recipe, and twins of that board, with its copper, mask and legend under the rings,
# go through the real daemon: a good one, one with a lifted and a missing part, and one by a recipe whose heights nobody has
# confirmed. Usage: demo_cad.sh BIN [FOLDER]; the cell is built anew in FOLDER (default: ../cad beside BIN).
set -eu
bin=$(cd "$1" && pwd)
cell=${2:-$bin/../cad}
tree=$(cd "$(dirname "$0")/../.." && pwd)

rm -rf "$cell"
mkdir -p "$cell/drop" "$cell/pictures" "$cell/recipes"
cd "$cell"
cell=$(pwd)
for file in sensors/virtual.toml twins/demo.toml packages/starter.toml packages/demo.toml designs/demo.kicad_pcb; do
  mkdir -p "$(dirname "$file")"
  cp "$tree/config/$file" "$file"
done
cp "$tree/config/demo-cad.toml" datumd.toml

. "$tree/tests/scenario/demo_programs.sh"

import() {  # name arguments...: a recipe and its picture from the design
  name=$1
  shift
  echo "\$ datumctl recipe import designs/demo.kicad_pcb $*"
  "$bin/datumctl" recipe import designs/demo.kicad_pcb --name "$name" --sensor sensors/virtual.toml "$@" \
    -o "recipes/$name.toml" --picture "pictures/recipe-$name.png"
  echo
}
import unconfirmed --library packages/starter.toml
import demo-cad --library packages/starter.toml --library packages/demo.toml

"$bin/datumd" --check-config --config datumd.toml
"$bin/datumd" --config datumd.toml >datumd.log 2>&1 &
started=$!
until_true "datumd did not come up" grep -q 'commands, tcp 127\.0\.0\.1:[0-9]' datumd.log
port=$(sed -n 's/.*commands, tcp 127\.0\.0\.1:\([0-9]*\).*/\1/p' datumd.log | head -n 1)
board() {  # recipe number what: one twin of the design
  "$bin/virtual-sensor" --recipe "recipes/$1.toml" --twin twins/demo.toml --design designs/demo.kicad_pcb --drop drop \
    --truth truth.jsonl --frame-id "$2" --seed "$2" --board "$3" >>sensor.log
  until_true "no result $2" sh -c "'$bin/datumctl' results --store results.db | grep -q '^ *$2 '"
}
board demo-cad 1 good
board demo-cad 2 lifted=U2,missing=C3
"$bin/datumctl" abort --tcp "127.0.0.1:$port" >ctl.log
"$bin/datumctl" choose unconfirmed --tcp "127.0.0.1:$port" >>ctl.log
"$bin/datumctl" arm --tcp "127.0.0.1:$port" >>ctl.log
board unconfirmed 3 good

for n in 1 2 3; do
  status=0
  "$bin/datumctl" show $n --store results.db >shown$n || status=$?
  cat shown$n
  echo
  case $n$status in 10 | 21 | 32) ;; *) fail "board $n shall be PASS, FAIL, INCONCLUSIVE in this order" ;; esac
done
"$bin/datumctl" results --store results.db
for n in 00000001 00000002 00000003; do until_true "no picture of result $n" sh -c "ls pictures/$n*-deviation.png"; done
echo
echo "the recipes: $(echo "$cell"/recipes/*.toml)"
echo "pictures: $(echo "$cell"/pictures/*.png)"
