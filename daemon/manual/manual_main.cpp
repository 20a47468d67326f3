// datumd-manual VERSION [reasons]: prints datumd-protocol(7), or datumd-reasons(7); run by the build.
#include <fmt/format.h>

#include "daemon/manual/manual.h"

int main(int argc, char** argv) {
  const std::string version = argc > 1 ? argv[1] : "";
  fmt::print("{}", argc > 2 ? datum::manual::reasons_page(version) : datum::manual::page(version));
  return 0;
}
