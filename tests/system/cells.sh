# shellcheck shell=sh
# Several cells on one controller, each with its configuration and its results.
two_cells() {
  systemctl start datumd-account@left.service datumd-account@right.service || return
  for cell in left right; do
    install -d -o "datumd-$cell" -g "datumd-$cell" -m 0751 "/var/lib/datumd/$cell"
    install -d -o "datumd-$cell" -g "datumd-$cell" -m 2770 "/var/lib/datumd/$cell/drop"
  done
  write_cell left 5101
  write_cell right 5102
  systemctl start datumd@left.service datumd@right.service || return
  drop left && drop right height=L1:2700 && until_true boards_are 1 left && until_true boards_are 1 right &&
    says ' PASS ' datumctl results --last 1 --tcp 127.0.0.1:5101 &&
    says ' FAIL ' datumctl results --last 1 --tcp 127.0.0.1:5102
}

apart() {  # an account of its own each, which reads nothing of the other
  says '^datumd-left$' ps -o user:20= -p "$(property datumd@left.service MainPID)" &&
    runuser -u datumd-left -- test -r /var/lib/datumd/left/results.db &&
    fails runuser -u datumd-left -- cat /var/lib/datumd/right/results.db &&
    fails runuser -u datumd-left -- ls /var/lib/datumd/right/drop
}

cells_checks() {
  check "two cells measure beside each other" two_cells
  check "each cell has an account of its own" apart
  check "systemd-analyze security of a cell: at most 1.3" exposure datumd@left.service
}
