// Arbitrary bytes with arbitrary splits: the session does not crash, hang or mix lines, and works afterwards.
#include <gtest/gtest.h>

#include <random>

#include "daemon/scpi/scpi_commands.h"
#include "tests/daemon/scpi/scpi_host.h"

namespace datum::scpi {
namespace {

using testing::ScpiHost;

/// Valid headers and parameters, truncated, doubled and mixed with arbitrary bytes.
class Babble {
 public:
  explicit Babble(std::uint32_t seed) : random_(seed) {}

  std::string text(int pieces) {
    std::string out;
    for (int i = 0; i < pieces; ++i) out += piece();
    return out;
  }
  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  std::string piece() {
    static const char* const parts[] = {"\n",   "\r\n",  ";",    ":",     " ",
                                        ",",    "?",     "\"",   "'",     "#",
                                        "#19",  "#3999", "#0",   "1e9",   "-1.5mm",
                                        "MAX",  "(@1)",  "*",    "*OPC?", "*WAI",
                                        "INIT", "TRIG",  "ABOR", "1",     "CONF:REC 'mainboard'"};
    switch (below(8)) {
      case 0:
        return std::string(1, static_cast<char>(below(256)));
      case 1:
        return std::string(below(40), static_cast<char>(below(256)));
      case 2:
      case 3:
        return all_commands()[below(all_commands().size())].pattern.text();
      case 4: {
        std::string header = all_commands()[below(all_commands().size())].pattern.text();
        return header.substr(0, below(header.size() + 1));
      }
      default:
        return parts[below(std::size(parts))];
    }
  }
  std::mt19937 random_;
};

/// Every answer is a line; the length of a block is obeyed.
void expect_whole_lines(const std::string& answers, std::uint32_t seed) {
  ASSERT_TRUE(answers.empty() || answers.back() == '\n') << "seed " << seed;
  for (const char c : answers) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << "seed " << seed;
}

TEST(ScpiFuzz, NeverCrashesHangsOrStaysDeaf) {
  ScpiHost host;
  host.cell.finish_board(testing::board());
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    Babble babble(seed);
    std::string bytes = babble.text(1 + static_cast<int>(babble.below(40)));
    while (!bytes.empty()) {
      const auto n = 1 + babble.below(bytes.size());
      expect_whole_lines(host.raw(std::string_view(bytes).substr(0, n)), seed);
      bytes.erase(0, n);
    }
    host.cell.abort();
    host.session.instrument_changed();
    // At most this number of bytes of an open block or an overlong line precedes the next message.
    const std::string probe = "*CLS;DIAG:ECHO? 'alive'", alive = "\"alive\"\n";
    const std::string first = host.ask(probe);
    if (first.size() < alive.size() || first.substr(first.size() - alive.size()) != alive) {
      host.raw(std::string(Framer::longest_block + Framer::longest_message + 2, 'x') + '\n');
      ASSERT_EQ(host.ask(probe), alive) << "seed " << seed;
    }
    host.ask("*CLS");
    ASSERT_LE(host.session.errors().size(), ErrorQueue::capacity);
  }
}

TEST(ScpiFuzz, GivesTheSameAnswersWhereverBytesAreSplit) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Babble babble(seed);
    const std::string bytes = babble.text(30) + "\n";
    ScpiHost whole, bytewise;
    std::string expected = whole.raw(bytes), got;
    for (const char c : bytes) got += bytewise.raw({&c, 1});
    ASSERT_EQ(got, expected) << "seed " << seed;
    ASSERT_EQ(bytewise.ask("SYST:ERR:ALL?"), whole.ask("SYST:ERR:ALL?")) << "seed " << seed;
  }
}

}  // namespace
}  // namespace datum::scpi
