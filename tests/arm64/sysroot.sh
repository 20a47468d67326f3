#!/bin/sh
# Headers and libraries of arm64 packages under FOLDER/root, for the cross compiler and the emulator, from the running
# system's own package sources. Nothing is installed and no privilege is needed: packages are fetched and unpacked.
# usage: sysroot.sh FOLDER PACKAGE...
#
# DATUM_ARM64_SOURCES names a sources.list of arm64 packages of the same release, where the system's sources have none
# (Ubuntu keeps them on another server). What dpkg-shlibdeps asks of a system's database is there as well, with paths of
# this folder.
set -eu
folder=$1
shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
root=$folder/root
wanted="$* $(. /etc/os-release && echo "${VERSION_CODENAME:-}")"
[ "$(cat "$folder/made-of" 2>/dev/null)" != "$wanted" ] || exit 0

apt=$folder/apt
rm -rf "$root" "$folder/made-of" "$apt/status"
mkdir -p "$root/var/lib/dpkg/info" "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/none"
: >"$apt/status"
if [ -n "${DATUM_ARM64_SOURCES:-}" ]; then
  cp "$DATUM_ARM64_SOURCES" "$apt/sources.list"
else
  for origin in Debian Ubuntu; do
    apt-get indextargets --format 'deb [SIGNED] $(REPO_URI) $(RELEASE) $(COMPONENT)' \
      'Created-By: Packages' "Origin: $origin" 2>/dev/null || true
  done | sort -u >"$apt/sources.list"
  key=
  for file in debian-archive-keyring ubuntu-archive-keyring; do
    [ ! -e "/usr/share/keyrings/$file.gpg" ] || key=/usr/share/keyrings/$file.gpg
  done
  sed -i "s|\[SIGNED\]|${key:+[signed-by=$key]}|" "$apt/sources.list"
fi
[ -s "$apt/sources.list" ] || { echo "arm64: apt names no package sources; run apt-get update" >&2; exit 1; }

# The system's ways to its servers, and nothing else of its settings: some of them clean up after apt.
{
  apt-config dump | grep '^Acquire::' || true
  cat <<TEXT
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/none";
Dir::Etc::parts "$apt/none";
Dir::Etc::preferencesparts "$apt/none";
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
TEXT
} >"$apt/apt.conf"
APT_CONFIG=$apt/apt.conf
export APT_CONFIG
apt-get update -qq
apt-get install -qq --yes --download-only "$@" >/dev/null

cd "$root"
database=var/lib/dpkg
echo 1 >$database/info/format  # names with architectures
for package in "$apt"/cache/archives/*.deb; do
  dpkg-deb -x "$package" .
  dpkg-deb -f "$package" | sed '/^Package:/a Status: install ok installed' >>$database/status
  echo >>$database/status
  name=$database/info/$(dpkg-deb -f "$package" Package)
  # dpkg names a package's files by its architecture where several may be installed.
  [ "$(dpkg-deb -f "$package" Multi-Arch)" != same ] || name=$name:arm64
  dpkg-deb --fsys-tarfile "$package" | tar -t | sed "s|^[.]|$root|; s|/\$||" >"$name.list"
  for file in symbols shlibs; do
    dpkg-deb -I "$package" $file >"$name.$file" 2>/dev/null || rm -f "$name.$file"
  done
done
[ -e lib ] || ln -s usr/lib lib
# Links that a system resolves from its own root.
find . -type l -lname '/*' | while read -r link; do
  ln -sfnr ".$(readlink "$link")" "$link"
done
rm -f "$apt"/cache/archives/*.deb
echo "$wanted" >"$folder/made-of"
