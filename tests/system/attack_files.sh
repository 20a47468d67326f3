# shellcheck shell=sh
# Strangers' files: models, recipes, frames, links.
recipes=/var/lib/datumd/recipes

# surface_recipe NAME MODEL: a recipe that compares with the model of this path
surface_recipe() {
  model=$recipes/$2
  case $2 in /*) model=$2 ;; esac
  sum=$(sha256sum "$model" 2>/dev/null | cut -d ' ' -f 1)
  sed "1,/^name = /s|^name = .*|name = \"$1\"|; s|^file = .*|file = \"$2\"|; s|^sha256 = .*|sha256 = \"${3:-$sum}\"|" \
    $examples/recipes/demo-part.toml >"$recipes/$1.toml"
}
as_checked() {  # what the check of the configuration says, as datumd's account; its status
  timeout 120 runuser -u datumd -- datumd --check-config --config /etc/datumd/datumd.toml 2>&1
}
hostile_models() {
  triangle='0 0 0\n1 0 0\n0 1 0\n'
  xyz='property float x\nproperty float y\nproperty float z\n'
  face='element face 1\nproperty list uchar int vertex_indices\n'
  head='ply\nformat ascii 1.0\n'
  printf "${head}element vertex 3\n${xyz}element vertex 100000\n${xyz}${face}end_header\n${triangle}3 0 1 2\n" >$recipes/twice.ply
  printf "${head}element vertex 3\n${xyz}${face}${face}end_header\n${triangle}3 0 1 2\n3 0 1 2\n" >$recipes/faces.ply
  printf "${head}element vertex 3\n${xyz}element face 1\nproperty list uchar float texcoord\nend_header\n${triangle}6 0 0 1 0 0 1\n" \
    >$recipes/texture.ply
  [ -p $recipes/pipe ] || mkfifo $recipes/pipe
  printf "mtllib pipe\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n" >$recipes/pipe.obj
  for model in twice.ply faces.ply texture.ply pipe.obj; do surface_recipe "${model%.*}" $model; done
}
checked_models() {  # PROGRAM...: each model is refused by name, and the program ends as it should
  output=$("$@") && { echo "accepted: $output"; return 1; }
  status=$?
  [ $status = 78 ] || { echo "status $status: $output"; return 1; }
  for model in twice faces texture pipe; do
    echo "$output" | grep -q "$model\.[a-z]*: .*[a-z]" || { echo "nothing of $model in: $output"; return 1; }
  done
}
models_refused() {
  hostile_models
  checked_models as_checked && unharmed systemctl reload datumd.service
  refused=$?
  rm -f $recipes/twice* $recipes/faces* $recipes/texture* $recipes/pipe*
  systemctl reload datumd.service
  return $refused
}
models_by_hand() {
  checked_models sh -c 'kill -SEGV $$'
}
parsers_killed() {
  unharmed sh -c 'for p in $(pgrep -x datumd-parse); do kill -SEGV $p; done'
}
dotted() {
  perl -e 'print "schema = 1\na", ".a" x 35000, " = 1\n"' >/tmp/dots.toml
  cp /tmp/dots.toml $recipes/dots.toml
  output=$(as_checked) && { echo "accepted"; return 1; }
  status=$?
  rm -f $recipes/dots.toml
  [ $status = 78 ] || { echo "status $status: $output"; return 1; }
  fails says '^0,' attack upload 5025 dots /tmp/dots.toml
}
dots() { unharmed dotted; }

other_recipe() {
  sed 's/^name = .*/name = "other-board"/' $examples/recipes/demo-board.toml >$recipes/other-board.toml
  chown datumd $recipes/other-board.toml
  systemctl reload datumd.service
  until_true datumctl choose other-board && datumctl arm
}
last_is_of() {  # RECIPE: the last result is this recipe's, or INVALID
  datumctl results --last 1 --json --store $store | grep -Eq "\"recipe\": *\"$1\"|\"decision\": *\"INVALID\""
}
own_recipe() {
  for seconds in 0 0.1 0.2 0.4 0.8; do
    other_recipe || return
    next=$(($(boards) + 1))
    drop datumd good
    until_true sh -c '[ -n "$(ls -A /var/lib/datumd/drop/work)" ]'
    sleep $seconds
    systemctl kill -s KILL datumd.service
    [ -n "$(ls -A /var/lib/datumd/drop/work)" ] || continue  # it was measured before
    until_true boards_are $next && last_is_of other-board
    measured=$?
    datumctl choose demo-board && datumctl arm
    return $measured
  done
  echo "no frame was in work at any kill"
  return 1
}
configured_recipe() {
  passes && last_is_of other-board
}
uploads() {
  cp $examples/recipes/demo-board.toml /tmp/flood.toml
  attack latency 5025 40 >$state/latency &
  measuring=$!
  attack uploads 5025 80 255 /tmp/flood.toml >$state/answers
  wait $measuring
  most=$(cat $state/latency) kib=$(du -sk $recipes | cut -f 1)
  rm -f $recipes/flood-*
  systemctl reload datumd.service
  echo "answers $(cat $state/answers), longest wait $most ms, $kib KiB"
  [ "$most" -lt 5000 ] && [ "$kib" -le 17000 ] && passes
}
stopped_for_six_seconds() {
  (sleep 1; systemctl kill -s STOP datumd.service; sleep 6; systemctl kill -s CONT datumd.service) &
  [ "$(attack latency 5025 9)" -lt 5000 ]
}
announced_without() {  # COMMAND: after it, is a result announced while the store has it not?
  attack listen 5025 60 >$state/heard &
  listener=$!
  until_true says '^ARMED' property datumd.service StatusText
  "$@"
  drop datumd good
  until_true sh -c "! systemctl show --value -p StatusText datumd.service | grep -q ^ARMED || grep -q ^R, $state/heard"
  kill $listener
  ! grep -q '^R,' $state/heard
}
store_deleted() {
  announced_without sh -c "rm -f $store $store-*" && fails says '^ARMED' property datumd.service StatusText
}
store_left() {
  systemctl restart datumd.service
  announced_without true
}
short_lines() { awk 'length > 4096 { print "a line of " length " bytes"; long = 1 } END { exit long }'; }
long_texts() {
  # Of a sensor's CSV: one field of 60 MB.
  perl -e 'print "Info\nCSV Version,Sensor Count\n", "9" x 6e7, "\n"' >/tmp/long.csv
  chown datumd:datumd /tmp/long.csv
  next=$(($(boards) + 1))
  mv /tmp/long.csv /var/lib/datumd/drop/
  until_true boards_are $next || return
  rm -rf /var/lib/datumd/drop/failed/long*
  { journalctl -b -q --no-pager -o cat -u datumd.service; ask 'FETC:BOAR?'; ask 'SYST:ERR:ALL?'; } | short_lines && passes
}
long_line() { perl -e 'print "9" x 1e5, "\n"' | short_lines; }

