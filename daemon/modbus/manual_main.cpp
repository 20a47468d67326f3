// datumd-modbus-manual VERSION: prints datumd-modbus(7); run by the build.
#include <fmt/format.h>

#include "daemon/modbus/manual.h"

int main(int argc, char** argv) {
  fmt::print("{}", datum::modbus::manual_page(argc > 1 ? argv[1] : ""));
  return 0;
}
