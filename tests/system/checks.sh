# shellcheck shell=sh
# Everything that is checked in the booted system, in order; a reboot lies between the two halves.
cd /payload || exit
. ./lib.sh
. ./install.sh
. ./service.sh

finish() {
  echo "$(count passed) passed, $(count failed) failed" | tell
  sync
  systemctl poweroff
}

case $(cat $state/half 2>/dev/null) in
  '')
    install_checks
    service_checks
    finish
    ;;
esac
