#!/bin/sh
# A lot of twin boards, measured by the real datumd and then again by an edited recipe: by one run, under GNU parallel while
# workers are killed at random, and as a Slurm job array on four nodes that are killed at random. The merged bytes are compared.
# Usage: demo_batch.sh BIN [FOLDER [BOARDS]]; everything is built anew in FOLDER (default: ../batch beside BIN).
set -eu
bin=$(cd "$1" && pwd)
cell=${2:-$bin/../batch}
boards=${3:-40}
tree=$(cd "$(dirname "$0")/../.." && pwd)

rm -rf "$cell"
mkdir -p "$cell/drop" "$cell/pictures" "$cell/recipes"
cd "$cell"
cell=$(pwd)
for file in sensors/virtual.toml twins/demo.toml packages/starter.toml packages/demo.toml designs/demo.kicad_pcb; do
  mkdir -p "$(dirname "$file")"
  cp "$tree/config/$file" "$file"
done
sed 's/recipe = "demo-cad"/recipe = "lot"/' "$tree/config/demo-cad.toml" >datumd.toml

. "$tree/tests/scenario/demo_programs.sh"
. "$tree/tests/scenario/slurm_nodes.sh"

"$bin/datumctl" recipe import designs/demo.kicad_pcb --name lot --sensor sensors/virtual.toml \
  --library packages/starter.toml --library packages/demo.toml -o recipes/lot.toml >import.log
start datumd.log "$bin/datumd" --config datumd.toml
until_true "datumd did not come up" grep -q 'commands, tcp 127\.0\.0\.1:[0-9]' datumd.log
package=$(sed -n 's/.*reference = "C1", package = "\([^"]*\)".*/\1/p' recipes/lot.toml)
nominal=$(sed -n "s/^package[.]\"$package\" = .*nominal_um = \([0-9]*\).*/\1/p" recipes/lot.toml)
[ -n "$nominal" ] || fail "the recipe states no height of C1"

echo "a lot of $boards boards through the real datumd; C1 grows by 160 um from the first to the last"
list=
number=0
while [ $number -lt "$boards" ]; do
  list="$list --board height=C1:$((nominal + 160 * number / boards))"
  number=$((number + 1))
done
# shellcheck disable=SC2086
"$bin/virtual-sensor" --recipe recipes/lot.toml --twin twins/demo.toml --design designs/demo.kicad_pcb --drop drop \
  --truth truth.jsonl --format tiff16 --frame-id 1 --seed 1 $list >sensor.log
until_true "no result $boards" sh -c "'$bin/datumctl' results --last 1 --store results.db | grep -q '^ *$boards '"
stop

# The edit: C1 may be twice as far from its nominal height.
sed "s/^\(package[.]\"$package\" = .*tolerance_um = \)\([0-9.]*\)/\1160/" recipes/lot.toml >edited.toml
! cmp -s recipes/lot.toml edited.toml || fail "the recipe states no tolerance of C1"
batch=$bin/datumd-batch readme=$tree/daemon/batch/README.md
for name in one parallel slurm; do
  "$batch" manifest $name --config datumd.toml --recipe edited.toml --backend cpu
  cmp one/manifest.jsonl $name/manifest.jsonl
done

echo
echo "one run with all cores"
"$batch" run one
"$batch" merge one -o one.db

