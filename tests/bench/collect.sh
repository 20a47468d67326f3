#!/bin/sh
# The collector's rates: boards a second into PostgreSQL beside a plain COPY, then simulated cells by way of a broker with the time from a board's
# measurement to its commit. Usage: collect.sh BIN [--seconds S] [--cells N] [--boards N]; --boards 0: the cells alone
set -eu
bin=$(cd "$1" && pwd)
shift
seconds=60 cells=1000 boards=6000
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2 ;;
    --cells) cells=$2 ;;
    --boards) boards=$2 ;;
    *) echo "collect.sh: --seconds, --cells or --boards" >&2; exit 64 ;;
  esac
  shift 2
done
tree=$(cd "$(dirname "$0")/../.." && pwd)
cell=$(mktemp -d "${TMPDIR:-/tmp}/datum-bench-XXXXXX")
chmod 711 "$cell"
cd "$cell"
port=${DATUM_BROKER_PORT:-15772}
. "$tree/tests/scenario/demo_programs.sh"
trap 'stop; "$tree/tests/scenario/plant/database.sh" kill "$cell/pg" 2>/dev/null || true; rm -rf "$cell"' EXIT INT TERM
OPTIONS="-c track_commit_timestamp=on -c max_wal_size=4GB -c shared_buffers=512MB" "$tree/tests/scenario/plant/database.sh" start "$cell/pg"
echo "processors: $(nproc), load before: $(cut -d ' ' -f 1 /proc/loadavg)"
[ "$boards" = 0 ] || "$bin/bench_collect" --host "$cell/pg" --boards "$boards"
echo
ask() { psql -h "$cell/pg" -U collect -d plant -qAt -v ON_ERROR_STOP=1 -c "SET search_path = datum" -c "$1"; }
PGOPTIONS="-c client_min_messages=warning" psql -h "$cell/pg" -U collect -d plant -qc "DROP SCHEMA IF EXISTS datum CASCADE"
start broker.log "$tree/tests/scenario/plant/broker.sh" broker "$port"
until_true "the broker did not come up" sh -c "ss -Hltn 'sport = :$port' | grep -q ."
(umask 077 && echo guest >password)
cat >collect.toml <<TOML
[broker]
url = "amqp://127.0.0.1:$port"
entries = "/amq/queue/entries"
user = "guest"
password_file = "password"
[database]
host = "$cell/pg"
name = "plant"
user = "collect"
TOML
start collect.log "$bin/datumd-collect" --config collect.toml
sleep 1
until_true "the collector did not come up" grep -q "^<6>datumd-collect: takes" collect.log
"$bin/collect_cells" --url "amqp://127.0.0.1:$port" --address /amq/queue/entries --password-file password --cells "$cells" --seconds "$seconds"
total=$((cells * seconds / 20))
until_true "not all boards came" sh -c "psql -h '$cell/pg' -U collect -d plant -qAtc 'SELECT count(*) FROM datum.board' | grep -qx $total"
echo "$cells cells, a board of 200 measurements each 20 s, $seconds s: $(ask "SELECT count(*) || ' boards, ' || (SELECT count(*) FROM gaps) || ' gaps, ' || (SELECT count(*) FROM alarm) || ' alarms' FROM board")"
ask "SELECT 'measurement to commit: median ' || round(p[1]::numeric, 2) || ' s, p99 ' || round(p[2]::numeric, 2) || ' s, largest ' || round(p[3]::numeric, 2) || ' s'
  FROM (SELECT percentile_disc(ARRAY[0.5, 0.99, 1]) WITHIN GROUP (ORDER BY extract(epoch FROM pg_xact_commit_timestamp(i.xmin) - b.measured)) AS p
    FROM board b JOIN inbox i USING (store, link)) x"
ask "SELECT 'bytes: ' || round(sum(pg_total_relation_size(c.oid)) / (SELECT count(*) FROM measurement), 1) || ' a row of measurement' FROM pg_class c
  WHERE c.relname LIKE 'measurement\_%' AND c.relkind = 'r'"
echo "load after: $(cut -d ' ' -f 1 /proc/loadavg)"
