# Start of a demonstration's programs, and waiting for events; sourced in the cell's folder, whose path is $cell.
started=
stop() {
  # shellcheck disable=SC2086
  [ -z "$started" ] || kill $started 2>/dev/null || true
  wait 2>/dev/null || true
  started=
}
trap stop EXIT INT TERM
start() {  # log command...
  log=$1
  shift
  "$@" >"$log" 2>&1 &
  started="$started $!"
}
fail() {
  echo "demo: $1; see $cell/*.log" >&2
  cat ./*.log >&2
  exit 1
}
until_true() {  # what command...: waits for an event, at most a minute
  what=$1
  shift
  for _ in $(seq 1200); do
    ! "$@" >/dev/null 2>&1 || return 0
    sleep 0.05
  done
  fail "$what"
}
