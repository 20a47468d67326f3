#!/bin/sh
# A Debian 12 system that can be booted: image.sh FOLDER PACKAGE... makes root.ext4, vmlinuz and initrd.img in FOLDER, which
# stay for the next run. Its apt knows what each PACKAGE depends on and holds it downloaded, so that `apt install ./PACKAGE`
# has something to do and needs no network.
set -eu
folder=$1
shift
depends=$(for package; do dpkg-deb -f "$package" Depends; done | sed 's/([^)]*)//g; s/,/ /g' | tr -s ' ' '\n' | grep -v '^datumd' | sort -u |
  tr '\n' ' ')
here=$(cd "$(dirname "$0")" && pwd)

# What a controller has besides datumd, and what the checks speak to it with.
tools=systemd-sysv,dbus,udev,kmod,linux-image-amd64,initramfs-tools,procps,socat,openssl
# A TPM as a program, and by what systemd reaches one.
tools=$tools,swtpm,libtss2-esys-3.0.2-0,libtss2-rc0,libtss2-mu0,libtss2-tcti-swtpm0
# The plant's database, which the checks install.
depends="$depends postgresql"
key=$( (cat "$0" "$here/checks.service"; echo "$depends") | sha256sum | cut -d ' ' -f 1)
[ "$(cat "$folder/root.key" 2>/dev/null)" != "$key" ] || exit 0

# The distribution's own servers, as this system knows them.
sources=$(mktemp)
root=$(mktemp -d)
trap 'rm -rf "$sources" "$root"' EXIT
apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) main' 'Created-By: Packages' 'Component: main' |
  sort -u >"$sources"

rm -f "$folder/root.key"
mmdebstrap --quiet --mode=root --variant=minbase --include="$tools" --skip=cleanup/apt \
  --customize-hook="chroot \"\$1\" apt-get install -qq -y --no-install-recommends --download-only $depends" \
  --customize-hook="copy-in '$here/checks.service' /etc/systemd/system" \
  --customize-hook='chroot "$1" systemctl --quiet enable checks.service' \
  --customize-hook='echo cell >"$1/etc/hostname"; mkdir "$1/payload"; rm -f "$1/etc/resolv.conf"' \
  bookworm "$root" "$sources"
cp "$root"/boot/vmlinuz-* "$folder/vmlinuz"
cp "$root"/boot/initrd.img-* "$folder/initrd.img"
rm -f "$folder/root.ext4"
mke2fs -q -t ext4 -d "$root" "$folder/root.ext4" 4G >/dev/null
echo "$key" >"$folder/root.key"
