#!/bin/sh
# A broker of AMQP 1.0 on loopback: RabbitMQ of Debian with its plugin, without systemd, its data in FOLDER. In the foreground; a signal
# ends it, kill -9 is a power cut, and the next start with the same FOLDER finds what it had stored. The queues cfx and entries are
# durable. With DATUM_BROKER_TLS=CERTIFICATES (certificates.sh) it takes clients with certificates at PORT + 3, by SASL EXTERNAL as the user
# of their common name (cell1), or PLAIN. Usage: broker.sh FOLDER PORT [RABBITMQCTL COMMAND...]
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
port=$2
shift 2
server=$(ls /usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server 2>/dev/null | tail -n 1)
[ -x "$server" ] || { echo "broker.sh: no rabbitmq-server; install it" >&2; exit 2; }
major=$(echo "$server" | sed 's/.*rabbitmq_server-\([0-9]*\)[.].*/\1/')
plugins=rabbitmq_amqp1_0${DATUM_BROKER_TLS:+,rabbitmq_auth_mechanism_ssl}
[ "$major" -lt 4 ] || plugins=${DATUM_BROKER_TLS:+rabbitmq_auth_mechanism_ssl}  # AMQP 1.0 is native there
cat >"$folder/definitions.json" <<'JSON'
{"users": [{"name": "guest", "password": "guest", "tags": "administrator"}, {"name": "cell1", "password_hash": "", "tags": ""}],
 "vhosts": [{"name": "/"}],
 "permissions": [{"user": "guest", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"},
                 {"user": "cell1", "vhost": "/", "configure": "", "write": ".*", "read": ""}],
 "queues": [{"name": "cfx", "vhost": "/", "durable": true, "auto_delete": false, "arguments": {}},
            {"name": "entries", "vhost": "/", "durable": true, "auto_delete": false, "arguments": {}}]}
JSON
cat >"$folder/rabbitmq.conf" <<CONF
listeners.tcp.1 = 127.0.0.1:$port
load_definitions = $folder/definitions.json
log.console = true
log.console.level = warning
log.file = false
${major:+$([ "$major" -ge 4 ] || echo "amqp1_0.default_user = guest")}
CONF
printf '[%s].\n' "$plugins" >"$folder/enabled_plugins"
tls=
if [ -n "${DATUM_BROKER_TLS:-}" ]; then
  tls=$(cd "$DATUM_BROKER_TLS" && pwd)
  cat >>"$folder/rabbitmq.conf" <<CONF
auth_mechanisms.1 = EXTERNAL
auth_mechanisms.2 = PLAIN
ssl_cert_login_from = common_name
CONF
  tls=", {rabbit, [{ssl_listeners, [{\"127.0.0.1\", $((port + 3))}]}, {ssl_options, [{cacertfile, \"$tls/plant.pem\"},
  {certfile, \"$tls/broker.pem\"}, {keyfile, \"$tls/broker.key\"}, {verify, verify_peer}, {fail_if_no_peer_cert, true},
  {crl_check, true}, {crl_cache, {ssl_crl_hash_dir, {internal, [{dir, \"$tls/crl\"}]}}}]}]}"
fi
echo "[{kernel, [{inet_dist_use_interface, {127,0,0,1}}]}$tls]." >"$folder/advanced.config"
export HOME="$folder" RABBITMQ_NODENAME="datum$port@localhost" RABBITMQ_CONFIG_FILE="$folder/rabbitmq.conf"
export RABBITMQ_ADVANCED_CONFIG_FILE="$folder/advanced.config" RABBITMQ_MNESIA_BASE="$folder/data" RABBITMQ_LOG_BASE="$folder/log"
export RABBITMQ_ENABLED_PLUGINS_FILE="$folder/enabled_plugins" RABBITMQ_PID_FILE="$folder/pid"
export RABBITMQ_DIST_PORT=$((port + 1)) ERL_EPMD_PORT=$((port + 2)) ERL_EPMD_ADDRESS=127.0.0.1
[ $# -eq 0 ] || exec "$(dirname "$server")/rabbitmqctl" "$@"
exec "$server"
