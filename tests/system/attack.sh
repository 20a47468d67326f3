# shellcheck shell=sh
# `./datum attack`: strangers' files, hosts, accounts and terminals against the installed package in a booted system. One line a
# probe: held or BROKEN. Each probe runs a second time where what it looks at was opened on purpose, or done by hand, and must
# say so: a probe that can't tell is UNPROVED.
cd /payload || exit
. ./lib.sh
. ./service.sh
. ./fences.sh
. ./cells.sh
. ./attack_files.sh
. ./attack_hosts.sh
. ./attack_system.sh
. ./attack_tls.sh
. ./attack_sign.sh

# probe ITEM TEXT COMMAND OPENED: OPENED runs the command, or a part of it, where it must fail
probe() {
  if said=$("$3" 2>&1); then word='held    '; else word='BROKEN  '; fi
  if [ "$word" = 'held    ' ] && opened=$("$4" 2>&1); then
    word='UNPROVED'
    said="it succeeds where it must not: $opened"
  fi
  { echo "$word $(printf %2s "$1")  $2"; [ "$word" = 'held    ' ] || echo "$said" | tail -n 20 | sed 's/^/        /'; } | tell
  echo x >>"$state/$(echo "$word" | tr -d ' ')"
}

attack() { perl /payload/attack.pl "$@"; }
ask() { datumctl send "$1" --timeout-ms 60000; }
armed() { until_true says '^ARMED' property datumd.service StatusText; }

# A cell whose recipes a host may store, with more keys of [host.tcp], then more tables: cell_with LINES
cell_with() {
  write_cell datumd 5025
  install -d -o datumd -g datumd -m 0750 /var/lib/datumd/recipes
  cp $examples/recipes/demo-board.toml /var/lib/datumd/recipes
  chown datumd /var/lib/datumd/recipes/*
  sed -i 's|^recipes_folder = .*|recipes_folder = "/var/lib/datumd/recipes"|' /etc/datumd/datumd.toml
  printf '%s\n' "$@" >>/etc/datumd/datumd.toml
  systemctl reset-failed datumd.service 2>/dev/null
  systemctl restart datumd.service && armed
}

# The daemon that was there before the command measures a board after it.
unharmed() {
  before=$(main_pid)
  "$@" || return
  passes && [ "$(main_pid)" = "$before" ] || { echo "datumd was $before, is $(main_pid)"; return 1; }
}
killed_by_hand() {  # what an attack that gets through would do
  unharmed systemctl kill -s SEGV datumd.service
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}
apt_install /payload/datumd.deb >/dev/null 2>&1
cell_with 'role = "configure"' 2>&1 | tell

probe 1 "models that broke a reader are refused, and datumd measures on" models_refused models_by_hand
probe 1 "datumd-parse is killed: the next board is measured" parsers_killed killed_by_hand
probe 2 "35,000 dots in a key, by a host and by a file" dots killed_by_hand
probe 3 "killed with a frame in work: measured with the board's own recipe, or INVALID" own_recipe configured_recipe
probe 4 "80 uploads of 255 KiB and 30 deletions: another host is answered within 5 s, the folder stays bounded" uploads stopped_for_six_seconds
probe 5 "the store is deleted: nothing is announced, the cell disarms" store_deleted store_left
cell_with 'role = "configure"' 2>&1 | tell
probe 6 "a CSV of 60 MB in one field: log and answers stay short" long_texts long_line
probe 7 "hosts that hold every place do not keep root's datumctl out" places_held places_held_by_root
probe 8 "SYSTem:LOCK:FORCe needs role \"configure\"" forced_out forced_by_role
cell_with 'role = "configure"' 2>&1 | tell
probe 9 "a model's path tells nothing of other files" oracle oracle_of_a_model
probe 10 "links in the drop folder and beside recipes lead nowhere" links plain_files
probe 11 "a unit that begins with = is text in CSV" formula raw_formula
probe 11 "orders to the terminal are shown, not obeyed" terminal no_terminal
probe 12 "programs are hardened as Debian's own" hardened not_hardened
probe 13 "a cell's account reads nothing of another cell" other_cell other_cell_opened
probe 13 "no memory of another process, no address on the internet" own_memory_and_network no_fences
cell_with '[metrics]' 'address = "127.0.0.1"' 'port = 9476' 2>&1 | tell
probe 14 "half-sent requests do not delay a scrape" scrape stopped_scrape
probe 15 "the support bundle names no unit and no frame" bundle bundle_of_a_recipe

cell_of_certificates 2>&1 | tell
probe 8 "TLS: no certificate, another CA's, one of a server, one without a role: nobody gets in" strangers_kept_out engineer_kept_out
probe 8 "TLS: a certificate of role \"read\" changes nothing" reader_only_reads engineer_only_reads
cell_of_certificates 2>&1 | tell
probe 8 "TLS: a revoked certificate does not get in" revoked revoked_unread
probe 7 "TLS: 60 hellos that never end keep no host out" half_hellos stopped_meanwhile
probe 7 "TLS: a flood of hellos by an account of this computer does not keep root's datumctl out" local_flood local_flood_of_an_account
probe 7 "TLS: noise before and after the handshake, renegotiation: datumd measures on" garbage_survived killed_by_hand
signed_cell 2>&1 | tell
probe S "signer: datumd's account reads neither its key nor its memory" key_out_of_reach key_in_reach
probe S "signer: datumd's account gets no other history signed" no_other_history own_history
probe S "signer: systemd-analyze security at most 1.3" signer_fenced nobody_fenced
probe S "signer: a key bound to this computer's TPM is of no use to another TPM" key_of_a_tpm key_of_the_disk

echo "$(count held) held, $(($(count BROKEN) + $(count UNPROVED))) broken" | tell
sync
systemctl poweroff
