# shellcheck shell=sh
# The service: it starts, measures, is watched, is reloaded.
started() {
  systemctl enable --quiet --now datumd.service
  [ "$(property datumd.service ActiveState)" = active ] && [ "$(property datumd.service Type)" = notify ] &&
    says '^ARMED, recipe demo-board' property datumd.service StatusText
}
checked_as_its_user() {
  says ': good$' runuser -u datumd -- datumd --check-config --config /etc/datumd/datumd.toml
}
one_pass() {
  drop datumd 1 && until_true boards_are 1 && last_is PASS
}

service_checks() {
  write_cell datumd 5025
  check "the configuration is good" checked_as_its_user
  check "the service starts and says that it is ready" started
  check "a board is dropped, measured, PASS and stored" one_pass
}
