#!/bin/sh
# Certificates of a plant for a trial, by openssl, in FOLDER: a CA, its broker ("localhost") and its cells; and what goes wrong with
# them. crl/ has the CA's list of revoked clients in the form of Erlang's hash folder, revoked-broker.crl one that names the broker.
# Usage: certificates.sh FOLDER
set -eu
mkdir -p "$1/crl"
cd "$1"
umask 077
authority() {  # name
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.pem" -subj "/CN=$1" -days 30 \
    -addext keyUsage=critical,keyCertSign,cRLSign 2>/dev/null
  mkdir -p "$1.d"
  : >"$1.d/index"
  echo 01 >"$1.d/serial"
  echo 01 >"$1.d/crlnumber"
  cat >"$1.cnf" <<CNF
[ca]
default_ca = own
[own]
dir = $PWD/$1.d
database = $PWD/$1.d/index
serial = $PWD/$1.d/serial
crlnumber = $PWD/$1.d/crlnumber
new_certs_dir = $PWD/$1.d
certificate = $PWD/$1.pem
private_key = $PWD/$1.key
default_md = sha256
default_crl_days = 30
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
CNF
}
issue() {  # authority name CN [first and last day YYYYMMDD]
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$2.key" -out "$2.csr" -subj "/CN=$3" \
    ${names:+-addext "subjectAltName=$names"} 2>/dev/null
  openssl ca -batch -notext -config "$1.cnf" -in "$2.csr" -out "$2.pem" \
    -startdate "${4:-20200101}000000Z" -enddate "${5:-20991231}000000Z" 2>/dev/null
}
authority plant
authority stranger
names=DNS:localhost
issue plant broker localhost
issue plant expired-broker localhost 20200101 20200201
names=
issue plant cell1 cell1
issue plant collect guest
issue plant expired cell1 20200101 20200201
issue plant revoked cell1
issue plant nobody nobody
issue stranger foreign cell1
openssl ca -config plant.cnf -revoke revoked.pem 2>/dev/null
openssl ca -config plant.cnf -gencrl -out plant.crl 2>/dev/null
cp plant.crl "crl/$(openssl crl -in plant.crl -noout -hash).r0"
openssl ca -config plant.cnf -revoke broker.pem 2>/dev/null
openssl ca -config plant.cnf -gencrl -out revoked-broker.crl 2>/dev/null
