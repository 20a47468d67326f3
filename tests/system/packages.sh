#!/bin/sh
# The packages in a minimal Debian: each alone, with what apt brings for it; an upgrade from the package of before, which had everything;
# lintian. One line a check; exit status 1 where one fails. `./datum package --check`. Usage: packages.sh FOLDER-OF-PACKAGES ROOT, where
# ROOT is made by debootstrap unless it is there. Needs root, debootstrap and dpkg-dev; no service is started.
set -eu
packages=$(cd "$1" && pwd)
base=$2
architecture=$(dpkg --print-architecture)
if [ ! -e "$base/etc/debian_version" ]; then
  mirror=${DATUM_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)}
  # shellcheck source=/dev/null
  debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$base" "$mirror" >"$base.log" 2>&1
fi
work=$(mktemp -d)
mounted=
failed=0
unmount() {
  for place in $mounted; do umount "$place" || umount -l "$place"; done
  mounted=
}
leave() {
  unmount 2>/dev/null || true
  [ -z "$mounted" ] && rm -rf "$work"
}
trap leave EXIT
trap 'exit 1' INT TERM

fresh() {  # the root as it was, as $root, with a repository of the packages in $work/repository
  unmount
  rm -rf "$work/over"
  mkdir -p "$work/over/up" "$work/over/work" "$work/over/root"
  root=$work/over/root
  mount -t overlay overlay -o "lowerdir=$base,upperdir=$work/over/up,workdir=$work/over/work" "$root" 2>/dev/null ||
    { cp -a "$base/." "$root" && mount --bind "$root" "$root"; }
  mount -t proc proc "$root/proc"
  mounted="$root/proc $root"
  cp -a "$work/repository" "$root/repository"
  echo "deb [trusted=yes] file:/repository ./" >"$root/etc/apt/sources.list.d/datumd.list"
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
  in_root apt-get update -qq
}
in_root() { DEBIAN_FRONTEND=noninteractive LC_ALL=C chroot "$root" "$@"; }
index() { (cd "$work/repository" && dpkg-scanpackages -m . >Packages 2>/dev/null); }
check() {  # what command...
  what=$1
  shift
  if "$@" >"$work/said" 2>&1; then echo "ok: $what"; else
    echo "FAILED: $what"
    tail -n 15 "$work/said"
    failed=1
  fi
}
fails() { ! "$@"; }
has() { in_root dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }
installs() { in_root apt-get install -y -qq --no-install-recommends "$@"; }
says_its_usage() { in_root "/usr/bin/$1" --help | grep -q . || in_root "/usr/bin/$1" --version; }
intact() { in_root dpkg --verify "$1" && in_root test -s "/usr/share/doc/$1/$1.spdx.json" && in_root test -s "/usr/share/doc/$1/copyright"; }
pages() {  # each program of the package has a manual page of its name in it, and units have theirs
  for program in $(in_root dpkg -L "$1" | sed -n 's|^/usr/bin/||p'); do
    case $program in virtual-* | datumd-gpu | datumd-parse | datumd-sign) continue ;; esac
    in_root dpkg -L "$1" | grep -q "^/usr/share/man/man[0-9]/$program[.]" || { echo "no page of $program"; return 1; }
  done
}
gone() {  # name
  left=$(in_root find / -xdev -path /repository -prune -o -path /proc -prune -o -path /var/lib/dpkg -prune -o -path /var/cache -prune -o \
    -path /var/lib/apt -prune -o -path /var/log -prune -o -name "$1*" -print)
  [ -z "$left" ] || { echo "left: $left"; return 1; }
}

mkdir "$work/repository"
cp "$packages"/datumd*_"$architecture".deb "$work/repository"
index
for package in "$work"/repository/*.deb; do
  name=$(dpkg-deb -f "$package" Package)
  fresh
  echo "== $name: $(dpkg-deb -f "$package" Depends | cut -c 1-160)"
  check "$name is installed alone, and apt brings the rest" installs "$name"
  case $name in
    datumd) check "datumd brings none of the others" fails sh -c "chroot $root dpkg -l 'datumd-*' | grep -q ^ii" ;;
    datumd-collect) check "it needs no datumd" fails has datumd ;;
  esac
  check "its files are as they were packed, with licence and contents" intact "$name"
  check "its programs have their pages" pages "$name"
  for program in $(dpkg-deb -c "$package" | sed -n 's|.* ./usr/bin/\(datum[a-z-]*\)$|\1|p'); do
    check "$program starts" says_its_usage "$program"
  done
  check "it is purged" in_root apt-get purge -y -qq "$name"
  [ "$name" = datumd ] || check "nothing of it is left" gone "$name"
done

# The package of before: everything in one, version without a revision.
dpkg-deb -R "$work/repository/datumd"_*.deb "$work/old"
dpkg-deb -x "$work/repository/datumd-view"_*.deb "$work/old"
sed -i -e 's/^Version: .*/Version: 0.1.0/' -e '/^Recommends: /d' "$work/old/DEBIAN/control"
fresh
echo "== upgrade from one package"
mv "$root/repository" "$work/aside"
mkdir "$root/repository"
dpkg-deb --root-owner-group -Znone -b "$work/old" "$root/repository/datumd_0.1.0_$architecture.deb" >/dev/null
(cd "$root/repository" && dpkg-scanpackages -m . >Packages 2>/dev/null)
in_root apt-get update -qq
check "the package of before is installed" in_root apt-get install -y -qq --no-install-recommends datumd
check "with the pages" in_root test -x /usr/bin/datumd-view
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s /lib/systemd/system/datumd-view.service "$root/etc/systemd/system/multi-user.target.wants/datumd-view.service"
echo 'lots' >"$root/var/lib/datumd/kept"
rm -rf "$root/repository"
mv "$work/aside" "$root/repository"
in_root apt-get update -qq
check "datumd-view alone breaks the package of before" fails in_root dpkg -i "/repository/$(cd "$root/repository" && ls datumd-view_*.deb)"
in_root dpkg --remove datumd-view >/dev/null 2>&1 || true
check "an upgrade" in_root apt-get install -y -qq datumd
check "keeps the pages for whoever had them" has datumd-view
check "their program is there" says_its_usage datumd-view
check "their unit is enabled" in_root test -e /etc/systemd/system/multi-user.target.wants/datumd-view.service
check "no file is two packages'" sh -c "! chroot $root dpkg -S /usr/bin/datumd-view | grep -q ,"
check "what was measured is kept" in_root test -e /var/lib/datumd/kept
check "the files are as they were packed" in_root dpkg --verify datumd datumd-view

# Of lintian's errors these packages have three on purpose: nobody's mail address, the whole licence, a changelog for users.
if command -v lintian >/dev/null; then
  on_purpose=bogus-mail-host,root-in-contact,copyright-file-contains-full-apache-2-license,copyright-not-using-common-license-for-apache2
  check "lintian finds no other error" lintian --fail-on error --suppress-tags \
    "$on_purpose,debian-changelog-file-missing-or-wrong-name,no-manual-page,syntax-error-in-debian-changelog" "$work"/repository/*.deb
fi
exit $failed
