#!/bin/sh
# carry_path.sh BIN FOLDER [BENCH]: makes FOLDER, which can be copied to a host without the Debian libraries: bench_path or BENCH
# (bench_batch), the programs that it starts (stripped), the libraries that they need, and run.sh, which starts the bench with them.
set -eu
bin=$1 folder=$2 bench=${3:-bench_path}
programs="datumd datumd-parse datumd-gpu datumctl"
[ "$bench" != bench_batch ] || programs="datumd-batch datumd-gpu"
mkdir -p "$folder/bin" "$folder/lib"
for program in "$bench" $programs; do
  strip -o "$folder/bin/$program" "$bin/$program"
  # The loader and the C library's parts must be of one version: they stay the host's.
  ldd "$bin/$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -Ev '/(libc|libm|libdl|librt|libpthread|libresolv|ld-linux[^/]*)\.so' | while read -r library; do
    cp -L "$library" "$folder/lib/"
  done
done
cat >"$folder/run.sh" <<TEXT
#!/bin/sh
# run.sh [ARGUMENT...]: $bench with the libraries beside it
bench=$bench
TEXT
cat >>"$folder/run.sh" <<'TEXT'
here=$(cd "$(dirname "$0")" && pwd)
LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$here/bin/$bench" "$@"
TEXT
chmod +x "$folder/run.sh"
du -sh "$folder"
