// datumd-parse as it is, but for readers that a file has taken over: what the file is called, or says, is what they do.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/parse/parse_server.h"
#include "daemon/system/child_process.h"

namespace {

using namespace datum;
using Answer = std::function<void(const ParseOutput&)>;

constexpr int output_fd = child_socket_fd + 2;  // behind the input block

volatile std::uint64_t somewhere = 8;

void write_somewhere() { *reinterpret_cast<volatile int*>(somewhere) = 1; }

/// Not inlined and not a tail call, so that it takes stack.
__attribute__((noinline)) int deeper(volatile char* above) {
  volatile char here[4096];
  here[0] = above[0];
  return somewhere == 0 ? 0 : deeper(here) + here[0];
}

void eat_memory() {
  constexpr std::size_t block = std::size_t{16} << 20;
  std::vector<std::vector<char>> eaten;
  for (;;) eaten.emplace_back(block, 'x');
}

void flood(const Answer& answer) {
  const std::vector<std::uint8_t> much(std::size_t{64} << 20);
  ParseOutput out;
  out.put_array(0, much);
  answer(out);
}

/// What no raster can be.
void lie(const Answer& answer, std::int32_t rows, std::int32_t cols, std::uint32_t kind, std::size_t bytes) {
  const std::vector<std::uint8_t> samples(bytes);
  ParseOutput out;
  out.head.put(rows);
  out.head.put(cols);
  out.head.put(kind);
  out.put_array(0, samples);
  answer(out);
}

const std::map<std::string, std::function<void(const Answer&)>> harm{
    {"segfault", [](const Answer&) { write_somewhere(); }},
    {"unmark",
     [](const Answer&) {
       const std::uint32_t none = 0;
       static_cast<void>(::pwrite(output_fd, &none, sizeof none, 0) + 1);
       write_somewhere();
     }},
    {"abort", [](const Answer&) { std::abort(); }},
    {"recursion", [](const Answer&) { std::exit(deeper(reinterpret_cast<volatile char*>(&somewhere))); }},
    {"throw", [](const Answer&) { throw 1; }},
    {"exit", [](const Answer&) { ::_exit(3); }},
    {"hang",
     [](const Answer&) {
       while (somewhere != 0) continue;
     }},
    {"memory", [](const Answer&) { eat_memory(); }},
    {"flood", flood},
    {"open", [](const Answer&) { static_cast<void>(::open("/etc/hostname", O_RDONLY)); }},
    {"socket", [](const Answer&) { static_cast<void>(::socket(AF_INET, SOCK_STREAM, 0)); }},
    {"connect", [](const Answer&) { static_cast<void>(::syscall(SYS_connect, 3, nullptr, 0)); }},
    {"fork", [](const Answer&) { static_cast<void>(::fork()); }},
    {"execve", [](const Answer&) { static_cast<void>(::execl("/bin/true", "true", nullptr)); }},
    {"code",
     [](const Answer&) {
       static_cast<void>(::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
     }},
    {"kill", [](const Answer&) { ::syscall(SYS_tgkill, 1, 1, SIGABRT); }},
    {"ptrace", [](const Answer&) { ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }},
    {"limits", [](const Answer&) { ::syscall(SYS_prlimit64, 0, 9, nullptr, nullptr); }},
    {"negative", [](const Answer& a) { lie(a, -1, 4, 0, 4); }},
    {"large", [](const Answer& a) { lie(a, 1 << 20, 1 << 20, 0, 4); }},
    {"kind", [](const Answer& a) { lie(a, 2, 2, 9, 4); }},
    {"short", [](const Answer& a) { lie(a, 2, 2, 1, 7); }},
    {"twice",
     [](const Answer& a) {
       lie(a, 2, 2, 0, 4);
       lie(a, 2, 2, 0, 5);
     }},
    {"silent",
     [](const Answer& a) {
       ParseOutput nothing;
       a(nothing);
     }},
};

std::string harm_in(std::string_view text) {
  for (const auto& [word, does] : harm)
    if (text.find("harm-" + word) != std::string_view::npos) return word;
  return "";
}

/// The product's, where the input names no harm.
ParseHandler taken_over(const ParseHandler& product) {
  return [product](const ParseOrder& order, const ParseParts& parts, const Answer& answer) {
    std::string word = harm_in(text_in(order.name));
    if (word.empty()) word = harm_in({reinterpret_cast<const char*>(parts[0].data()), parts[0].size()});
    if (word.empty()) return product(order, parts, answer);
    harm.at(word)(answer);  // one that lives on without an answer is refused without a word
  };
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return 64;
  ParseHandlers handlers = product_parsers();
  for (auto& [kind, handler] : handlers) handler = taken_over(handler);
  return run_parse_server(
      child_socket_fd, {std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10)}, handlers);
} catch (const std::exception& error) {
  std::fprintf(stderr, "test_parse_program: %s\n", error.what());
  return 70;
}
