#!/bin/sh
# Lines of the product that a run of the tests went through: by folder, and the files with most lines untouched. Usage:
#   coverage.sh BUILD [--least PERCENT] [--worst N]
# BUILD was compiled with --coverage. The daemons that tests start count too, as far as they end by themselves: a process
# that is killed takes its counters along. Left out: what stands in for CUDA where there is none, and what this processor
# can't run.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
least=0 worst=25
while [ $# -gt 0 ]; do
  case $1 in
    --least) least=$2 ;;
    --worst) worst=$2 ;;
    *) echo "coverage: unknown option '$1'; allowed: --least PERCENT, --worst N" >&2; exit 2 ;;
  esac
  shift 2
done
for number in "$least" "$worst"; do
  case $number in '' | *[!0-9]*) echo "coverage: '$number': a whole number is wanted" >&2; exit 2 ;; esac
done

table=$build/coverage.csv
set -- --exclude '.*_absent\.cpp$'
grep -q avx512f /proc/cpuinfo || set -- "$@" --exclude '.*avx512.*'
(cd "$build" && gcovr -r "$root" --object-directory . -j "$(nproc)" --gcov-ignore-parse-errors \
  --filter "$root/(calib|config|daemon|drivers|gpu)/" "$@" --csv "$table" .) >"$build/coverage.log" 2>&1 || {
  tail -n 20 "$build/coverage.log" >&2
  exit 1
}

awk -F, -v least="$least" -v worst="$worst" '
  NR == 1 { next }
  {
    n = split($1, part, "/")
    folder = n > 2 ? part[1] "/" part[2] : part[1]
    lines[folder] += $2; covered[folder] += $3; all += $2; all_covered += $3
    missed[$1] = $2 - $3; of[$1] = $2
  }
  END {
    printf "%-28s %8s %8s %7s\n", "folder", "lines", "missed", "%"
    sort = "sort"
    for (f in lines) printf "%-28s %8d %8d %7.1f\n", f, lines[f], lines[f] - covered[f], 100 * covered[f] / lines[f] | sort
    close(sort)
    percent = all ? 100 * all_covered / all : 0
    printf "%-28s %8d %8d %7.1f\n\n", "all", all, all - all_covered, percent
    printf "%-58s %8s %8s\n", "files with most lines untouched", "lines", "missed"
    sort = "sort -k3,3nr -k1,1 | head -n " worst
    for (f in missed) if (missed[f] > 0) printf "%-58s %8d %8d\n", f, of[f], missed[f] | sort
    close(sort)
    if (percent < least) { printf "\ncoverage: %.1f %% of lines, at least %d %% are wanted\n", percent, least; exit 1 }
  }' "$table"
