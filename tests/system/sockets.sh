# shellcheck shell=sh
# Ports that systemd keeps open: nobody is refused while datumd restarts, and low ports need no privilege.
backlog() {  # what is asked of a daemon that is killed before it looks is answered by the next
  systemctl stop datumd.service
  systemctl enable --quiet --now datumd.socket && systemctl restart datumd.service || return
  systemctl kill -s STOP datumd.service
  datumctl send 'SYST:STAT?' --timeout-ms 60000 >$state/answer 2>&1 &
  asked=$!
  until_true grep -q ':13A1 .* 01 ' /proc/net/tcp  # port 5025, connected
  systemctl kill -s KILL datumd.service
  wait $asked
  says '^ARMED' cat $state/answer
}
knocked() {  # a host that connects starts it
  systemctl stop datumd.service
  says inactive property datumd.service ActiveState && says '^ARMED' datumctl send 'SYST:STAT?' --timeout-ms 60000
}
one_listener() {
  says '^1$' grep -c ':13A1 00000000:0000 0A ' /proc/net/tcp
}
disagreement() {
  systemctl stop datumd.service datumd.socket
  sed -i 's/^port = 5025$/port = 5026/' /etc/datumd/datumd.toml
  systemctl start datumd.socket
  fails systemctl start datumd.service && says '^78$' property datumd.service ExecMainStatus &&
    journal_says '127.0.0.1:5026: the socket that was handed over listens at 127.0.0.1:5025'
  result=$?
  sed -i 's/^port = 5026$/port = 5025/' /etc/datumd/datumd.toml
  systemctl reset-failed datumd.service datumd.socket
  systemctl start datumd.socket datumd.service && return $result
}
low_port() {  # 502, as PLCs expect Modbus
  printf '[host.modbus_tcp]\nport = 502\n' >>/etc/datumd/datumd.toml
  fails systemctl restart datumd.service && journal_says 'Permission denied' || return
  mkdir -p /etc/systemd/system/datumd-modbus.socket.d
  printf '[Socket]\nListenStream=\nListenStream=127.0.0.1:502\n' >/etc/systemd/system/datumd-modbus.socket.d/port.conf
  systemctl daemon-reload
  systemctl reset-failed datumd.service
  systemctl enable --quiet --now datumd-modbus.socket && systemctl restart datumd.service &&
    says '^0001 0000 0005 01 03 02' modbus_read
  result=$?
  systemctl disable --quiet --now datumd-modbus.socket
  sed -i '/^\[host.modbus_tcp\]$/,/^port = 502$/d' /etc/datumd/datumd.toml
  systemctl restart datumd.service && return $result
}
modbus_read() {  # one holding register, as a PLC asks for it
  printf '\000\001\000\000\000\006\001\003\000\000\000\001' | socat -t 5 - TCP:127.0.0.1:502 | od -An -tx1 -v |
    tr -d ' \n' | sed 's/\(....\)\(....\)\(....\)\(..\)\(..\)\(..\)/\1 \2 \3 \4 \5 \6 /'
}

sockets_checks() {
  check "a host that asks while datumd restarts is answered" backlog
  check "a host that connects starts it" knocked
  check "one listener" one_listener
  check "a socket elsewhere than the configuration says is refused with 78" disagreement
  check "Modbus on port 502 by its socket unit, and only so" low_port
}
