#!/bin/sh
# Adds the SBOM to CPack's package and packs it again, so that equal trees give equal bytes: time of the commit, modes
# without umask, sorted names. Usage: finish_package.sh PACKAGE BUILD [SYSROOT]: packages of another architecture.
set -eu
package=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
LC_ALL=C TZ=UTC
export LC_ALL TZ
umask 022
commit=$(git -C "$here" describe --always --dirty --abbrev=12 2>/dev/null) || commit=release
: "${SOURCE_DATE_EPOCH:=$(git -C "$here" log -1 --format=%ct 2>/dev/null || stat -c %Y "$here/../CHANGELOG.md")}"
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
dpkg-deb --raw-extract "$package" "$root"
find "$root" -type d -exec chmod 0755 {} +
python3 "$here/sbom.py" "$root" "$build" "$here/DEPENDENCIES.md" "$commit" ${3:+"$3"} >"$work/sbom"
name=$(dpkg-deb -f "$package" Package)
install -m 0644 "$work/sbom" "$root/usr/share/doc/$name/$name.spdx.json"
(cd "$root" && find usr lib etc -type f 2>/dev/null | sort | xargs -d '\n' md5sum) >"$work/md5sums"
install -m 0644 "$work/md5sums" "$root/DEBIAN/md5sums"
size=$(find "$root" -path "$root/DEBIAN" -prune -o -type f -printf '%s\n' | awk '{ kib += int(($1 + 1023) / 1024) } END { print kib }')
sed -i "s/^Installed-Size: .*/Installed-Size: $size/" "$root/DEBIAN/control"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
# The compressor's blocks depend on its number of threads.
DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group -Zxz --build "$root" "$work/package.deb" >/dev/null
install -m 0644 "$work/package.deb" "$package"
