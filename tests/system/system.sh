#!/bin/sh
# `./datum test --system`: a Debian 12 machine boots, the packages are installed, and what its user relies on is checked:
# system.sh PACKAGE.deb FOLDER [attack]. FOLDER keeps the system between runs; each run starts from a fresh copy of it. One line a
# check; SKIPPED and why where this machine can't boot another. `./datum attack` has attack.sh's probes run in place of the checks.
set -eu
skip() {
  echo "SKIPPED: $1"
  exit 0
}
here=$(cd "$(dirname "$0")" && pwd)
package=$(realpath "$1")
folder=$2
deadline_s=${DATUM_SYSTEM_DEADLINE_S:-1800}

# shellcheck source=/dev/null
. /etc/os-release
[ "$ID-${VERSION_ID:-}" = debian-12 ] || skip "a package made on $PRETTY_NAME does not install on Debian 12"
[ "$(id -u)" = 0 ] || skip "run as root: a root file system is made"
# Where a processor shows neither vmx nor svm, KVM does not get through a kernel's first instructions; Linux as a program
# (user-mode-linux) boots there in a tenth of the time that an emulated processor takes.
machine=program
[ ! -w /dev/kvm ] || ! grep -Eqw 'vmx|svm' /proc/cpuinfo || machine=kvm
machine=${DATUM_SYSTEM_MACHINE:-$machine}
case $machine in
  kvm) tools=qemu-system-x86_64 processor="-accel kvm -cpu host" ;;
  emulated) tools=qemu-system-x86_64 processor="-accel tcg -cpu max" ;;
  program) tools=linux.uml ;;
  *) echo "DATUM_SYSTEM_MACHINE=$machine is none of kvm, emulated, program" >&2; exit 2 ;;
esac
for tool in $tools mmdebstrap mke2fs; do
  command -v "$tool" >/dev/null || skip "no $tool"
done
[ "$(dpkg --print-architecture)" = amd64 ] || skip "the machine that is booted is an amd64"

mkdir -p "$folder"
# The others of the same build lie beside it.
beside=
for name in datumd-view datumd-plant datumd-collect datumd-plant-view; do
  beside="$beside $(ls -t "$(dirname "$package")/${name}"_*.deb | head -n 1)"
done
# shellcheck disable=SC2086
"$here/image.sh" "$folder" "$package" $beside
run=$(mktemp -d)
booted=''
# shellcheck disable=SC2086
trap 'kill $booted 2>/dev/null || true; rm -rf "$run"' EXIT INT TERM

# What is upgraded from: DATUM_OLD_PACKAGE, or this package under a version of before.
mkdir "$run/payload"
cp "$here"/*.sh "$here"/attack.pl "$run/payload"
[ "${3:-checks}" = checks ] || cp "$here/$3.sh" "$run/payload/checks.sh"
cp "$package" "$run/payload/datumd.deb"
for other in $beside; do cp "$other" "$run/payload/$(basename "${other%%_*}").deb"; done
if [ -n "${DATUM_OLD_PACKAGE:-}" ]; then
  cp "$DATUM_OLD_PACKAGE" "$run/payload/datumd-old.deb"
else
  dpkg-deb -R "$package" "$run/old"
  sed -i 's/^Version: .*/&~before/' "$run/old/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone -b "$run/old" "$run/payload/datumd-old.deb" >/dev/null
fi
mke2fs -qF -t ext4 -L PAYLOAD -d "$run/payload" "$run/payload.ext4" 256M >/dev/null

# The system manager takes it from the kernel's command line, and attack_sign.sh starts it. The signer reaches no network.
tpm=SYSTEMD_TPM2_DEVICE=swtpm:path=/run/tpm.sock
console=$folder/console.log
: >"$console"
boot_virtual() {  # two serial adapters on USB with a cable between them
  # shellcheck disable=SC2086
  exec timeout "$deadline_s" qemu-system-x86_64 $processor -m 2048 -smp 2 -nodefaults -display none \
    -kernel "$folder/vmlinuz" -initrd "$folder/initrd.img" -append "root=/dev/vda rw console=ttyS0 quiet panic=-1 $tpm" \
    -drive "file=$folder/root.ext4,format=raw,if=virtio,snapshot=on" \
    -drive "file=$run/payload.ext4,format=raw,if=virtio,readonly=on" -serial "file:$console" \
    -chardev "socket,id=cable,path=$run/cable,server=on,wait=off" -chardev "socket,id=host,path=$run/cable" \
    -device qemu-xhci -device usb-serial,chardev=cable,serial=CELL,always-plugged=on \
    -device usb-serial,chardev=host,serial=HOST,always-plugged=on
}
boot_program() {
  TMPDIR=$run exec timeout "$deadline_s" linux.uml "umid=datumd-$$" "uml_dir=$run/" mem=1500M \
    "ubd0=$run/cow,$folder/root.ext4" "ubd1r=$run/payload.ext4" root=/dev/ubda rw quiet "$tpm" \
    con0=null,fd:1 con=null ssl=null </dev/null >"$console" 2>&1
}
if [ "$machine" = program ]; then boot_program & else boot_virtual & fi
booted=$!
tail -n +1 -f --pid=$booted "$console" | sed -un 's/\r*$//; s/^checks| //p'
ended=0
wait $booted || ended=$?
last=$(sed -n 's/\r*$//; s/^checks| //p' "$console" | tail -n 1)
case $ended,$last in
  0,*" 0 failed" | 0,*" 0 broken") exit 0 ;;
  0,*failed | 0,*broken) ;;
  124,*) echo "FAILED: not done within $deadline_s s; the console: $console" ;;
  *) echo "FAILED: the machine ended with status $ended; its console: $console" ;;
esac
exit 1
