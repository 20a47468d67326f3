#!/bin/sh
# datumd for 64-bit Arm on an x86 machine: cross compiled against libraries unpacked under build/arm64 and run on an emulated
# processor. `./datum test --arm64` and `./datum package --arm64` are this script.
# usage: arm64.sh kernels|board|cuda|package JOBS [PACKAGE...]; packages are those of the libraries
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
what=$1
jobs=$2
shift 2
out=$tree/build/arm64
root=$out/sysroot/root
bin=$tree/build/release/bin  # of this machine, built before

libraries() {
  "$tree/tests/arm64/sysroot.sh" "$out/sysroot" libc6-dev "libstdc++-$(aarch64-linux-gnu-g++ -dumpversion)-dev" "$@"
}

configure() {  # folder [cmake argument...]
  folder=$1
  shift
  said=$(cmake -S "$tree" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_UNITY_BUILD_BATCH_SIZE=8 -DCMAKE_TOOLCHAIN_FILE="$tree/cmake/aarch64.cmake" \
    -DDATUM_SYSROOT="$root" -DDATUM_CUDA=OFF "$@" 2>&1) || { echo "$said"; exit 1; }
}

arm() { qemu-aarch64-static -L "$root" "$@"; }

same() {  # name file file
  if cmp -s "$2" "$3"; then echo "same bytes: $1"; else echo "OTHER BYTES: $1"; diff "$2" "$3" | head -5; failed=1; fi
}

# Every kernel's tests, on vectors of this processor's own; then one hash of each kernel on both. Statistics and real data say
# nothing that depends on a processor.
kernels() {
  configure "$out/kernels" -DDATUM_DAEMON=OFF
  tests=$(sed -n 's/^ *datum_test(\([a-z_]*_test\) .*/\1/p' "$tree/tests/gpu/CMakeLists.txt" | grep -vE 'cuda|second_level|realdata')
  # shellcheck disable=SC2086
  cmake --build "$out/kernels" -j "$jobs" --target kernel_hashes $tests
  for test in $tests; do echo "$test"; done | xargs -P "$jobs" -I NAME sh -c '
    "$0" -L "$1" "$2/bin/NAME" >"$2/NAME.said" 2>&1 && passed=ok || passed=FAILED
    echo "$passed NAME: $(tail -n 1 "$2/NAME.said")"
    [ $passed = ok ] || { grep -A 8 Failure "$2/NAME.said" | head -n 40; exit 1; }' \
    qemu-aarch64-static "$root" "$out/kernels" || failed=1
  "$bin/kernel_hashes" | cut -d' ' -f1,3 | sort -u >"$out/hashes.here"
  arm "$out/kernels/bin/kernel_hashes" | cut -d' ' -f1,3 | sort -u >"$out/hashes.arm64"
  same "every kernel" "$out/hashes.here" "$out/hashes.arm64"
}

verdict() {  # file command...: what a verdict says, without who made it and when
  file=$1
  shift
  "$@" >"$file.whole" 2>"$file.said" || [ $? -le 3 ] || { cat "$file.said"; exit 1; }
  python3 - "$file.whole" >"$file" <<'TEXT'
import json, sys
verdict = json.load(open(sys.argv[1]))
for key in ("measured_at", "backend", "controller", "code"):
    verdict.pop(key, None)
print(json.dumps(verdict, indent=1))
TEXT
}

# Whole boards, from the frame's file to the verdict. The frames are made here, for both.
board() {
  build_daemon
  arm "$out/daemon/bin/datumd" --version
  work=$out/boards
  rm -rf "$work"
  mkdir -p "$work/drop"
  cd "$tree/config"
  stage=120.8,79.4,35.1
  "$bin/virtual-sensor" --recipe recipes/demo-board.toml --twin twins/demo.toml --calibration calibrations/demo.toml \
    --position $stage --drop "$work/drop" --board good --board "lifted=U3,missing=C3,height=L1:2700" --board "occluded=U1"
  sed '/^\[package.TQFP44\]/a fallback = "warp"' recipes/demo-board.toml |
    cat - "$tree/tests/arm64/every-stage.toml" >"$work/every-stage.toml"
  for frame in "$work"/drop/*.json; do
    for recipe in recipes/demo-board.toml "$work/every-stage.toml"; do
      set -- --once "$frame" --recipe "$recipe" --sensor sensors/virtual.toml --calibration calibrations/demo.toml \
        --position $stage --json
      verdict "$work/here" "$bin/datumd" "$@"
      verdict "$work/arm64" arm "$out/daemon/bin/datumd" "$@"
      same "$(basename "$frame" .json) by $(basename "$recipe" .toml), $(grep -m 1 '"decision"' "$work/arm64")" \
        "$work/here" "$work/arm64"
    done
  done
  real=${DATUM_REAL_DATA:-$tree/../shared/data}/pemtron/board.ptr
  if [ -e "$real" ]; then
    set -- --once "$real" --recipe recipes/pemtron-warpage.toml --sensor sensors/pemtron.toml --json
    verdict "$work/here" "$bin/datumd" "$@"
    verdict "$work/arm64" arm "$out/daemon/bin/datumd" "$@"
    same "a real board" "$work/here" "$work/arm64"
  else
    echo "SKIPPED: a real board; DATUM_REAL_DATA names no folder with pemtron/board.ptr"
  fi
}

build_daemon() {
  configure "$out/daemon" -DDATUM_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr
  cmake --build "$out/daemon" -j "$jobs" --target programs
}

# dpkg-shlibdeps asks the unpacked packages which of them the programs need.
package() {
  build_daemon
  rm -f "$tree"/build/package/datumd*_arm64.deb
  (
    cd "$out/daemon"
    DPKG_ADMINDIR=$root/var/lib/dpkg
    DEB_HOST_ARCH=arm64
    export DPKG_ADMINDIR DEB_HOST_ARCH
    cpack -G DEB -B "$tree/build/package" -D CPACK_DEBIAN_PACKAGE_ARCHITECTURE=arm64 \
      -D "CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS=$root/usr/lib/aarch64-linux-gnu;$root/lib/aarch64-linux-gnu" >&2
  )
  for made in "$tree"/build/package/datumd*_arm64.deb; do
    # CPack goes on without the dependencies where dpkg-shlibdeps stumbles.
    dpkg-deb -f "$made" Depends | grep -q 'libstdc++6' || { echo "arm64: $made names no libraries to depend on" >&2; exit 1; }
    "$tree/systemd/finish_package.sh" "$made" "$out/daemon" "$root"
    echo "$made"
  done
}

failed=0
case $what in
  cuda) "$tree/tests/arm64/cuda_objects.sh" "$out/cuda" "$jobs" ;;
  kernels | board | package)
    libraries "$@"
    $what
    ;;
esac
exit $failed
