# shellcheck shell=sh
# Several cells on one controller, each with its configuration and its results.
two_cells() {
  for cell in left right; do
    install -d -o datumd -g datumd -m 2770 "/var/lib/datumd/$cell/drop"
    chown datumd:datumd "/var/lib/datumd/$cell"
  done
  write_cell left 5101
  write_cell right 5102
  systemctl start datumd@left.service datumd@right.service || return
  drop left && drop right height=L1:2700 && until_true boards_are 1 left && until_true boards_are 1 right &&
    says ' PASS ' datumctl results --last 1 --tcp 127.0.0.1:5101 &&
    says ' FAIL ' datumctl results --last 1 --tcp 127.0.0.1:5102
}

cells_checks() {
  check "two cells measure beside each other" two_cells
  check "systemd-analyze security of a cell: at most 1.5" exposure datumd@left.service
}
