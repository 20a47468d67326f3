# shellcheck shell=sh
# Checks in the booted system: sourced by checks.sh.
state=/var/lib/checks
mkdir -p "$state"

# Lines for whoever booted this: the console is the way out of every kind of machine.
tell() {
  sed 's/^/checks| /' >/dev/console
}

# check NAME COMMAND...: one line, and what the command said where it failed.
check() {
  name=$1
  shift
  if said=$("$@" 2>&1); then
    echo "ok      $name" | tell
    echo x >>"$state/passed"
  else
    { echo "FAILED  $name"; echo "$said" | tail -n 30 | sed 's/^/        /'; } | tell
    echo x >>"$state/failed"
  fi
}

count() {
  wc -l 2>/dev/null <"$state/$1" || echo 0
}

uptime_s() {
  cut -d . -f 1 /proc/uptime
}

# until_true COMMAND...: an event awaited, at most a minute.
until_true() {
  until=$(($(uptime_s) + 60))
  while [ "$(uptime_s)" -lt $until ]; do
    ! "$@" >/dev/null 2>&1 || return 0
    sleep 0.1
  done
  echo "not within a minute: $*"
  "$@"
  return 1
}

# says PATTERN COMMAND...: the command succeeds and a line of its output matches.
says() {
  pattern=$1
  shift
  output=$("$@" 2>&1) || { echo "$* ended with $?: $output"; return 1; }
  echo "$output" | grep -Eq -- "$pattern" || { echo "no '$pattern' in: $output"; return 1; }
}

fails() {
  ! "$@"
}

property() {  # UNIT NAME
  systemctl show --value -p "$2" "$1"
}

store=/var/lib/datumd/results.db
stored() {  # every result of the cell
  datumctl results --last 100000 --json --store $store
}
boards() {  # how many results are stored: [CELL]
  datumctl results --last 100000 --json --store "/var/lib/datumd/${1:-.}/results.db" | grep -c '"sequence"'
}
boards_are() {  # NUMBER [CELL]
  [ "$(boards "${2:-.}")" = "$1" ]
}
journal_says() {  # PATTERN, of this boot
  sync
  journalctl -b -q --no-pager -o cat -u datumd.service | grep -Eq -- "$1"
}

examples=/usr/share/doc/datumd/examples

# A cell as its engineer writes it: cell NAME PORT.
write_cell() {
  lib=/var/lib/datumd
  [ "$1" = datumd ] || lib=/var/lib/datumd/$1
  mkdir -p /etc/datumd
  cp -r $examples/sensors $examples/recipes $examples/calibrations $examples/twins /etc/datumd
  cat >"/etc/datumd/$1.toml" <<TOML
schema = 1
cell = "$1"
[sensor]
profile = "sensors/virtual.toml"
drop_folder = "$lib/drop"
[inspection]
recipes_folder = "recipes"
calibrations_folder = "calibrations"
calibration = "demo-cell-2026-01"
recipe = "demo-board"
trigger = "on_frame"
arm_at_start = true
[results]
store_file = "$lib/results.db"
[host.tcp]
port = $2
push_results = true
TOML
}

# One board of the virtual sensor, each with a number of its own: drop CELL [BOARD].
drop() {
  lib=/var/lib/datumd
  [ "$1" = datumd ] || lib=/var/lib/datumd/$1
  echo x >>"$state/dropped"
  virtual-sensor --recipe $examples/recipes/demo-board.toml --twin $examples/twins/demo.toml \
    --calibration $examples/calibrations/demo.toml --drop "$lib/drop" --board "${2:-good}" \
    --seed "$(count dropped)" --frame-id "$(count dropped)"
}

# One board is dropped, and is the next result: measured_as DECISION [BOARD].
measured_as() {
  next=$(($(boards) + 1))
  drop datumd "${2:-good}" && until_true boards_are $next &&
    says "^ *$next .* $1 " datumctl results --last 1 --store $store
}
passes() {
  measured_as PASS
}
