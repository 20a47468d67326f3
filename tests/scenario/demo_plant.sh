#!/bin/sh
# Five cells and their plant: boards through real daemons, sent by datumd-plant to a broker (RabbitMQ), taken by datumd-collect into
# PostgreSQL. The broker is killed, a cell is cut off for a thousand boards, the database is restored from an older dump; in the end each result
# is in the database once, and each cell's chain there is that of its store.
# Usage: demo_plant.sh BIN [FOLDER]; the cells are built anew in FOLDER (default: ../demo_plant beside BIN). DATUM_CUT_OFF: boards of the cell that is
# cut off (default 1000). Ports of loopback: PORT to PORT+2 are the broker's (DATUM_BROKER_PORT, default 15672), PORT+3 the database's, PORT+4 the pages', PORT+10
# to PORT+14 the cells'.
set -eu
bin=$(cd "$1" && pwd)
folder=${2:-$bin/../demo_plant}
tree=$(cd "$(dirname "$0")/../.." && pwd)
port=${DATUM_BROKER_PORT:-15672}
cut_off=${DATUM_CUT_OFF:-1000}
cells="1 2 3 4 5"
for n in $cells; do [ ! -x "$folder/cell$n/stop" ] || "$folder/cell$n/stop"; done
rm -rf "$folder"
mkdir -p "$folder/broker"
folder=$(cd "$folder" && pwd)
cell=$folder
cd "$folder"
database=$(mktemp -d "${TMPDIR:-/tmp}/datum-plant-XXXXXX")  # PostgreSQL's account must reach it
chmod 711 "$database"
. "$tree/tests/scenario/demo_programs.sh"
end() {
  stop
  for n in $cells; do [ ! -x "cell$n/stop" ] || "cell$n/stop"; done
  "$tree/tests/scenario/plant/database.sh" kill "$database/pg" 2>/dev/null || true
  rm -rf "$database"
}
trap end EXIT INT TERM
began=$(date +%s)
say() { echo "== $(($(date +%s) - began)) s: $*"; }

ask() { psql -h "$database/pg" -p $((port + 3)) -U collect -d plant -qAt -v ON_ERROR_STOP=1 -c "SET search_path = datum" -c "$1"; }
broker() {
  start broker.log "$tree/tests/scenario/plant/broker.sh" broker "$port"
  broker=$!
}
answers() { ss -Hltn "sport = :$port" | grep -q .; }
plant() {  # cell
  start "plant$1.log" "$bin/datumd-plant" --config "cell$1/plant.toml" --state "state$1"
  eval "plant$1=$!"
}
collect() {
  start collect.log "$bin/datumd-collect" --config collect.toml
  collect=$!
}
board() {  # cell [what]
  "cell$1/board" "${2:-good}" >/dev/null || true
}
each_board() { for n in ${1:-$cells}; do board "$n"; done; }
newest() { "$bin/datumctl" verify results --store "cell$1/results.db" | sed -n 's/^head \([0-9]*\):.*/\1/p'; }
here() { ask "SELECT coalesce(max(newest_entry), 0) FROM lag WHERE handle = 'Datumd.VirtualCell.000$1'"; }
all_here() {
  for n in ${1:-$cells}; do [ "$(here "$n")" = "$(newest "$n")" ] || return 1; done
  [ "$(ask "SELECT count(*) FROM gaps")" = 0 ]
}
report() { "$bin/datumd-collect" --config collect.toml --report || true; }

say "broker, database and five cells come up; each measures three boards"
broker
for n in $cells; do
  DATUM_DEMO_PORT=$((port + 9 + n)) "$tree/tests/scenario/demo.sh" "$bin" --keep "cell$n" >"demo$n.out" 2>&1 &
  demos="${demos:-} $!"
done
"$tree/tests/scenario/plant/database.sh" start "$database/pg" $((port + 3))
wait $demos
until_true "the broker did not come up" answers
(umask 077 && echo guest >password)
(umask 077 && cat "$database/pg/password" >database-password)
cat >collect.toml <<TOML
[broker]
url = "amqp://127.0.0.1:$port"
entries = "/amq/queue/entries"
user = "guest"
password_file = "password"
[database]
host = "127.0.0.1"
port = $((port + 3))
name = "plant"
user = "collect"
password_file = "database-password"
TOML
for n in $cells; do
  mkdir "state$n"
  messages=
  [ "$n" != 1 ] || messages='messages = \"/amq/queue/cfx\"\n'
  sed "s|^\[results\]|[plant]\n${messages}url = \"amqp://127.0.0.1:$port\"\nhandle = \"Datumd.VirtualCell.000$n\"\nentries = \"/amq/queue/entries\"\nuser = \
\"guest\"\npassword_file = \"$folder/password\"\n\n[results]|" "cell$n/datumd.toml" >"cell$n/plant.toml"
  plant "$n"
