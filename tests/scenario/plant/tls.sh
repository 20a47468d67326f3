#!/bin/sh
# datumd-plant, datumd-collect and RabbitMQ by TLS with certificates: what must be taken, and what must be refused, with the program's words. One
# line a case; exit status 1 where one is not as it must be. Usage: tls.sh BIN FOLDER; ports of loopback from DATUM_BROKER_PORT on
# (default 15672): clear, two of Erlang, TLS.
set -eu
bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../../.." && pwd)
port=${DATUM_BROKER_PORT:-15672}
rm -rf "$2"
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$folder"
"$tree/tests/scenario/plant/certificates.sh" certificates
"$tree/tests/scenario/demo.sh" "$bin" --keep "$folder/cell" >/dev/null
"$folder/cell/stop"
. "$tree/tests/scenario/demo_programs.sh"
trap stop EXIT INT TERM
listens() { ss -Hltn "sport = :$1" | grep -q .; }
DATUM_BROKER_TLS=$folder/certificates start broker.log "$tree/tests/scenario/plant/broker.sh" broker "$port"
until_true "the broker did not come up" listens $((port + 3))

failed=0
newest=$("$bin/datumctl" verify results --store cell/results.db | sed -n 's/^head \([0-9]*\):.*/\1/p')
# settings of [plant] in "$1"; the state begins anew
plant() {
  rm -rf state && mkdir state
  printf '[plant]\nhandle = "Datumd.VirtualCell.0001"\nmessages = "/amq/queue/cfx"\nentries = "/amq/queue/entries"\n%s\n\n[results]\n' "$1" >plant.part
  sed -e '/^\[results\]/{r plant.part
d}' cell/datumd.toml >cell/plant.toml
  start plant.log "$bin/datumd-plant" --config cell/plant.toml --state state
  program=$! log=plant.log
}
# settings of [broker] in "$1"; without a database it takes entries, and accepts none
collect() {
  printf '[broker]\nentries = "/amq/queue/entries"\n%s\n\n[database]\nhost = "%s"\nname = "none"\nuser = "none"\n' "$1" "$folder" >collect.toml
  start collect.log "$bin/datumd-collect" --config collect.toml
  program=$! log=collect.log
}
within() {  # command: at most 20 s
  for _ in $(seq 400); do
    ! "$@" 2>/dev/null || return 0
    sleep 0.05
  done
  return 1
}
sent() { grep -q "\"link\":$newest[,}]" state/position.json 2>/dev/null; }
said() { grep -qF "$words" "$log"; }
verdict() {  # case
  if [ "$good" = yes ]; then echo "as it must be: $1: $(grep -F "${words:-datumd}" "$log" | tail -n 1 | cut -c 1-220)"; else
    failed=1
    echo "NOT AS IT MUST BE: $1"
    cat "$log"
  fi
  kill $program 2>/dev/null || true
}
taken() {  # case settings
  words=
  plant "$2"
  good=yes
  within sent || good=no
  verdict "$1"
}
refused() {  # case words settings
  words=$2
  plant "$3"
  good=yes
  within said || good=no
  [ ! -e state/position.json ] || good=no
  verdict "$1"
}
collector() {  # case words settings: it says so; what refuses takes no entry
  words=$2
  collect "$3"
  good=yes
  within said || good=no
  [ "$2" = "$takes" ] || ! grep -qF "$takes" collect.log || good=no
  verdict "datumd-collect: $1"
}
takes="takes /amq/queue/entries from"
tls="url = \"amqps://localhost:$((port + 3))\""
ca="authority_file = \"$folder/certificates/plant.pem\""
own() { printf 'certificate_file = "%s"\nkey_file = "%s"' "$folder/certificates/$1.pem" "$folder/certificates/$1.key"; }
nl='
'
taken "a client certificate, SASL EXTERNAL" "$tls$nl$ca$nl$(own cell1)"
refused "a certificate that has expired" "it has expired" "$tls$nl$ca$nl$(own expired)"
refused "a certificate that is revoked" "it is revoked" "$tls$nl$ca$nl$(own revoked)"
refused "a certificate of another CA" "it is signed by another CA" "$tls$nl$ca$nl$(own foreign)"
refused "a certificate of nobody the broker knows" "amqp:unauthorized-access" "$tls$nl$ca$nl$(own nobody)"
refused "no certificate" "wants a client certificate" "$tls$nl$ca"
refused "the broker by a name that its certificate lacks" "IP address mismatch" "url = \"amqps://127.0.0.1:$((port + 3))\"$nl$ca$nl$(own cell1)"
refused "a broker of another CA" "no CA of plant.authority_file signed it" \
  "$tls${nl}authority_file = \"$folder/certificates/stranger.pem\"$nl$(own cell1)"
