#!/bin/sh
# Raw images of projected fringes to verdicts by the real daemon. The virtual sensor is calibrated on a flat plate at six
# heights; then boards: a good one, one with a wrong height and a missing part, one whose inductor glares, and one whose set
# is not complete. Usage: demo_fringe.sh BIN [FOLDER]; the cell is built anew in FOLDER (default: ../fringe beside BIN).
set -eu
bin=$(cd "$1" && pwd)
cell=${2:-$bin/../fringe}
tree=$(cd "$(dirname "$0")/../.." && pwd)

rm -rf "$cell"
mkdir -p "$cell/drop" "$cell/pictures" "$cell/plate"
cd "$cell"
cell=$(pwd)
for file in sensors/fringe.toml recipes/demo-fringe.toml twins/fringe.toml twins/fringe-camera.toml; do
  mkdir -p "$(dirname "$file")"
  cp "$tree/config/$file" "$file"
done
cp "$tree/config/demo-fringe.toml" datumd.toml

. "$tree/tests/scenario/demo_programs.sh"
sensor() {  # its arguments: the virtual sensor with this cell's files
  "$bin/virtual-fringe" --recipe recipes/demo-fringe.toml --twin twins/fringe.toml --camera twins/fringe-camera.toml \
    --sensor sensors/fringe.toml "$@"
}

# Standard uncertainties: 0.3 um for the steps under the plate, 0.3 um for its form.
sensor --drop plate --seed 101 --plate=-0.75,0,0.75,1.5,2.25,3 >steps
# shellcheck disable=SC2046
"$bin/datumctl" fringe calibrate $(cat steps) --sensor sensors/fringe.toml --id fp-0001-demo --operator demo \
  --u-step-um 0.3 --u-plate-um 0.3 --max-residual-um 10 --valid-days 30
echo

"$bin/datumd" --check-config --config datumd.toml
"$bin/datumd" --config datumd.toml >datumd.log 2>&1 &
started=$!
until_true "datumd did not come up" grep -q 'commands, tcp 127\.0\.0\.1:[0-9]' datumd.log
sensor --drop drop --truth truth.jsonl --board good --board height=R1:640,missing=C2 --board shiny=L1 --board incomplete \
  >sensor.log
for n in 1 2 3 4; do
  until_true "no result $n" sh -c "'$bin/datumctl' results --store results.db | grep -q '^ *$n '"
done
port=$(sed -n 's/.*commands, tcp 127\.0\.0\.1:\([0-9]*\).*/\1/p' datumd.log | head -n 1)
for n in 1 2 3; do
  echo
  status=0
  "$bin/datumctl" show $n --store results.db >shown$n || status=$?
  cat shown$n
  case $n$status in 10 | 21 | 33) ;; *) fail "board $n shall be PASS, FAIL, INVALID in this order" ;; esac
done
echo
"$bin/datumctl" results --store results.db

# Measures the stored raw images again: the same bytes.
"$bin/datumctl" send 'ABORt' --tcp "127.0.0.1:$port" >ctl.log
"$bin/datumctl" send 'DATA:REPLay 2' --tcp "127.0.0.1:$port" >>ctl.log
until_true "the replay does not end" sh -c "'$bin/datumctl' send 'DATA:REPLay?' --tcp 127.0.0.1:$port | grep -q SAME"
echo "result 2 measured again from its raw images: $("$bin/datumctl" send 'DATA:REPLay?' --tcp "127.0.0.1:$port")"
for n in 00000001 00000002 00000003; do until_true "no picture of result $n" sh -c "ls pictures/$n*.png"; done
echo "pictures: $(echo "$cell"/pictures/*.png)"
