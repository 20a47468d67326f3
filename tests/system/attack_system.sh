# shellcheck shell=sh
# The package in its system: programs, accounts, memory, networks, the support bundle.
hardened() {
  for program in datumd datumctl datumd-parse datumd-gpu; do
    [ ! -e "/usr/bin/$program" ] || attack elf "/usr/bin/$program" || return
  done
}
not_hardened() { attack elf /sbin/ldconfig; }

other_cell() {
  [ -e /etc/datumd/right.toml ] || two_cells || return
  apart
}
other_cell_opened() {
  chmod o+rx /var/lib/datumd/right
  chmod o+r /var/lib/datumd/right/results.db
  other_cell
  closed=$?
  chmod o-rx /var/lib/datumd/right /var/lib/datumd/right/results.db
  return $closed
}

fenced() {  # PATTERN COMMAND...: under those lines of the unit's file
  pattern=$1
  shift
  while read -r line; do
    case $line in  # systemd-run takes addresses one by one
      '') ;;
      IPAddress*) for address in ${line#*=}; do set -- -p "${line%%=*}=$address" "$@"; done ;;
      *) set -- -p "$line" "$@" ;;
    esac
  done <<FENCES
$(grep -E "$pattern" /usr/lib/systemd/system/datumd.service | tac)
FENCES
  systemd-run -q --wait --pipe -p User=datumd "$@" </dev/null
}
closed_off() {  # PATTERN of the unit's lines that hold
  says 'Operation not permitted' fenced "$1" perl /payload/attack.pl memory 1 &&
    says 'not permitted|timed out' fenced "$1" perl /payload/attack.pl reach 192.0.2.1:80
}
own_memory_and_network() {
  attack address 192.0.2.1 || return
  closed_off '^(SystemCall|IPAddress)'
}
no_fences() { closed_off '^SystemCall'; }  # memory closed, the network open

bundle_without() {  # TEXT
  rm -f /tmp/bundle.zip
  datumctl support --output /tmp/bundle.zip >/dev/null || return
  attack zip /tmp/bundle.zip >/tmp/bundle.txt
  grep -q MANIFEST /tmp/bundle.txt || { echo "no bundle"; return 1; }
  ! grep -n "$1" /tmp/bundle.txt
}
bundle() {
  datumctl unit SECRET-4711 || return
  next=$(($(boards) + 1))
  frames=$(mktemp -d)
  virtual-sensor --recipe $examples/recipes/demo-board.toml --twin $examples/twins/demo.toml \
    --calibration $examples/calibrations/demo.toml --drop "$frames" --seed 4711 --frame-id 4711
  for file in "$frames"/*4711*; do mv "$file" "/var/lib/datumd/drop/$(basename "$file")"; done
  rmdir "$frames"
  until_true boards_are $next && bundle_without SECRET-4711 && bundle_without 004711
}
bundle_of_a_recipe() { bundle_without demo-board; }
