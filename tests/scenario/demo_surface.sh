#!/bin/sh
# Three machined parts compared with their model by the real daemon: a stage on a pseudo-terminal carries a virtual 3D sensor
# to seven places over each; the part is found by its datums. One part is good, one has a hole in the wrong place and a dent where
# the wall is 1 mm thin, so deep that its bottom is nearer to the wall's far side; on one there is excess material.
# Usage: demo_surface.sh BIN [FOLDER]; the cell is built anew in FOLDER (default: ../surface beside BIN).
set -eu
bin=$(cd "$1" && pwd)
cell=${2:-$bin/../surface}
tree=$(cd "$(dirname "$0")/../.." && pwd)

rm -rf "$cell"
mkdir -p "$cell/drop" "$cell/pictures"
cd "$cell"
cell=$(pwd)
for file in sensors/virtual.toml recipes/demo-part.toml calibrations/demo.toml twins/surface.toml; do
  mkdir -p "$(dirname "$file")"
  cp "$tree/config/$file" "$file"
done
sed "s|/run/datumd-demo/cmm|$cell/cmm|; s|^trigger = .*|trigger = \"bus\"|; /^\[host.serial\]/,\$d" "$tree/config/demo.toml" >datumd.toml
printf '[host.tcp]\nport = 0\n' >>datumd.toml
# Under a sanitizer programs are slower by DATUM_SLOWER, and positions older.
[ -z "${DATUM_SLOWER:-}" ] || printf '[cmm.pairing]\nwindow_ms = %d\n' $((5000 * DATUM_SLOWER)) >>datumd.toml

. "$tree/tests/scenario/demo_programs.sh"

# Placed three times: 0.3 mm and 2 mrad off, then two and three times as far.
start sensor.log "$bin/virtual-part" --twin twins/surface.toml --calibration calibrations/demo.toml \
  --model recipes/demo-part.stl --drop drop --truth truth.jsonl --on-trigger trigger --displaced 0.2,-0.2,0.1,2 \
  --part good --part dent=600,hole=0.12:-0.08 --part post=3
start cmm.log "$bin/virtual-cmm" --preset grbl_1_1 --link cmm --position 91,68,35 --control moves
until_true "the virtual CMM did not come up" test -e cmm
until_true "the virtual sensor did not come up" test -e trigger
until_true "the model was not written" test -s recipes/demo-part.stl

"$bin/datumd" --check-config --config datumd.toml
start datumd.log "$bin/datumd" --config datumd.toml
until_true "datumd did not come up" grep -q 'commands, tcp 127\.0\.0\.1:[0-9]' datumd.log
port=$(sed -n 's/.*commands, tcp 127\.0\.0\.1:\([0-9]*\).*/\1/p' datumd.log | head -n 1)
ctl() { verb=$1; shift; "$bin/datumctl" "$verb" "$@" --tcp "127.0.0.1:$port"; }
standing() { ctl send 'DIAG:POS?' | awk -F, -v at="$1" '{ exit !($1 ~ /OK/ && sprintf("%g %g %g", $2, $3, $4) == at) }'; }
until_true "the stage's position does not come" ctl position
ctl choose demo-part >ctl.log
ctl arm >>ctl.log

"$bin/virtual-part" --twin twins/surface.toml --calibration calibrations/demo.toml --positions >positions
earlier=0
for part in good damaged dirty; do
  ctl unit "$part" >>ctl.log
  taken=0
  while read -r x y z; do
    echo "move $x $y $z" >moves
    until_true "the stage does not move" standing "$x $y $z"
    taken=$((taken + 1))
    ctl send '*TRG' >>ctl.log || fail "the trigger is refused"
    echo >trigger
    [ $taken -eq 7 ] || until_true "snapshot $taken is not kept" \
      sh -c "[ \$(grep -c 'snapshot $((taken + 1)) of 7 .* is next' datumd.log) -gt $earlier ]"
  done <positions
  earlier=$((earlier + 1))
  until_true "no result" sh -c "'$bin/datumctl' results --store results.db | grep -q $part"
done

for n in 00000001 00000002 00000003; do until_true "no picture of result $n" sh -c "ls pictures/$n*.png"; done
for part in 1 2 3; do
  echo
  status=0
  "$bin/datumctl" show $part --store results.db >shown$part || status=$?
  cat shown$part
  case $part$status in 10 | 21 | 33) ;; *) fail "the parts shall PASS, FAIL and be INVALID" ;; esac
done
grep -q 'SURFACE_BEYOND' shown3 || fail "the post is not found"

# Compares with the truth of the virtual part. A profile is twice the largest deviation; the countersink's flank stands at 45
# degrees, so that a shift moves it by 1 / sqrt(2) along its normal.
echo
sed -n 2p truth.jsonl | tr ',' ' ' | tr -d '[]{}"' | awk -v shown=shown2 '
  { for (i = 1; i <= NF; i++) {
      if ($i ~ /^dent_um:/) { sub(/.*:/, "", $i); dent = $i }
      if ($i ~ /^hole_shift_mm:/) { x = $i; sub(/.*:/, "", x); y = $(i + 1) } } }
  END {
    while ((getline < shown) > 0) {
      if ($1 == "top" && $3 == "profile") { depth = $4 / 2; u = $5 / 2 }
      if ($1 == "countersink" && $3 == "profile") { flank = $4 / 2; u_flank = $5 / 2; hole = $NF }
    }
    shift = 1000 * sqrt(x * x + y * y)
    off = depth - dent
    printf "dent: %.1f um deep, measured %.1f um with U = %.1f um: %+.1f um off\n", dent, depth, u, off
    printf "hole: %.1f um off its place, %.1f um along its flank; measured %.1f um with U = %.1f um\n", shift, shift / sqrt(2), flank, u_flank
    exit !(u > 0 && off <= u && -off <= u && flank > u_flank)
  }' || fail "the dent is not found within its uncertainty"
echo
echo "pictures: $(echo "$cell"/pictures/*.png)"
