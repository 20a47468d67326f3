#!/bin/sh
# clang-tidy over the sources, by the checks of .clang-tidy. Usage:
#   tidy.sh BUILD [--tests | --all] [--change REV] [FILE...]
# The product's sources; --tests: the tests', --all: both. --change: of them those that differ from commit REV, and those
# whose header of the same name does. FILE: these alone. BUILD holds compile_commands.json, of clang.
# What was found clean is remembered in BUILD/tidy by what the compiler would see of it, so that a run that was
# interrupted goes on where it was and an unchanged file costs only its preprocessing. DATUM_JOBS: at once.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
tidy=${CLANG_TIDY:-clang-tidy}

if [ "${1:-}" = --one ]; then  # BUILD FILE: not known to be clean
  build=$2 file=$3
  seen=$(cd "$build" && python3 - "$file" <<'PY'
import json, shlex, sys
entry = next(e for e in json.load(open("compile_commands.json")) if e["file"] == sys.argv[1])
words = shlex.split(entry["command"])
words = words[next(i for i, w in enumerate(words) if "clang" in w):]
at = words.index("-o")
print(shlex.join(words[:at] + words[at + 2:]).replace(" -c ", " -E -P "))
PY
)
  key=$( (cd "$build" && sh -c "$seen" && cat "$root/.clang-tidy" && "$tidy" --version) 2>/dev/null | sha256sum | cut -c1-32)
  mkdir -p "$build/tidy/clean"
  [ ! -e "$build/tidy/clean/$key" ] || exit 0
  log=$build/tidy/$(echo "${file#"$root"/}" | tr / +).log
  if "$tidy" -quiet -p "$build" --config-file="$root/.clang-tidy" --warnings-as-errors='*' "$file" >"$log" 2>"$log.stderr"; then
    : >"$build/tidy/clean/$key"
    rm -f "$log" "$log.stderr"
    exit 0
  fi
  grep -v -e 'warnings treated as errors' "$log" || cat "$log.stderr"
  echo "tidy: ${file#"$root"/}: findings" >&2
  exit 1
fi

build=$(cd "$1" && pwd)
shift
what=product change='' files=
while [ $# -gt 0 ]; do
  case $1 in
    --tests) what=tests ;;
    --all) what=all ;;
    --change) change=$2; shift ;;
    -*) echo "tidy: unknown option '$1'; allowed: --tests, --all, --change REV" >&2; exit 2 ;;
    *) files="$files $1" ;;
  esac
  shift
done

list=$build/tidy/files
mkdir -p "$build/tidy"
sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u >"$list.all"
case $what in
  product) grep -v "^$root/tests/" "$list.all" ;;
  tests) grep "^$root/tests/" "$list.all" ;;
  all) cat "$list.all" ;;
esac >"$list"
if [ -n "$change" ]; then
  git -C "$root" diff --name-only "$change" -- | sed -n 's/\.\(cpp\|h\)$/.cpp/p' | sort -u | sed "s|^|$root/|" >"$list.changed"
  grep -Fxf "$list.changed" "$list" >"$list.some" || true
  mv "$list.some" "$list"
fi
if [ -n "$files" ]; then
  for file in $files; do
    grep -Fx "$root/${file#"$root"/}" "$list.all" || { echo "tidy: no source '$file'" >&2; exit 2; }
  done >"$list"
fi

echo "tidy: $(wc -l <"$list") files" >&2
status=0
xargs -r -P "${DATUM_JOBS:-$(nproc)}" -n 1 "$0" --one "$build" <"$list" || status=1
[ $status = 0 ] && echo "tidy: clean"
exit $status
