#!/bin/sh
# A newcomer's machine: a bare Debian 12 root, a fresh clone of the committed tree, then `./datum demo` and
# `./datum test` with no other step. Needs root, debootstrap and a Debian mirror (DATUM_MIRROR, else the host's own).
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
root=${1:-$(mktemp -d)/bookworm}
[ "$(id -u)" = 0 ] || { echo "datum fresh: run as root: a root file system is made and entered" >&2; exit 2; }

mirror=${DATUM_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | head -n 1)}
if [ ! -x "$root/usr/bin/apt-get" ]; then
  debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"}
fi

mounted=
unmount() {
  for place in $mounted; do umount -l "$place" || true; done
}
trap unmount EXIT INT TERM
mount_in() {  # type source place
  mkdir -p "$3"
  mount $1 "$2" "$3"
  mounted="$3 $mounted"
}
mount_in "-t proc" proc "$root/proc"
mount_in "-t sysfs" sysfs "$root/sys"
mount_in --bind /dev "$root/dev"
mount_in --bind /dev/pts "$root/dev/pts"
cp /etc/resolv.conf "$root/etc/resolv.conf"
data=${DATUM_REAL_DATA:-$tree/../shared/data}
if [ -d "$data" ]; then mount_in "--bind -o ro" "$data" "$root/src/shared/data"; fi

rm -rf "$root/src/datumd"
git clone --quiet "$tree" "$root/src/datumd"
for command in demo test; do
  echo "== fresh root: ./datum $command"
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    sh -c "cd /src/datumd && ./datum $command"
done
