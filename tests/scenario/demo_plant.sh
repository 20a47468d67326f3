#!/bin/sh
# A cell and its plant: boards through the real daemon, sent by datumd-plant to a broker (RabbitMQ) that is killed and comes back, while
# datumd-plant is killed too. A receiver of another make then finds each result once by its key, and the chain unbroken.
# Usage: demo_plant.sh BIN [FOLDER]; the cell is built anew in FOLDER (default: ../demo_plant beside BIN). PORT+0 to PORT+2 of loopback are
# the broker's (DATUM_BROKER_PORT, default 15672).
set -eu
bin=$(cd "$1" && pwd)
folder=${2:-$bin/../demo_plant}
tree=$(cd "$(dirname "$0")/../.." && pwd)
port=${DATUM_BROKER_PORT:-15672}
[ ! -x "$folder/cell/stop" ] || "$folder/cell/stop"
rm -rf "$folder"
mkdir -p "$folder/state" "$folder/broker"
folder=$(cd "$folder" && pwd)
cell=$folder/cell
"$tree/tests/scenario/demo.sh" "$bin" --keep "$cell" | sed -n '/^seq/,/^$/p' | cut -c 1-150
cd "$folder"
. "$tree/tests/scenario/demo_programs.sh"
trap 'stop; "$cell/stop"' EXIT INT TERM
echo guest >"$folder/password"
sed "s|^\[results\]|[plant]\nurl = \"amqp://127.0.0.1:$port\"\nhandle = \"Datumd.VirtualCell.0001\"\nmessages = \"/amq/queue/cfx\"\nentries = \
\"/amq/queue/entries\"\nuser = \"guest\"\npassword_file = \"$folder/password\"\n\n[results]|" "$cell/datumd.toml" >"$cell/plant.toml"

broker() {
  start broker.log "$tree/tests/scenario/plant/broker.sh" broker "$port"
  broker=$!
  until_true "the broker did not come up" answers
}
answers() { ss -Hltn "sport = :$port" | grep -q .; }
plant() {
  start plant.log "$bin/datumd-plant" --config "$cell/plant.toml" --state state
  plant=$!
}
boards() {  # number
  for _ in $(seq "$1"); do "$cell/board" >/dev/null || true; done
}
last_link() { sed -n 's/.*"link":\([0-9]*\).*/\1/p' state/position.json 2>/dev/null; }
newest() { "$bin/datumctl" verify results --store "$cell/results.db" | sed -n 's/^head \([0-9]*\):.*/\1/p'; }
is_sent() { [ "$(last_link)" = "$(newest)" ]; }

echo
echo "== the broker comes up, and what the cell has measured so far is sent"
broker
plant
until_true "nothing was sent" is_sent
echo "entries accepted: $(last_link)"
echo "== the broker is killed; the cell measures four boards"
pkill -9 -P "$broker" 2>/dev/null || true
kill -9 "$broker" 2>/dev/null || true
until_true "the broker still answers" sh -c "! ss -Hltn 'sport = :$port' | grep -q ."
boards 4
echo "entries in the store: $(newest); accepted: $(last_link)"
echo "== datumd-plant is killed, too; both come back"
kill -9 "$plant"
boards 1
broker
plant
boards 2
until_true "not everything was sent" is_sent
echo "entries accepted: $(last_link)"
echo "== the receiver"
status=0
for queue in cfx entries; do
  /usr/bin/python3 "$tree/tests/scenario/plant/receive.py" "amqp://guest:guest@127.0.0.1:$port" "/amq/queue/$queue" >$queue.json
  cat $queue.json
done
/usr/bin/python3 - "$(newest)" <<'PYTHON' || status=1
import json, sys
cfx, entries = json.load(open("cfx.json")), json.load(open("entries.json"))
missing = entries["missing"] or entries["last"] != int(sys.argv[1]) or entries["first"] != 1
if cfx["faults"] or entries["faults"] or missing or len(cfx["units"]) != 10:
    sys.exit(f"demo: the receiver lacks something: {len(cfx['units'])} of 10 units, missing entries {entries['missing']}")
print(f"{len(cfx['units'])} units once each, {entries['entries']} entries of an unbroken chain; sent twice: "
      f"{cfx['repeated'] + entries['repeated']} messages, dropped by their keys")
PYTHON
exit $status
