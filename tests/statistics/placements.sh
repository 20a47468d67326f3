#!/bin/sh
# Registration of boards' twins: recipes are imported from designs, then each board is placed at random. Usage: placements.sh BIN
# [ARGUMENT...] as of the program placements.
set -eu
bin=$1
shift
demos=/usr/share/kicad/demos
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
boards=
for name in complex_hierarchy flat_hierarchy interf_u kit-dev-coldfire-xilinx_5213 pic_programmer video; do
  design=$demos/$name/$name.kicad_pcb
  "$bin/datumctl" recipe import "$design" --name "$name" --sensor config/sensors/virtual.toml \
    --library config/packages/starter.toml --library config/packages/demo.toml -o "$folder/$name.toml" 2>"$folder/$name.log" ||
    { cat "$folder/$name.log" >&2; exit 2; }
  boards="$boards $folder/$name.toml,$design"
done
# shellcheck disable=SC2086
"$bin/placements" --twin config/twins/demo.toml "$@" $boards
