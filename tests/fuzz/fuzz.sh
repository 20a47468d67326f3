#!/bin/sh
# Runs libFuzzer programs until each has made its executions, and says what was found. Usage:
#   fuzz.sh BUILD [TARGET...] [--runs N] [--seconds S] [--keep]
# Executions are counted in BUILD/fuzz, so that a run that was interrupted goes on where it was. --keep: inputs that reach
# code which those of tests/fuzz/corpus do not reach are added to them. --seconds: no target takes longer this time.
set -eu
build=$(cd "$1" && pwd)
shift
kept=$(cd "$(dirname "$0")" && pwd)/corpus
work=$build/fuzz
runs=10000000 seconds=0 keep= targets=
slice=200000  # executions of one process; an interruption loses at most this
while [ $# -gt 0 ]; do
  case $1 in
    --runs) runs=$2; shift ;;
    --seconds) seconds=$2; shift ;;
    --keep) keep=yes ;;
    -*) echo "fuzz: unknown option '$1'; allowed: --runs N, --seconds S, --keep" >&2; exit 2 ;;
    *) targets="$targets $1" ;;
  esac
  shift
done
for number in "$runs" "$seconds"; do
  case $number in '' | *[!0-9]*) echo "fuzz: '$number': a whole number is wanted" >&2; exit 2 ;; esac
done
[ -n "$targets" ] || targets=$(cd "$build/bin" && ls fuzz_* | sed 's/^fuzz_//')

done_of() { cat "$work/done/$1" 2>/dev/null || echo 0; }
findings_of() { find "$work/findings" -name "$1-*" ! -name '*-slow-unit-*' | wc -l; }
stat_of() { sed -n "s/^stat::$1: *//p" "$2" | tail -n 1; }

longest() {  # target: largest size of an input in bytes; longer ones find nothing new
  case $1 in
    design_*) echo 65536 ;;  # a board of a few parts
    bundle) echo 8192 ;;  # a manifest and a recipe
    calibration_journal | toml_fringe | tls_gate | *_log) echo 4096 ;;
    model_file | study_tables | toml_* | tiff | png | gocator_csv | sidecar | set_sidecar | tls_certificate | verdict_json) echo 1536 ;;
    gpu_wire | stage_wire | scpi_session | metrics_request | sign*) echo 768 ;;
    *) echo 192 ;;
  esac
}

leaks() {  # target: state of a session looks like a leak of each input, and the search for it costs most of the time
  case $1 in scpi_session | gocator_host | sign_socket | tls_*) echo 0 ;; *) echo 1 ;; esac
}

fuzz() {  # target, seconds (0: any): one slice; false after a finding
  mkdir -p "$kept/$1"
  made=$(done_of "$1")
  left=$((runs - made))
  [ $left -lt $slice ] || left=$slice
  log=$work/$1.log status=0
  "$build/bin/fuzz_$1" -runs=$left -max_total_time="$2" -seed=$((made / slice + 1)) -max_len="$(longest "$1")" -detect_leaks="$(leaks "$1")" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$work/findings/$1-" "$work/corpus/$1" "$kept/$1" >"$log" 2>&1 || status=$?
  executed=$(stat_of number_of_executed_units "$log")
  echo $((made + ${executed:-0})) >"$work/done/$1"
  speed=$(stat_of average_exec_per_sec "$log")
  echo "${speed:-0}" >"$work/speed/$1"
  return $status
}

keep() {  # target: keeps inputs that reach new code
  mkdir -p "$kept/$1"
  "$build/bin/fuzz_$1" -merge=1 -use_counters=0 -max_len="$(longest "$1")" "$kept/$1" "$work/corpus/$1" >"$work/$1.merge.log" 2>&1
}

mkdir -p "$work/done" "$work/speed" "$work/findings"
for target in $targets; do
  [ -x "$build/bin/fuzz_$target" ] || { echo "fuzz: no target '$target'; there are:" $(cd "$build/bin" && ls fuzz_* | sed 's/^fuzz_//') >&2; exit 2; }
  mkdir -p "$work/corpus/$target"
  end=$(($(date +%s) + seconds))
  while [ "$(done_of "$target")" -lt "$runs" ]; do
    rest=$((end - $(date +%s)))
    if [ "$seconds" -eq 0 ]; then rest=0; elif [ $rest -le 0 ]; then break; fi
    fuzz "$target" $rest || { echo "fuzz: $target: see $work/$target.log" >&2; break; }
  done
  [ -z "$keep" ] || keep "$target"
done

found=0
printf '%-22s %12s %8s %9s %7s\n' target executions exec/s findings corpus
for target in $targets; do
  n=$(findings_of "$target")
  found=$((found + n))
  printf '%-22s %12s %8s %9s %7s\n' "$target" "$(done_of "$target")" "$(cat "$work/speed/$target" 2>/dev/null || echo -)" \
    "$n" "$(find "$kept/$target" -type f | wc -l)"
done
[ $found -eq 0 ] || { echo "fuzz: findings are in $work/findings" >&2; exit 1; }
