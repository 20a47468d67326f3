#!/bin/sh
# PostgreSQL of Debian without systemd, its data, socket and log in FOLDER, for tests and demonstrations. The account "collect" owns the
# database "plant"; by the socket it needs no password, by 127.0.0.1:PORT (none: no network at all) that of FOLDER/password. PostgreSQL
# refuses root: then it runs as the account "postgres", which must reach FOLDER. `kill` is a crash: the next start recovers.
# Usage: database.sh start|stop|kill FOLDER [PORT]; OPTIONS are further ones of postgres. Exit status 2: there is no PostgreSQL.
set -eu
folder=$(mkdir -p "$2" && cd "$2" && pwd)
port=${3:-}
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -x "$bin/initdb" ] || { echo "database.sh: no PostgreSQL; install postgresql" >&2; exit 2; }
cd "$folder"
as_owner() { if [ "$(id -u)" = 0 ]; then setpriv --reuid postgres --regid postgres --clear-groups "$@"; else "$@"; fi; }
case $1 in
  start)
    [ "$(id -u)" != 0 ] || chown postgres:postgres "$folder"
    if [ ! -e data ]; then
      [ -e password ] || (umask 077 && head -c 18 /dev/urandom | base64 >password)
      [ "$(id -u)" != 0 ] || chown postgres:postgres password
      as_owner "$bin/initdb" -D data -U collect -E UTF8 --locale=C.UTF-8 --auth-local=trust --auth-host=scram-sha-256 \
        --pwfile=password --no-sync >initdb.log 2>&1 || { cat initdb.log >&2; exit 1; }
    fi
    listen=
    [ -z "$port" ] || listen=127.0.0.1
    as_owner "$bin/pg_ctl" -D data -l log -w -t 60 -o "-k $folder -c listen_addresses='$listen' -p ${port:-5432} ${OPTIONS:-}" start \
      >start.log 2>&1 || { cat start.log log >&2; exit 1; }
    as_owner "$bin/psql" -h "$folder" -p "${port:-5432}" -U collect -d postgres -qtc \
      "SELECT 1 FROM pg_database WHERE datname = 'plant'" | grep -q 1 ||
      as_owner "$bin/createdb" -h "$folder" -p "${port:-5432}" -U collect plant
    ;;
  stop) as_owner "$bin/pg_ctl" -D data -w -m fast stop >/dev/null ;;
  kill) as_owner "$bin/pg_ctl" -D data -w -m immediate stop >/dev/null ;;
  *) echo "database.sh: start, stop or kill" >&2; exit 64 ;;
esac