done
collect
until_true "not everything came" all_here
report
say "the broker is killed; boards go on; the broker comes back"
pkill -9 -P "$broker" 2>/dev/null || true
kill -9 "$broker" 2>/dev/null || true
until_true "the broker still answers" sh -c "! ss -Hltn 'sport = :$port' | grep -q ."
each_board
board 2 "lifted=U3,missing=C3"
broker
until_true "the broker did not come back" answers
until_true "not everything came" all_here
say "the collector is ended by SIGTERM while boards come; boards go on; it comes back"
board 1
kill "$collect"
wait "$collect"
each_board
collect
until_true "not everything came" all_here
say "a dump of the database: yesterday's"
pg_dump -h "$database/pg" -p $((port + 3)) -U collect -Fc plant >yesterday.dump
say "cell 5 is cut off, and $cut_off results are stored in it meanwhile (copies, by the store's own code)"
kill "$plant5"
cell5/stop
until_true "datumd of cell 5 goes on, or its store is not to be had" "$bin/virtual-results" --store cell5/results.db --boards "$cut_off" --unit cut-off
each_board "1 2 3 4"
until_true "not everything came" all_here "1 2 3 4"
say "cell 5 is linked again"
plant 5
until_true "nothing of cell 5 came" sh -c "! [ '$(here 5)' = \"\$(psql -h '$database/pg' -p $((port + 3)) -U collect -d plant -qAtc \
  \"SELECT newest_entry FROM datum.lag WHERE handle = 'Datumd.VirtualCell.0005'\")\" ]"
report
until_true "not everything came" all_here
say "all of it is there; the database is lost, and restored from yesterday's dump"
psql -h "$database/pg" -p $((port + 3)) -U collect -d postgres -qc "DROP DATABASE plant WITH (FORCE)" -c "CREATE DATABASE plant"
pg_restore -h "$database/pg" -p $((port + 3)) -U collect -d plant yesterday.dump
each_board "1 2"
until_true "the collector does not go on" sh -c "psql -h '$database/pg' -p $((port + 3)) -U collect -d plant -qAtc \
  'SELECT count(*) > 1 FROM datum.gaps' | grep -q t"
report
say "each cell is asked to send again from where the database ends"
ask "SELECT right(handle, 1), from_entry FROM resend" | tr '|' ' ' >resend.list
while read -r n from; do
  "$bin/datumd-plant" --config "cell$n/plant.toml" --state "state$n" --resend-from "$from"
  eval "kill \$plant$n"
  plant "$n"
done <resend.list
until_true "not everything came" all_here
say "the plant in a browser (datumd-plant-view)"
psql -h "$database/pg" -p $((port + 3)) -U collect -d plant -q -v ON_ERROR_STOP=1 -v owner=collect -f "$tree/daemon/plant_view/reader.sql"
cat >plant-view.toml <<TOML
[database]
host = "$database/pg"
port = $((port + 3))
name = "plant"
user = "datumd-plant-view"
[pages]
listen = "127.0.0.1:$((port + 4))"
TOML
start view.log "$bin/datumd-plant-view" --config plant-view.toml
until_true "the pages are not served" grep -q ' shows ' view.log
"$tree/tests/scenario/plant/pages.py" "http://127.0.0.1:$((port + 4))" | tee pages.list
say "the end"
report
status=0
for n in $cells; do
  said=$("$bin/datumctl" verify results --store "cell$n/results.db")
  results=$(echo "$said" | sed -n 's/^store [0-9a-f]*: \([0-9]*\) results.*/\1/p')
  head=$(echo "$said" | sed -n 's/^head //p')
  in_plant=$(ask "SELECT newest || ':' || newest_sha256 FROM store JOIN cell USING (cell) WHERE handle = 'Datumd.VirtualCell.000$n'")
  counted=$(ask "SELECT count(*) || ' ' || count(DISTINCT sequence) || ' ' || (SELECT sum(boards) FROM board_sums JOIN cell USING (cell) WHERE handle = b.handle)
    FROM boards b WHERE handle = 'Datumd.VirtualCell.000$n' GROUP BY handle")
  shown=$(grep "^Datumd.VirtualCell.000$n " pages.list)
  if [ "$head" = "$in_plant" ] && [ "$counted" = "$results $results $results" ] &&
    [ "$shown" = "Datumd.VirtualCell.000$n ${head%%:*} $results whole" ]; then
    echo "cell $n: $results results once each, sums and page of $results boards, chain verified up to entry ${head%%:*}"
  else
    echo "demo: cell $n: the store has $results results and head $head, the database $counted and $in_plant, the page $shown" >&2
    status=1
  fi
done
sums=$(ask "SELECT count(*) FROM (SELECT cell, characteristic, sum(n) AS n, sum(total) AS total, sum(squares) AS squares FROM sums GROUP BY 1, 2) s
  FULL JOIN (SELECT cell, characteristic, count(count) AS n, sum(count::numeric) AS total, sum(count::numeric * count) AS squares FROM measurement JOIN store USING (store)
    GROUP BY 1, 2) m USING (cell, characteristic, n, total, squares) WHERE s.cell IS NULL OR m.cell IS NULL")
[ "$sums" = 0 ] || { echo "demo: $sums sums are not those of the rows" >&2; status=1; }
/usr/bin/python3 "$tree/tests/scenario/plant/receive.py" "amqp://guest:guest@127.0.0.1:$port" /amq/queue/cfx >cfx.json
/usr/bin/python3 - "$("$bin/datumctl" verify results --store cell1/results.db | sed -n 's/^store [0-9a-f]*: \([0-9]*\) results.*/\1/p')" <<'PYTHON' || status=1
import json, sys
cfx = json.load(open("cfx.json"))
if cfx["faults"] or len(cfx["units"]) != int(sys.argv[1]):
    sys.exit(f"demo: CFX messages of cell 1: {len(cfx['units'])} of {sys.argv[1]} units; {cfx['faults']}")
print(f"CFX messages of cell 1: {len(cfx['units'])} units once each; sent twice: {cfx['repeated']} messages, dropped by their keys")
PYTHON
[ "$(ask "SELECT count(*) FROM alarm")" = 0 ] || { echo "demo: there are alarms" >&2; status=1; }
echo "sums of $(ask "SELECT count(*) FROM measurement") measurements are exactly those of their rows"
say "done"
exit $status