random() { od -An -N2 -tu2 /dev/urandom | tr -d ' '; }
below() {  # PID...: these and all that they started
  for process; do
    echo "$process"
    # shellcheck disable=SC2046
    below $(cat "/proc/$process/task/$process/children" 2>/dev/null)
  done
}
any_worker() {  # PID...: a worker of datumd-batch below these
  workers=
  for process in $(below "$@"); do
    ! { tr '\0' ' ' <"/proc/$process/cmdline"; } 2>/dev/null | grep -q 'datumd-batch worker' || workers="$workers $process"
  done
  # shellcheck disable=SC2086
  set -- $workers
  [ $# -gt 0 ] || return 0
  shift $(($(random) % $#))
  echo "$1"
}

echo
if ! command -v parallel >/dev/null; then
  echo "SKIPPED: GNU parallel is not installed (Debian package parallel)"
else
  echo "GNU parallel, eight parts by four jobs, workers killed at random"
  # The README's own line, for this machine alone.
  sed -n 's/^parallel --jobs 1 --sshloginfile hosts /parallel --will-cite --jobs 4 --joblog parallel.joblog /p' "$readme" |
    sed "s|datumd-batch run \$PWD/trial|$batch run parallel --workers 1 --attempts 20|; s|/100|/8|; s|seq 100|seq 8|" >parallel.sh
  grep -q '/8 ::: $(seq 8)' parallel.sh || fail "the README has no line for GNU parallel"
  sh parallel.sh >parallel.log 2>&1 &
  parallel=$!
  started="$started $parallel"
  kills=0
  while kill -0 $parallel 2>/dev/null; do
    victim=$(any_worker $parallel)
    if [ -n "$victim" ] && [ $kills -lt 12 ] && kill -9 "$victim" 2>/dev/null; then kills=$((kills + 1)); fi
    sleep 0.2
  done
  wait $parallel || fail "parallel ended with status $?"
  started=
  "$batch" status parallel
  "$batch" merge parallel -o parallel.db >/dev/null
  cmp one.db parallel.db
  echo "$kills workers killed; the merged bytes are those of one run"
fi

echo
lacks=$(slurm_lacks)
if [ -n "$lacks" ]; then
  echo "SKIPPED: Slurm; $lacks (Debian packages slurmctld, slurmd, slurm-client, munge)"
elif [ "$(id -u)" != 0 ]; then
  echo "SKIPPED: Slurm; its node daemons are started by root alone"
else
  echo "Slurm, eight tasks of an array on four nodes, nodes killed at random"
  slurm=$cell/cluster
  mkdir "$slurm"
  slurm_start
  # The README's own script, for nodes without a GPU.
  sed -n '/^#SBATCH --array/,/^exit/p' "$readme" | sed "s|^#SBATCH.*|#SBATCH --requeue|; s|/100|/8|; s|datumd-batch run trial|\"$batch\" run slurm --workers 1 --attempts 20|" |
    sed '1i #!/bin/sh' >task.sh
  grep -q 'run slurm .*/8' task.sh || fail "the README has no script for Slurm"
  kills=0
  # Complete is what has its outputs, whatever Slurm says of its tasks.
  until "$batch" status slurm >status.log; do
    [ $? != 65 ] || fail "poison: $(cat status.log)"
    scancel --user "$(id -un)" 2>/dev/null || true
    until_true "tasks do not end" sh -c 'test -z "$(squeue -h -t R,CG)"'
    sbatch --array=1-8 --output task.%a.log --open-mode=append task.sh
    for _ in $(seq 100); do
      sleep 0.2
      if [ $kills -lt 4 ] && [ -n "$(squeue -h -t R)" ]; then
        node=$(($(random) % 4 + 1))
        slurm_kill $node
        kills=$((kills + 1))
        slurm_node $node
      fi
      ! "$batch" status slurm >status.log || break
    done
  done
  cat status.log
  stop
  "$batch" merge slurm -o slurm.db >/dev/null
  cmp one.db slurm.db
  echo "$kills nodes killed; the merged bytes are those of one run"
fi

echo
"$batch" audit one --percent 10
python3 - one.db <<'TEXT'
import sqlite3, sys
db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
rows, keys, frames = db.execute("SELECT count(*), count(DISTINCT key), count(DISTINCT frame_sha256) FROM unit").fetchone()
print(f"{rows} rows, {keys} units, {frames} frames: nothing is measured twice")
sys.exit(0 if rows == keys == frames else 1)
TEXT
echo "what-if results: $cell/one.db"
