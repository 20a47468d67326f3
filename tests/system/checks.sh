# shellcheck shell=sh
# Everything that is checked in the booted system, in order; a reboot lies between the two halves.
cd /payload || exit
. ./lib.sh
. ./install.sh
. ./service.sh
. ./fences.sh
. ./sockets.sh
. ./cells.sh
. ./units.sh
. ./package.sh

finish() {
  echo "$(count passed) passed, $(count failed) failed" | tell
  sync
  systemctl poweroff
}

if [ ! -e $state/rebooted ]; then
  install_checks
  service_checks
  fences_checks
  # Of the first cell alone: a pseudo-terminal does not outlive the machine.
  sed -i '/^path = "\/run/,$d; /^\[host.serial\]$/d' /etc/datumd/datumd.toml
  boards >$state/before
  touch $state/rebooted
  systemctl reboot
else
  check "after a reboot the service is there and the sequence goes on" after_reboot
  check "an upgrade keeps configuration and results, and restarts" upgrade
  check "the package's pages and completions are where they are looked for" eval 'pages && completions'
  sockets_checks
  cells_checks
  units_checks
  check "an upgrade whose configuration is refused is installed all the same" refused_upgrade
  check "removal ends every cell and keeps results and configuration" removal
  check "installed again, it goes on" came_back
  check "a purge takes everything" purge
  finish
fi
