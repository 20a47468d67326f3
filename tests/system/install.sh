# shellcheck shell=sh
# The package: what is there after `apt install`, and what is not.
apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}
account() {
  says '^datumd:.*:/var/lib/datumd:.*nologin$' getent passwd datumd && says dialout id -nG datumd
}
modes() {
  says '^751 datumd datumd$' stat -c '%a %U %G' /var/lib/datumd
  says '^2770 datumd datumd$' stat -c '%a %U %G' /var/lib/datumd/drop
  says '^755 root root$' stat -c '%a %U %G' /etc/datumd
}
not_started() {
  [ "$(property datumd.service ActiveState)" = inactive ] && says disabled sh -c 'systemctl is-enabled datumd.service; true'
}
adapters() {
  [ -e /sys/bus/usb ] || return 0  # Linux as a program has no USB
  until_true test -c /dev/datumd/CELL && test -c /dev/datumd/HOST &&
    says '^1$' cat "/sys/bus/usb-serial/devices/$(basename "$(readlink /dev/datumd/CELL)")/latency_timer"
}

install_checks() {
  check "apt installs the package of before with what it depends on" apt_install /payload/datumd-old.deb
  check "the package's files are as they were packed" dpkg --verify datumd
  check "the account, in the group of the serial ports" account
  check "the folders belong to whom they should" modes
  check "nothing is started that nobody has configured" not_started
  check "serial adapters have their names, and no 16 ms" adapters
}
