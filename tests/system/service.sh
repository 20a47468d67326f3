# shellcheck shell=sh
# The service: it starts, measures, is watched, is reloaded, and refuses what it should.
started() {
  systemctl enable --quiet --now datumd.service
  [ "$(property datumd.service ActiveState)" = active ] && [ "$(property datumd.service Type)" = notify ] &&
    until_true says '^ARMED, recipe demo-board' property datumd.service StatusText
}
checked_as_its_user() {
  says ': good$' runuser -u datumd -- datumd --check-config --config /etc/datumd/datumd.toml
}
socket_commands() {
  says '^ARMED' datumctl send 'SYST:STAT?' && says 'PASS' datumctl results --last 1 --tcp 127.0.0.1:5025
}
serial_commands() {  # two adapters with a cable between them, or a pseudo-terminal where the machine has no USB
  cell=/dev/datumd/CELL host=/dev/datumd/HOST
  if [ ! -c $host ]; then
    cell=/run/cell-line host=/run/host-line
    systemd-run -q --unit=cable socat PTY,link=$cell,raw,echo=0,group=dialout,mode=660 PTY,link=$host,raw,echo=0
    until_true test -c $host && until_true test -c $cell || return
  fi
  printf '[host.serial]\npath = "%s"\nbaud = 115200\n' $cell >>/etc/datumd/datumd.toml
  systemctl restart datumd.service || return
  says '^ARMED' datumctl send 'SYST:STAT?' --serial $host || return
  socat -u "$host,raw,echo=0,b115200" "CREATE:$state/line" &
  listener=$!
  passes && until_true grep -q "^R,.*,$(boards),.*,PASS," $state/line
  heard=$?
  kill $listener
  return $heard
}
reload_good() {
  sed -i '0,/^tolerance_um = .*/s//tolerance_um = 123.0/' /etc/datumd/recipes/demo-board.toml
  systemctl reload datumd.service && until_true journal_says 'recipe demo-board changed' && passes
}
reload_bad() {
  cp /etc/datumd/recipes/demo-board.toml $state/good
  echo 'nonsense' >>/etc/datumd/recipes/demo-board.toml
  systemctl reload datumd.service
  until_true says '^IDLE' property datumd.service StatusText && says active property datumd.service ActiveState
  bad=$?
  cp $state/good /etc/datumd/recipes/demo-board.toml
  datumctl choose demo-board && datumctl arm && [ $bad = 0 ] && passes
}
refused_once() {  # with status 78, and not again
  fails systemctl restart "$1" && says '^78$' property "$1" ExecMainStatus &&
    says '^failed$' property "$1" ActiveState && says '^0$' property "$1" NRestarts
}
refused_configuration() {
  systemctl stop datumd.service
  echo 'unknown_key = 1' >>/etc/datumd/datumd.toml
  refused_once datumd.service && journal_says 'datumd.toml:[0-9]+:1: .*unknown_key'
  refused=$?
  sed -i '/^unknown_key/d' /etc/datumd/datumd.toml
  systemctl reset-failed datumd.service
  systemctl start datumd.service && [ $refused = 0 ] && passes
}

watchdog() {  # what of the process is stopped ends it, and another goes on with the next board
  before=$(property datumd.service MainPID)
  kill -STOP "$before"
  until_true sh -c "[ \"\$(systemctl show --value -p MainPID datumd.service)\" != $before ]"
  until_true says '^active$' property datumd.service ActiveState &&
    says '^1$' property datumd.service NRestarts && journal_says '[Ww]atchdog timeout' && passes
}

service_checks() {
  write_cell datumd 5025
  check "the configuration is good" checked_as_its_user
  check "the service starts and says that it is ready" started
  check "a board is dropped, measured, PASS and stored" passes
  check "commands over a socket are answered" socket_commands
  check "commands over a serial line are answered, and a result comes unasked" serial_commands
  check "a board with a component too high is a FAIL" measured_as FAIL height=L1:2700
  check "a reloaded recipe measures the next board" reload_good
  check "a recipe that is refused when reloaded disarms, and the service lives" reload_bad
  check "a refused configuration ends it with 78, once" refused_configuration
  check "what does not move is killed by the watchdog, and started again" watchdog
}
