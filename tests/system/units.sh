# shellcheck shell=sh
# The programs beside datumd, each from its own package: its account, its fences, its page, stop and restart, and refusals that a person
# sees. PostgreSQL is here and no broker: what needs one says so, goes on trying and harms nothing.
beside="datumd-view datumd-plant datumd-collect datumd-plant-view"
journal_of() {  # UNIT PATTERN, of this boot
  sync
  journalctl -b -q --no-pager -o cat -u "$1" | grep -Eq -- "$2"
}
status_says() {  # UNIT PATTERN: in what systemctl status shows
  shown=$(systemctl status --no-pager --full -n 8 "$1" || true)
  echo "$shown" | grep -Eq -- "$2" || { echo "no '$2' in: $shown"; return 1; }
}
runs() {  # PROGRAM: as its own account, and was never started again
  says '^active$' property "$1.service" ActiveState && says '^0$' property "$1.service" NRestarts &&
    says "^$1\$" ps -o user:20= -p "$(property "$1.service" MainPID)"
}
no_harm() {  # PROGRAM PATTERN: it says so once, and runs
  until_true journal_of "$1.service" "$2" && runs "$1"
}
refused() {  # PROGRAM PATTERN: with status 78, once, and the words are in systemctl status
  refused_once "$1.service" && status_says "$1.service" 'status=78(/CONFIG)?' && status_says "$1.service" "$2"
  was=$?
  systemctl reset-failed "$1.service"
  return $was
}
again() {  # PROGRAM: stopped it ends well; killed it is there again
  systemctl stop "$1.service" && says '^success$' property "$1.service" Result &&
    says '^inactive$' property "$1.service" ActiveState && systemctl start "$1.service" && runs "$1" || return
  before=$(property "$1.service" MainPID)
  kill -KILL "$before"
  until_true sh -c "[ \"\$(systemctl show --value -p MainPID $1.service)\" != $before ]" &&
    until_true says '^active$' property "$1.service" ActiveState
}
fenced() {  # PROGRAM
  exposure "$1.service" || return
  echo "        $1.service: exposure $level" | tell
}
page() {  # PORT PATH
  printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$2" | socat -t 60 - "TCP4:127.0.0.1:$1"
}
idle_at_first() {
  for program in $beside; do
    says '^inactive$' property "$program.service" ActiveState && says "^$program:.*nologin$" getent passwd "$program" || return
  done
}
database() {
  apt_install postgresql && until_true runuser -u postgres -- psql -qAtc 'SELECT 1' &&
    runuser -u postgres -- createuser datumd-collect &&
    runuser -u postgres -- createdb -E UTF8 -l C.UTF-8 -T template0 -O datumd-collect plant
}
sql() { runuser -u postgres -- psql -qAt -v ON_ERROR_STOP=1 -d plant "$@"; }

view_refused() {
  echo 'DATUMD_VIEW="--listen plant:http"' >/etc/default/datumd-view
  refused datumd-view 'a numeric address and a port'
  was=$?
  rm /etc/default/datumd-view
  return $was
}
view_page() {
  systemctl start datumd-view.service && runs datumd-view && says "/board/$(boards)\"" page 8025 /
}
plant_refused() {
  refused datumd-plant 'datumd.toml has no table \[plant\]'
}
plant_without_broker() {
  printf '\n[plant]\nurl = "amqp://127.0.0.1:5672"\nhandle = "Hall.Cell.1"\nentries = "/amq/queue/entries"\n' >>/etc/datumd/datumd.toml
  systemctl start datumd-plant.service && no_harm datumd-plant 'refused; results stay in the store' &&
    status_says datumd-plant.service 'not connected' && passes && runs datumd-plant
}
collect_refused() {
  sed 's/^url = .*/url = "amqp:\/\/10.0.0.1"/' /usr/share/doc/datumd-collect/examples/collect.toml >/etc/datumd/collect.toml
  refused datumd-collect 'collect.toml:[0-9]+:[0-9]+: .*in clear'
}
collect_without_broker() {
  sed -i 's/^url = .*/url = "amqp:\/\/127.0.0.1:5672"/' /etc/datumd/collect.toml
  systemctl start datumd-collect.service && no_harm datumd-collect 'refused; entries wait there' &&
    no_harm datumd-collect 'connected with the database plant' && says '^1$' sql -c 'SELECT version FROM datum.version' &&
    says '^cell ' datumd_collect --report
}
datumd_collect() { runuser -u datumd-collect -- datumd-collect "$@"; }
plant_view_refused() {
  cp /usr/share/doc/datumd-plant-view/examples/plant-view.toml /etc/datumd
  runuser -u postgres -- createuser --superuser datumd-plant-view
  refused datumd-plant-view 'datumd-plant-view is a superuser'
  was=$?
  runuser -u postgres -- dropuser datumd-plant-view
  return $was
}
plant_view_page() {
  sql -v owner=datumd-collect -f /usr/share/doc/datumd-plant-view/reader.sql && systemctl start datumd-plant-view.service &&
    runs datumd-plant-view && says 'No cell has sent anything yet' page 8026 /
}
plant_view_without_database() {
  systemctl stop postgresql.service 'postgresql@*.service'
  says 'The database is away' page 8026 / && runs datumd-plant-view
  was=$?
  systemctl start postgresql.service
  until_true says 'No cell has sent anything yet' page 8026 / && [ $was = 0 ]
}
gone() {
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq $beside || return
  sed -i '/^\[plant\]/,$d' /etc/datumd/datumd.toml
  for program in $beside; do fails pgrep -f "/usr/bin/$program\$" || return; done
  left=$(find /etc/datumd /etc/systemd/system /usr/lib/systemd /var/lib /var/cache \( -name 'datumd-view*' -o -name 'datumd-plant*' -o \
    -name 'datumd-collect*' -o -name collect.toml -o -name plant-view.toml \) ! -path '/var/lib/dpkg/*' ! -path '/var/cache/apt/*')
  [ -z "$left" ] || { echo "left: $left"; return 1; }
  passes
}

units_checks() {
  # shellcheck disable=SC2046
  check "apt installs the programs beside datumd" apt_install $(printf '/payload/%s.deb ' $beside)
  check "each has an account of its own, and none is started" idle_at_first
  check "a database for the plant" database
  check "datumd-view: a wrong address ends it with 78, once, and is in its status" view_refused
  check "datumd-view: it runs, and its page shows the newest board" view_page
  check "datumd-plant: a configuration without [plant] likewise" plant_refused
  check "datumd-plant: without a broker it says so, tries again, and boards go on" plant_without_broker
  check "datumd-collect: a broker in clear likewise" collect_refused
  check "datumd-collect: without a broker it says so, tries again, and has made its tables" collect_without_broker
  check "datumd-plant-view: an account that may write likewise" plant_view_refused
  check "datumd-plant-view: it runs, and its page shows the plant" plant_view_page
  check "datumd-plant-view: a stopped database is a page that says so, and shows the plant again" plant_view_without_database
  for program in $beside; do
    check "$program: stopped, started, killed, and there again" again "$program"
    check "systemd-analyze security of $program: at most 1.3" fenced "$program"
  done
  check "purged they are gone, and boards go on" gone
}
