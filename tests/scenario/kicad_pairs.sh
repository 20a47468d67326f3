#!/bin/sh
# Boards in each format that KiCad's own exporters write, for `./datum test --pairs`. Usage: kicad_pairs.sh FOLDER
# FOLDER/BOARD holds board.kicad_pcb and its exports; what is there already is not made again. Needs kicad-cli 9 (ODB++) and
# kicad-demos (DATUM_KICAD_DEMOS: another folder of boards); where this machine lacks them, a bare root of Debian 13 in FOLDER/.root is
# made and used (root only). DATUM_PAIRS_LARGEST: bytes of the largest board (default 8 MB: a board of 70 MB takes half an hour).
set -eu
largest=${DATUM_PAIRS_LARGEST:-8000000}
demos=${DATUM_KICAD_DEMOS:-/usr/share/kicad/demos}

has_exporters() { [ "$(kicad-cli version 2>/dev/null | cut -d. -f1)" -ge 9 ] 2>/dev/null; }

make() {  # file arguments...: one export of $board, whole or not at all
  file=$1
  shift
  [ ! -e "$file" ] || return 0
  rm -rf part
  mkdir part
  if kicad-cli pcb export "$@" -o "part/$file" board.kicad_pcb >"$file.log" 2>&1 && [ -e "part/$file" ]; then
    mv "part/$file" "$file"
    rm "$file.log"
  else
    echo "kicad_pairs: $(pwd)/$file: kicad-cli failed; see $file.log" >&2
  fi
  rm -rf part
}

export_board() {  # board folder
  mkdir -p "$2"
  cp "$1" "$2/board.kicad_pcb"
  cd "$2"
  make ipc2581b.xml ipc2581 --version B
  make ipc2581c.xml ipc2581 --version C
  make ipc2581c-inch.xml ipc2581 --version C --units in
  # By default ODB++ has two decimals: 5 um.
  make odb.zip odb --compression zip --precision 6
  make odb.tgz odb --compression tgz --precision 6
  make odb odb --compression none --precision 6
  make odb-inch.zip odb --compression zip --precision 8 --units in
  make odb-two-decimals.zip odb --compression zip
  make all.pos pos --units mm
  make all.csv pos --units mm --format csv
  make inch.csv pos --units in --format csv
  make back.pos pos --units mm --side back
  make back-negated.pos pos --units mm --side back --bottom-negate-x
}

export_all() {  # folder
  find "$demos" -name '*.kicad_pcb' -size "-${largest}c" -size +100c | sort | while read -r board; do
    (export_board "$board" "$1/$(basename "$board" .kicad_pcb | tr ' ' _)")
  done
}

use_root() {  # folder: the same in a bare root
  [ "$(id -u)" = 0 ] || { echo "kicad_pairs: there is no kicad-cli 9 here, and only root can make a bare root for it" >&2; exit 77; }
  root=$1/.root
  mirror=${DATUM_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | head -n 1)}
  [ -x "$root/usr/bin/apt-get" ] || debootstrap --variant=minbase trixie "$root" ${mirror:+"$mirror"} >&2
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod +x "$root/usr/sbin/policy-rc.d"
  inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive DATUM_PAIRS_LARGEST="$largest" sh -c "$1"; }
  inside 'command -v kicad-cli >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends kicad kicad-demos >/dev/null; }' >&2
  cp "$0" "$root/kicad_pairs.sh"
  mkdir -p "$root/pairs"
  inside 'sh /kicad_pairs.sh /pairs'
  for board in "$root"/pairs/*/; do cp -r --update "$board" "$1/"; done
}

mkdir -p "$1"
folder=$(cd "$1" && pwd)
if has_exporters && [ -d "$demos" ]; then export_all "$folder"; else use_root "$folder"; fi
