# shellcheck shell=sh
# Hosts on the network and on lines, terminals, tables.
asked_while_held() {  # ACCOUNT holds what places it gets; is root's datumctl answered?
  runuser -u "$1" -- perl /payload/attack.pl hold 5025 127.0.0.1 12 25 &
  holder=$!
  until_true sh -c '[ "$(grep -c ":13A1 .* 01 " /proc/net/tcp)" -ge 8 ]'
  datumctl status >/dev/null
  answered=$?
  kill $holder
  wait $holder
  until_true sh -c '[ "$(grep -c ":13A1 .* 01 " /proc/net/tcp)" -eq 0 ]'
  return $answered
}
places_held() { asked_while_held nobody; }
places_held_by_root() { asked_while_held root; }

cell_of_a_line() {  # ROLE of TCP where control is the serial line's
  systemctl stop attacked-line 2>/dev/null
  systemd-run -q --unit=attacked-line socat PTY,link=/run/cell-line,raw,echo=0,group=dialout,mode=660 \
    PTY,link=/run/host-line,raw,echo=0
  until_true test -c /run/host-line && until_true test -c /run/cell-line &&
    cell_with "role = \"$1\"" '[host]' 'control = "serial"' '[host.serial]' 'path = "/run/cell-line"' 'baud = 115200'
}
forced() {  # ROLE
  cell_of_a_line "$1" || { echo "no cell"; return 1; }
  fails datumctl choose demo-board >/dev/null 2>&1 || { echo "control is not the line's"; return 1; }
  datumctl send 'SYST:LOCK:FORC' 2>&1
  datumctl send 'SYST:LOCK:OWN?;:SYST:ERR:ALL?'
  fails datumctl send 'SYST:LOCK:FORC;:CONF:REC "demo-board"'
}
forced_out() { forced operate; }
forced_by_role() { forced configure; }

no_formula() { ! grep -Eq '(^|,)"?[=+@]' "$1"; }
formula() {
  datumctl unit "=cmd|' /C calc'!A0" && passes && datumctl export --rows boards --output /tmp/units.csv --store $store || return
  grep -q 'cmd|' /tmp/units.csv || { echo "the unit is not in the table"; return 1; }
  no_formula /tmp/units.csv
}
raw_formula() {
  echo "1,=cmd|' /C calc'!A0,PASS" >/tmp/raw.csv
  no_formula /tmp/raw.csv
}

from_hostile_daemon() {  # COMMAND...: what reaches the terminal of datumctl has no escape
  systemctl stop attacked-daemon 2>/dev/null
  systemd-run -q --unit=attacked-daemon perl /payload/attack.pl serve 6025
  until_true grep -q ':1789 00000000:0000 0A ' /proc/net/tcp
  "$@" >$state/terminal 2>&1
  systemctl stop attacked-daemon
  grep -q owned $state/terminal || { echo "nothing arrived"; cat $state/terminal; return 1; }
  ! LC_ALL=C grep -q "$(printf '\033')" $state/terminal
}
terminal() {
  from_hostile_daemon script -qec "datumctl send 'SYST:STAT?' --tcp 127.0.0.1:6025 --timeout-ms 20000" /dev/null
}
no_terminal() {  # a pipe gets the bytes as they are
  from_hostile_daemon datumctl send 'SYST:STAT?' --tcp 127.0.0.1:6025 --timeout-ms 20000
}

scrape() { most=$(attack halves 9476 40) && echo "$most ms" && [ "$most" -lt 5000 ]; }
stopped_scrape() {
  systemctl kill -s STOP datumd.service
  (sleep 7; systemctl kill -s CONT datumd.service) &
  scrape
}
