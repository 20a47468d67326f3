# shellcheck shell=sh
# What the service may not do, and how much it may take.
main_pid() {
  property datumd.service MainPID
}
exposure() {
  level=$(systemd-analyze security --no-pager "$1" | sed -n 's/.*exposure level for [^:]*: \([0-9.]*\).*/\1/p')
  echo "exposure $level"
  [ -n "$level" ] && awk "BEGIN { exit !($level <= 1.3) }"
}
unprivileged() {
  says '^NoNewPrivs:.1$' cat "/proc/$(main_pid)/status" && says '^Seccomp:.2$' cat "/proc/$(main_pid)/status" &&
    says '^CapEff:.0+$' cat "/proc/$(main_pid)/status" && says '^CapBnd:.0+$' cat "/proc/$(main_pid)/status" &&
    says '^datumd$' ps -o user= -p "$(main_pid)"
}
limits() {
  group=/sys/fs/cgroup$(property datumd.service ControlGroup)
  says '^1024$' cat "$group/pids.max" && fails says max cat "$group/memory.max" &&
    [ "$(cat "$group/memory.max")" -lt "$(awk '/MemTotal/ { print $2 * 1024 }' /proc/meminfo)" ]
}
devices() {  # a program under the unit's fences: the serial line opens, the disk does not
  fence="systemd-run -q --wait --pipe -p User=datumd -p SupplementaryGroups=disk -p DevicePolicy=closed \
    -p PrivateUsers=yes"
  for allowed in $(sed -n 's/^DeviceAllow=\(\S*\) rw$/\1/p' /usr/lib/systemd/system/datumd.service); do
    fence="$fence -p DeviceAllow=$allowed"
  done
  disk=$(findmnt -n -o SOURCE /)
  serial=/dev/ttyS0
  [ ! -c /dev/datumd/HOST ] || serial=/dev/datumd/HOST
  $fence -- dd if=$serial count=0 && says 'Operation not permitted' sh -c "$fence -- dd if=$disk count=1; true"
}
private() {  # other users read neither results nor drop frames
  fails runuser -u nobody -- cat /var/lib/datumd/results.db && fails runuser -u nobody -- ls /var/lib/datumd/drop
}

own_memory() {  # the calls that the unit's filter lets through
  ! systemctl show --value -p SystemCallFilter datumd.service | tr ' ' '\n' | grep -Eqx 'process_vm_(read|write)v'
}

fences_checks() {
  check "systemd-analyze security: at most 1.3" exposure datumd.service
  check "an account of its own, no capability, calls filtered" unprivileged
  check "no call that reaches into another process's memory" own_memory
  check "memory and tasks are limited" limits
  check "serial ports open to it, a disk does not" devices
  check "other users see nothing of its folder" private
}
