// datumd-manual VERSION: prints datumd-protocol(7); run by the build.
#include <fmt/format.h>

#include "daemon/report/manual.h"

int main(int argc, char** argv) {
  fmt::print("{}", datum::manual::page(argc > 1 ? argv[1] : ""));
  return 0;
}
