// datumd-manual VERSION: fills the tables into the manual page on its input (manual.h); run by the build.
#include <exception>
#include <iostream>
#include <iterator>

#include "daemon/manual/manual.h"

int main(int argc, char** argv) try {
  const std::string page{std::istreambuf_iterator<char>(std::cin), {}};
  std::cout << datum::manual::filled(page, argc > 1 ? argv[1] : "");
  return std::cout.flush() ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "datumd-manual: " << error.what() << '\n';
  return 1;
}
