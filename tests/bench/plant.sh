#!/bin/sh
# bench_plant beside a broker of its own (RabbitMQ) on loopback. Usage: plant.sh BIN [OPTION...]; DATUM_BROKER_PORT (default 15672).
set -eu
bin=$1
shift
tree=$(cd "$(dirname "$0")/../.." && pwd)
port=${DATUM_BROKER_PORT:-15672}
folder=$(mktemp -d)
"$tree/tests/scenario/plant/broker.sh" "$folder/broker" "$port" >"$folder/broker.log" 2>&1 &
broker=$!
trap 'kill $broker 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT INT TERM
for _ in $(seq 1200); do
  ss -Hltn "sport = :$port" | grep -q . && break
  sleep 0.05
done
ss -Hltn "sport = :$port" | grep -q . || { cat "$folder/broker.log" >&2; exit 1; }
"$bin/bench_plant" --port "$port" "$@"