refused "a broker whose certificate is revoked" "certificate revoked" \
  "$tls$nl$ca${nl}crl_file = \"$folder/certificates/revoked-broker.crl\"$nl$(own cell1)"
taken "a broker that is not on the list" "$tls$nl$ca${nl}crl_file = \"$folder/certificates/plant.crl\"$nl$(own cell1)"
refused "a port without TLS" "without TLS" "url = \"amqps://localhost:$port\"$nl$ca$nl$(own cell1)"
echo guest >password
chmod 600 password
user="user = \"guest\"${nl}password_file = \"$folder/password\""
taken "a certificate below, a user above (SASL PLAIN)" "$tls$nl$ca$nl$(own cell1)$nl$user"
echo wrong >password
refused "a wrong password" "amqp:unauthorized-access" "$tls$nl$ca$nl$(own cell1)$nl$user"
chmod 644 password
refused "a password that others can read" "password is open to others" "$tls$nl$ca$nl$(own cell1)$nl$user"
chmod 644 certificates/cell1.key
refused "a key that others can read" "private key is open to others" "$tls$nl$ca$nl$(own cell1)"
chmod 600 certificates/cell1.key
collector "a client certificate, SASL EXTERNAL" "$takes" "$tls$nl$ca$nl$(own collect)"
collector "a broker that is not on the list" "$takes" "$tls$nl$ca${nl}crl_file = \"$folder/certificates/plant.crl\"$nl$(own collect)"
collector "a cell's certificate, which may not read" "access to queue 'entries'" "$tls$nl$ca$nl$(own cell1)"
collector "a certificate that has expired" "it has expired" "$tls$nl$ca$nl$(own expired)"
collector "a certificate that is revoked" "it is revoked" "$tls$nl$ca$nl$(own revoked)"
collector "a certificate of another CA" "it is signed by another CA" "$tls$nl$ca$nl$(own foreign)"
collector "no certificate" "wants a client certificate" "$tls$nl$ca"
collector "the broker by a name that its certificate lacks" "IP address mismatch" "url = \"amqps://127.0.0.1:$((port + 3))\"$nl$ca$nl$(own collect)"
collector "a broker of another CA" "no CA of broker.authority_file signed it" \
  "$tls${nl}authority_file = \"$folder/certificates/stranger.pem\"$nl$(own collect)"
collector "a broker whose certificate is revoked" "certificate revoked" \
  "$tls$nl$ca${nl}crl_file = \"$folder/certificates/revoked-broker.crl\"$nl$(own collect)"
collector "a list that is missing" "missing.crl" "$tls$nl$ca${nl}crl_file = \"$folder/missing.crl\"$nl$(own collect)"
collector "a port without TLS" "without TLS" "url = \"amqps://localhost:$port\"$nl$ca$nl$(own collect)"
# The broker reads its certificate anew for new connections when its cache is empty.
cp certificates/expired-broker.pem certificates/broker.pem
cp certificates/expired-broker.key certificates/broker.key
"$tree/tests/scenario/plant/broker.sh" broker "$port" eval 'ssl:clear_pem_cache().' >/dev/null
refused "a broker whose certificate has expired" "expired on 2020-02-01" "$tls$nl$ca$nl$(own cell1)"
collector "a broker whose certificate has expired" "expired on 2020-02-01" "$tls$nl$ca$nl$(own collect)"
exit $failed
