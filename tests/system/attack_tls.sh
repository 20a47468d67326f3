# shellcheck shell=sh
# TLS on the command port: strangers, roles, revocation, bytes before and after the handshake.
tls=/etc/datumd/tls

certificate() {  # NAME PURPOSE [CA] [MORE...]: of the CA in that file
  name=$1 purpose=$2 ca=${3:-ca}
  shift 2
  [ $# = 0 ] || shift
  openssl req -x509 -CA $tls/$ca.crt -CAkey $tls/$ca.key -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 825 \
    -subj "/CN=${name%%-*}" -addext basicConstraints=critical,CA:FALSE -addext "extendedKeyUsage=$purpose" "$@" \
    -keyout "$tls/$name.key" -out "$tls/$name.crt" 2>/dev/null
}
authority() {  # FILE NAME
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=$2" -keyout "$tls/$1.key" \
    -out "$tls/$1.crt" 2>/dev/null
}
revocation() {  # [CERTIFICATE]: the list, with that one on it
  [ -z "${1:-}" ] || openssl ca -config $tls/ca.cnf -revoke "$tls/$1.crt" 2>/dev/null
  openssl ca -config $tls/ca.cnf -gencrl -out $tls/new.crl 2>/dev/null && chmod 0644 $tls/new.crl && mv $tls/new.crl $tls/ca.crl
}
certificates() {
  rm -rf $tls
  install -d -m 0755 $tls
  authority ca "cell CA" && authority other "other CA" || return
  certificate cell serverAuth ca -addext subjectAltName=DNS:cell-7,IP:127.0.0.1 || return
  for host in engineer reader leaver stayer untabled; do certificate $host clientAuth || return; done
  certificate engineer-other clientAuth other && certificate engineer-server serverAuth || return
  printf '%s\n' '[ca]' 'default_ca = cell' '[cell]' "database = $tls/index" "crlnumber = $tls/number" 'default_md = sha256' \
    'default_crl_days = 30' "certificate = $tls/ca.crt" "private_key = $tls/ca.key" >$tls/ca.cnf
  : >$tls/index
  echo 01 >$tls/number
  revocation && chown datumd $tls/cell.key && chmod 0644 $tls/*.crt
}
cell_of_certificates() {
  certificates || { echo "no certificates"; return 1; }
  set -- '[host.tcp.tls]' "certificate = \"$tls/cell.crt\"" "key = \"$tls/cell.key\"" "client_ca = \"$tls/ca.crt\"" "crl = \"$tls/ca.crl\""
  for host in engineer:configure reader:read leaver:operate stayer:operate; do
    set -- "$@" '[[host.tcp.tls.client]]' "name = \"${host%:*}\"" "role = \"${host#*:}\""
  done
  cell_with "$@" && tls_ctl engineer status >/dev/null
}
tls_ctl() {  # WHO COMMAND...; nobody: without a certificate
  who=$1
  shift
  [ "$who" = nobody ] || set -- "$@" --tls-cert "$tls/$who.crt" --tls-key "$tls/$who.key"
  timeout 60 datumctl "$@" --tcp 127.0.0.1:5025 --tls-ca $tls/ca.crt
}
kept_out() {  # WHO...: none of them is told what the cell does
  for stranger in "$@"; do
    ! tls_ctl "$stranger" status >/tmp/told 2>&1 || { echo "$stranger gets in"; return 1; }
    ! grep -q ARMED /tmp/told || { echo "$stranger is told the state"; return 1; }
  done
}
strangers_kept_out() { kept_out nobody engineer-other engineer-server untabled && fails datumctl status; }
engineer_kept_out() { kept_out engineer; }

revoked_out() {  # WHO COMMAND: who got in, is revoked, and gets in no more after it
  tls_ctl "$1" status >/dev/null || { echo "$1 never got in"; return 1; }
  revocation "$1" && "$2" && kept_out "$1"
}
reloaded() { systemctl reload datumd.service && tls_ctl engineer status >/dev/null; }
revoked() { revoked_out leaver reloaded; }
revoked_unread() { revoked_out stayer true; }

only_reads() {  # WHO is answered, and changes nothing
  tls_ctl "$1" status >/dev/null || { echo "$1 is not answered"; return 1; }
  for order in 'ABOR' 'CONF:REC "demo-board"' 'SYST:LOCK:FORC' 'MMEM:DEL "demo-board"' 'DATA:REPL 1'; do
    tls_ctl "$1" send "$order" >/dev/null 2>&1
  done
  says '^ARMED' property datumd.service StatusText && [ -e /var/lib/datumd/recipes/demo-board.toml ]
}
reader_only_reads() { only_reads reader; }
engineer_only_reads() { only_reads engineer; }

# Hellos of a stranger that are never ended, while a host with a certificate is answered within 5 s, or so many ms.
answered_meanwhile() {
  from=$(date +%s%3N)
  tls_ctl engineer status >/dev/null || { echo "the engineer is not answered"; return 1; }
  took=$(($(date +%s%3N) - from))
  echo "answered after $took ms"
  [ $took -lt "${1:-5000}" ]
}
half_hellos() {
  attack address 192.0.2.1 || return
  runuser -u nobody -- perl /payload/attack.pl hellos 5025 192.0.2.1 60 20 &
  holder=$!
  until_true sh -c '[ "$(grep -c ":13A1 .* 01 " /proc/net/tcp)" -ge 8 ]'
  answered_meanwhile && unharmed true
  answered=$?
  kill $holder
  wait $holder
  return $answered
}
# A flood of hellos by another account of this computer, over loopback: root comes from a reserved port, a third account does not.
in_a_local_flood() {  # COMMAND
  runuser -u nobody -- perl /payload/attack.pl hellos 5025 127.0.0.1 60 60 &
  holder=$!
  until_true sh -c '[ "$(grep -c ":13A1 .* 01 " /proc/net/tcp)" -ge 8 ]'
  for _ in 1 2 3; do
    "$@"
    answered=$?
    [ $answered = 0 ] || break
  done
  kill $holder
  wait $holder
  return $answered
}
# Flood and daemon share the processors: longer than over the network.
local_flood() { in_a_local_flood answered_meanwhile 20000 && unharmed true; }
local_flood_of_an_account() {  # with the engineer's certificate, so that the port alone makes the difference
  account=$(mktemp -d)
  cp $tls/ca.crt $tls/engineer.crt $tls/engineer.key "$account" && chown -R daemon "$account" || return 0
  in_a_local_flood runuser -u daemon -- timeout 20 datumctl status --tcp 127.0.0.1:5025 --tls-ca "$account/ca.crt" \
    --tls-cert "$account/engineer.crt" --tls-key "$account/engineer.key"
  answered=$?
  rm -r "$account"
  return $answered
}
stopped_meanwhile() {
  (systemctl kill -s STOP datumd.service; sleep 7; systemctl kill -s CONT datumd.service) &
  sleep 0.5
  answered_meanwhile
}

garbage() {
  runuser -u nobody -- perl /payload/attack.pl noise 5025 60
  # After a good handshake: bytes that are no commands, and a wish for new keys where there are none (TLS 1.2).
  { head -c 300000 /dev/urandom; echo; } | tls_client -tls1_3 -ign_eof
  { sleep 1; echo R; sleep 2; } | tls_client -tls1_2
  { sleep 1; echo K; sleep 1; echo k; sleep 2; } | tls_client -tls1_3
  tls_ctl engineer status >/dev/null
}
tls_client() {
  timeout 20 openssl s_client -connect 127.0.0.1:5025 -CAfile $tls/ca.crt -cert $tls/reader.crt -key $tls/reader.key "$@" >/dev/null 2>&1 || true
}
garbage_survived() { unharmed garbage; }
