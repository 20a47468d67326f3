// datumd-parse: the process in which datumd has frames, models and texts of strangers parsed. It has no rights but to its
// memory, so that a file which takes it over gains nothing but its own refusal.
#include <sys/socket.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>

#include "daemon/parse/parse_server.h"
#include "daemon/system/child_process.h"
#include "daemon/version/version.h"

namespace {

using namespace datum;

bool is_number(const char* text, std::uint64_t& value) {
  const char* const end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, value);
  return error == std::errc() && at == end;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    std::printf("%s\n%s\n", code_id().c_str(), can_confine() ? "confined" : "not confined");
    return 0;
  }
  ConfinementLimits limits;
  int type = 0;
  socklen_t size = sizeof type;
  if (argc != 3 || !is_number(argv[1], limits.memory_bytes) || !is_number(argv[2], limits.result_bytes) ||
      ::getsockopt(child_socket_fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) {
    std::fprintf(stderr, "datumd-parse: datumd starts this program; by hand only: datumd-parse --version\n");
    return 64;  // EX_USAGE
  }
  return run_parse_server(child_socket_fd, limits, product_parsers());
} catch (const std::exception& error) {
  std::fprintf(stderr, "datumd-parse: %s\n", error.what());
  return 70;  // EX_SOFTWARE
}
