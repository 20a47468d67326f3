#!/bin/sh
# A newcomer's machines: bare Debian roots, a fresh clone of the committed tree in each, and ./datum with no other step.
# Needs root, debootstrap and a mirror (DATUM_MIRROR, else the host's own of Debian, archive.ubuntu.com of Ubuntu). Usage:
#   clean_root.sh [FOLDER [ROOT [COMMAND...]]]
# Roots, FOLDER/ROOT each: `minimal` has Debian 12's packages of priority `required`, and runs demo and test; `debian-13` is the
# same of Debian 13 (a newer compiler, newer libraries), `ubuntu-22.04` and `ubuntu-24.04` of Ubuntu, each where it is named;
# `standard` has Debian 12's of `important` and `standard` too, as the
# installer leaves a machine (groff, man, perl, python3, an ssh client: a minimal root hides what they change), and starts each
# command of `./datum help` once, in its shortest form. COMMAND: these alone.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$(mktemp -d)}
roots=${2:-minimal debian-13 standard}
[ $# -lt 2 ] || shift
[ $# -eq 0 ] || shift

# One command a line, in its shortest form; behind '|' why it is not started here.
shortest() {
  cat <<'TEXT'
first-hour
demo
demo --surface
demo --snapshots
demo --fringe
demo --quality
demo --plant
demo --devices
deps
fmt --check
transcripts show
statistics --short
defects --frames 2 --size 0402
terminals --frames 2
placements --placements 2
long
placements --placements 3 --pixels 2000
soak --boards 20 --seed 1
faults clock --times 1
verdicts /opt/verdicts --boards 3
install /opt/datumd
package
package --check
bench commands
bench plant --results 200 --rounds 1
bench pages --results 2000 --lot 20
bench planes --gpu --quick | needs a CUDA device
bench fft
bench diffusion
bench lu --cpu
bench fringe --quick
comparison
coverage -R House
fuzz toml_recipe --runs 1000
sanitize asan -R House
tidy config/config_error.cpp
package --arm64
test
test --plant
test --pairs
test --arm64
test --system
attack
clean-root | is what runs here
TEXT
}
# A command of the help that has no line above is a mistake of this file.
for word in $("$tree/datum" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' | sort -u); do
  shortest | grep -q "^$word\( \|\$\)" || { echo "datum clean-root: './datum $word' of the help is not started; add a line to $0" >&2; exit 2; }
done
[ "$(id -u)" = 0 ] || { echo "datum clean-root: run as root: a root file system is made and entered" >&2; exit 2; }

mounted=
unmount() {
  for place in $mounted; do umount -l "$place" || true; done
  mounted=
}
trap unmount EXIT INT TERM
mount_in() {  # type source place
  mkdir -p "$3"
  mount $1 "$2" "$3"
  mounted="$3 $mounted"
}
inside() {  # root command
  chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive sh -c "$2"
}

make_root() {  # root kind
  case $2 in standard) variant= ;; *) variant=--variant=minbase ;; esac
  case $2 in debian-13) suite=trixie ;; ubuntu-22.04) suite=jammy ;; ubuntu-24.04) suite=noble ;; *) suite=bookworm ;; esac
  script=
  case $2 in
    ubuntu-*)
      mirror=${DATUM_MIRROR:-http://archive.ubuntu.com/ubuntu}
      keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg
      if [ -e $keyring ]; then
        variant="$variant --components=main,universe --keyring=$keyring"
      else
        echo "datum clean-root: no $keyring: whether the packages are Ubuntu's own is not checked" >&2
        variant="$variant --components=main,universe --no-check-gpg"
      fi
      script=/usr/share/debootstrap/scripts/gutsy  # that of all newer ones, of which an older debootstrap lacks the names
      ;;
    *) mirror=${DATUM_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | head -n 1)} ;;
  esac
  # shellcheck disable=SC2086
  [ -x "$1/usr/bin/apt-get" ] || debootstrap $variant $suite "$1" ${mirror:+"$mirror"} $script
  printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"  # a root that is entered starts no services
  chmod +x "$1/usr/sbin/policy-rc.d"
}
enter() {  # root
  mount_in "-t proc" proc "$1/proc"
  mount_in "-t sysfs" sysfs "$1/sys"
  mount_in --bind /dev "$1/dev"
  mount_in --bind /dev/pts "$1/dev/pts"
  cp /etc/resolv.conf "$1/etc/resolv.conf"
  data=${DATUM_REAL_DATA:-$tree/../shared/data}
  if [ -d "$data" ]; then mount_in "--bind -o ro" "$data" "$1/src/shared/data"; fi
  rm -rf "$1/src/datumd"
  git clone --quiet "$tree" "$1/src/datumd"
}
add_standard() {  # root
  inside "$1" 'apt-get update -qq
    apt-get install -y -qq $(apt-cache dumpavail |
      awk "/^Package: /{name = \$2} /^Priority: standard\$/{print name}" | sort -u) >/dev/null'
}

failed=0
for kind in $roots; do
  case $kind in
    minimal | debian-13 | ubuntu-22.04 | ubuntu-24.04 | standard) ;;
    *) echo "datum clean-root: root '$kind'; allowed: minimal, debian-13, ubuntu-22.04, ubuntu-24.04, standard" >&2; exit 2 ;;
  esac
  root=$folder/$kind
  make_root "$root" "$kind"
  enter "$root"
  [ $kind != standard ] || add_standard "$root"
  if [ $# -gt 0 ]; then
    asked=$(printf '%s\n' "$@")
  elif [ $kind != standard ]; then
    asked=$(printf 'demo\ntest\n')
  else
    asked=$(shortest)
  fi
  echo "$asked" | sed 's/ *|/|/' >"$root/commands"
  : >"$root/outcomes"
  while IFS='|' read -r command why; do
    if [ -n "$why" ]; then
      echo "SKIPPED ./datum $command:$why" | tee -a "$root/outcomes"
      continue
    fi
    echo "== $kind root: ./datum $command"
    begun=$(date +%s) status=0
    inside "$root" "cd /src/datumd && ./datum $command" </dev/null >"$root/output" 2>&1 || status=$?
    tail -n 15 "$root/output"
    # An exit status is a command's own word of what it found, too: comparison and benches have none but 0.
    if [ $status -eq 0 ]; then outcome=OK; else outcome=FAILED failed=1; fi
    echo "$outcome ./datum $command (exit status $status, $(($(date +%s) - begun)) s)" | tee -a "$root/outcomes"
  done <"$root/commands"
  echo "== $kind root:"
  cat "$root/outcomes"
  unmount
done
exit $failed
