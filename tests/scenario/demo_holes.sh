#!/bin/sh
# The five holes of the thesis (table 2.1) as rows of a recipe, by the real daemon: scanned in two snapshots, then touched by a
# machine that datumd moves itself, over I++ DME and on GRBL. The holes deviate as the thesis' did; a second plate lacks one.
# Usage: demo_holes.sh BIN [FOLDER [ipp | grbl]]; the cells are built anew in FOLDER (default: ../holes beside BIN), without a word both.
set -eu
bin=$(cd "$1" && pwd)
all=${2:-$bin/../holes}
only=${3:-}
tree=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$all"
mkdir -p "$all"
all=$(cd "$all" && pwd)
cell=$all
. "$tree/tests/scenario/demo_programs.sh"

tip=1.5
begin_cell() {  # name part: the cell's folder with its files, and the bores that the probe meets
  cell=$all/$1
  mkdir -p "$cell/drop" "$cell/pictures" "$cell/artefacts"
  cd "$cell"
  for file in sensors/virtual.toml recipes/demo-holes.toml calibrations/demo-holes.toml twins/holes.toml; do
    mkdir -p "$(dirname "$file")"
    cp "$tree/config/$file" "$file"
  done
  cp "$tree/config/demo-holes.toml" datumd.toml
  "$bin/virtual-part" --twin twins/holes.toml --calibration calibrations/demo-holes.toml --bores --part "$2" >bores
  start sensor.log "$bin/virtual-part" --twin twins/holes.toml --calibration calibrations/demo-holes.toml \
    --model recipes/demo-holes.stl --drop drop --on-trigger expose --part "$2"
  until_true "the virtual sensor did not come up" test -e expose
  until_true "the model was not written" test -s recipes/demo-holes.stl
}
ipp_machine() {
  start machine.log "$bin/virtual-ipp" --listen 0 --position 86,90,60 --tool-radius $tip --control control
  until_true "the virtual CMM did not come up" grep -q '127\.0\.0\.1:[0-9]' machine.log
  until_true "the virtual CMM takes no orders" test -e control
  port=$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' machine.log | head -n 1)
  while read -r x y z r; do
    awk "BEGIN { printf \"hole %s %s %.6f %s\n\", $x, $y, $r - $tip, $z }" >control
  done <bores
  sed -i "s/^port = 1294.*/port = $port/" datumd.toml
}
grbl_machine() {
  top=$(head -n 1 bores | cut -d ' ' -f 3)
  # shellcheck disable=SC2046
  start machine.log "$bin/virtual-cmm" --preset grbl_1_1 --link cmm --position 86,90,60 --control control --tip-radius $tip \
    --plate-top "$top" $(awk '{ printf "--bore %s,%s,%s ", $1, $2, $4 }' bores)
  until_true "the virtual CMM did not come up" test -e cmm
  sed -i "s/^preset = .*/preset = \"grbl_1_1\"/; s|^\[cmm.tcp\]|[cmm.serial]|; s|^host = .*|path = \"$cell/cmm\"|
    s/^port = 1294.*/baud = 115200/; /^tool = /d; /^coordinate_system = /d; s/cmm\.ipp/cmm.grbl/" datumd.toml
}
ctl() { verb=$1; shift; "$bin/datumctl" "$verb" "$@" --tcp "127.0.0.1:$port"; }
standing() { ctl send 'DIAG:POS?' | awk -F, -v at="$1" '{ exit !($1 ~ /OK/ && sprintf("%g %g %g", $2, $3, $4) == at) }'; }
measure() {  # wanted exit status of the result
  "$bin/datumd" --check-config --config datumd.toml
  start datumd.log "$bin/datumd" --config datumd.toml
  until_true "datumd did not come up" grep -q 'commands, tcp 127\.0\.0\.1:[0-9]' datumd.log
  port=$(sed -n 's/.*commands, tcp 127\.0\.0\.1:\([0-9]*\).*/\1/p' datumd.log | head -n 1)
  until_true "the stage's position does not come" ctl position
  ctl choose demo-holes >ctl.log
  ctl arm >>ctl.log
  ctl send '*TRG' >>ctl.log || fail "the trigger is refused"
  echo >expose
  until_true "snapshot 1 is not kept" grep -q 'snapshot 2 of 2 .* is next' datumd.log
  echo "move 134 90 60" >control
  until_true "the stage does not move" standing "134 90 60"
  ctl send '*TRG' >>ctl.log || fail "the trigger is refused"
  echo >expose
  until_true "snapshot 2 is not kept" grep -q 'the touching of 5 holes is next' datumd.log
  ctl send '*TRG' >>ctl.log || fail "the consent to touch is refused"
  until_true "no result" sh -c "'$bin/datumctl' results --store results.db | grep -q demo-holes"
  status=0
  "$bin/datumctl" show last --store results.db >shown || status=$?
  cat shown
  [ $status -eq "$1" ] || fail "the exit status is $status, not $1"
  stop
}

if [ "$only" != grbl ]; then
  echo "== I++ DME: the plate as made"
  begin_cell ipp made
  ipp_machine
  measure 1
fi
if [ "$only" != ipp ]; then
  echo
  echo "== GRBL: a plate without its third hole"
  begin_cell grbl made,plugged=3
  grbl_machine
  measure 3
  grep -q '^H3 .*HOLE_SCAN' shown || fail "the missing hole is not named"
fi

# The truth: table 2.1, touched less drawn, um; diameters in um. Each within U (k = 2) or, once in 20, little more: within 1.5 U.
[ "$only" = grbl ] || awk -v shown="$all/ipp/shown" '
  BEGIN {
    x["H1"] = -130; y["H1"] = 458; d["H1"] = 9914
    x["H2"] = -209; y["H2"] = 301; d["H2"] = 9920
    x["H3"] = -169; y["H3"] = 272; d["H3"] = 9900
    x["H4"] = -191; y["H4"] = 345; d["H4"] = 21926
    x["H5"] = 79; y["H5"] = 360; d["H5"] = 9942
    while ((getline < shown) > 0) {
      truth = $3 == "position_x" ? x[$1] : $3 == "position_y" ? y[$1] : $3 == "diameter" ? d[$1] : ""
      if (truth == "") continue
      off = $4 - truth
      if (off < 0) off = -off
      n++
      if (off > most) most = off
      if (!($5 > 0 && off <= 1.5 * $5)) { print $1, $3, "is", $4, "with U =", $5, "truth:", truth; bad = 1 }
    }
    printf "\n%d values of five holes, at most %.1f um off the truth\n", n, most
    exit bad || n != 15
  }' || fail "a hole is not measured within its uncertainty"
