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

boards() {  # how many results are stored[cell]
  datumctl results --last 100000 --json --store "/var/lib/datumd/${1:-.}/results.db" | grep -c '"sequence"'
}
boards_are() {  # NUMBER [cell]
  [ "$(boards "${2:-.}")" = "$1" ]
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

# One board of the virtual sensor: drop CELL NUMBER [BOARD].
drop() {
  lib=/var/lib/datumd
  [ "$1" = datumd ] || lib=/var/lib/datumd/$1
  virtual-sensor --recipe $examples/recipes/demo-board.toml --twin $examples/twins/demo.toml \
    --calibration $examples/calibrations/demo.toml --drop "$lib/drop" --board "${3:-good}" --seed "$2" --frame-id "$2"
}

last_is() {  # DECISION
  datumctl results --last 1 --store /var/lib/datumd/results.db | tail -n 1 | grep -q " $1 "
}
