#!/bin/sh
# Compiles every CUDA source for the controllers that are sold with Arm (Orin: sm_87, Thor: sm_110), with the cross compiler for
# the host's part where the toolkit has what that needs, and lists each kernel's registers and spills. Nothing is linked.
# usage: cuda_objects.sh FOLDER JOBS
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
jobs=$2
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
[ -n "$nvcc" ] || { echo "SKIPPED: CUDA objects; nvcc is not installed"; exit 0; }
mkdir -p "$out"

# The toolkit's headers are the same for both processors; those for Arm may not be installed.
include=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/targets/x86_64-linux/include
host=
printf '__global__ void f() {}\n' >"$out/probe.cu"
if "$nvcc" -ccbin aarch64-linux-gnu-g++ "-I$include" -arch=sm_110 -c "$out/probe.cu" -o "$out/probe.o" 2>"$out/probe.said"; then
  host="-ccbin aarch64-linux-gnu-g++ -I$include"
else
  echo "the host's part by this machine's compiler, not for Arm: $(head -n 1 "$out/probe.said")"
fi

compile='
  log=$2/$(basename "$6" .cu).$3
  "$4" $5 -std=c++17 -O3 -arch=sm_$3 -fmad=false -Xcompiler=-ffp-contract=off -Xptxas -v -I"$1" -c "$1/$6" \
    -o "$log.o" >"$log.txt" 2>&1 || { echo "FAILED: $6 for sm_$3"; cat "$log.txt"; exit 1; }'
for architecture in 87 110; do
  "$nvcc" --list-gpu-code | grep -qx "sm_$architecture" ||
    { echo "SKIPPED: sm_$architecture; this toolkit does not know it"; continue; }
  (cd "$tree" && git ls-files 'gpu/*.cu') |
    xargs -P "$jobs" -n 1 sh -c "$compile" sh "$tree" "$out" $architecture "$nvcc" "$host"
  echo "sm_$architecture: $(ls "$out"/*.$architecture.o | wc -l) objects${host:+ for aarch64}; bytes that kernels spill:"
  cat "$out"/*.$architecture.txt | awk '
    /Compiling entry function/ { split($0, q, "\047"); name = q[2]; if (!(name in spilt)) { spilt[name] = 0; ++kernels } }
    /spill stores/ { for (i = 2; i < NF; ++i) if ($i == "bytes" && $(i + 1) == "spill" && $(i + 2) ~ /^stores/) spilt[name] += $(i - 1) }
    /Used [0-9]+ registers/ { for (i = 1; i < NF; ++i) if ($i == "Used") used[name] = $(i + 1) }
    END {
      for (name in spilt) if (spilt[name] > 0) { ++spilling; printf "  %5d bytes, %3d registers: %s\n", spilt[name], used[name], name }
      printf "  of %d kernels %d spill\n", kernels, spilling
    }' | sort -rn | c++filt
done