oracle_of() {  # FILE as the recipe names it: the check says nothing of the sum of /etc/passwd
  sum=$(sha256sum /etc/passwd | cut -d ' ' -f 1)
  surface_recipe oracle "$1" 0000000000000000000000000000000000000000000000000000000000000000
  output=$(as_checked)
  rm -f $recipes/oracle.toml
  echo "$output" | grep -q oracle || { echo "nothing of the recipe in: $output"; return 1; }
  ! echo "$output" | grep -q "$sum"
}
oracle() {
  ln -sf /etc/passwd $recipes/link.stl
  oracle_of /etc/passwd && oracle_of ../../../../etc/passwd && oracle_of link.stl
  told=$?
  rm -f $recipes/link.stl
  return $told
}
oracle_of_a_model() {
  cp /etc/passwd $recipes/plain.stl
  oracle_of plain.stl
  told=$?
  rm -f $recipes/plain.stl
  return $told
}

linked_frame() {  # COMMAND by which the height file gets into the folder: is the board not measured?
  # Not in /tmp, where the service has one of its own: a link there leads nowhere whatever datumd does.
  frames=$(mktemp -d "$state/frames-XXXXXX") && chmod 0755 "$frames" || return
  echo x >>$state/dropped
  virtual-sensor --recipe $examples/recipes/demo-board.toml --twin $examples/twins/demo.toml --format tiff16 \
    --calibration $examples/calibrations/demo.toml --drop "$frames" --board good --seed "$(count dropped)" \
    --frame-id "$(count dropped)"
  chmod 0644 "$frames"/*
  next=$(($(boards) + 1))
  for image in "$frames"/*.tif "$frames"/*.png; do
    [ ! -e "$image" ] || "$@" "$image" /var/lib/datumd/drop/
  done
  for image in "$frames"/*; do runuser -u datumd -- head -c 1 "$image" >/dev/null || return; done
  for sidecar in "$frames"/*.json; do cp "$sidecar" /var/lib/datumd/drop/; done
  until_true boards_are $next || return
  rm -r "$frames"
  find /var/lib/datumd/drop -maxdepth 1 -type l -delete
  ! says "^ *$next .* PASS " datumctl results --last 1 --store $store >/dev/null
}
links() {
  linked_frame ln -s || return
  echo keep >/tmp/victim
  chmod 0666 /tmp/victim
  ln -sf /tmp/victim $recipes/.stored.toml.part
  sed 's/^name = .*/name = "stored"/' $examples/recipes/demo-board.toml >/tmp/stored.toml
  says '^0,' attack upload 5025 stored /tmp/stored.toml && says '^keep$' cat /tmp/victim && [ ! -L $recipes/stored.toml ]
  left=$?
  rm -f $recipes/stored.toml $recipes/.stored.toml.part
  return $left
}
plain_files() { linked_frame cp; }
