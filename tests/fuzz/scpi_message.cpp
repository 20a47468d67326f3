// Framer, parser, header patterns and parameters: messages do not depend on the split of their bytes, and only
// scpi::Error refuses.
#include <vector>

#include "daemon/scpi/scpi_commands.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;
using namespace datum::scpi;

static std::vector<std::string> messages_of(std::string_view bytes, std::size_t piece) {
  std::vector<std::string> messages;
  Framer framer;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    framer.feed(bytes.substr(0, piece), [&](const Framed& framed) {
      messages.push_back(std::to_string(framed.error) + framed.detail + framed.message);
    });
  return messages;
}

static void execute_nothing(const std::string& message) {
  Parser parser(message);
  while (const auto unit = parser.next()) {
    for (const Command& command : all_commands()) {
      const auto match = command.pattern.match(unit->header.mnemonics, unit->header.query);
      if (!match || match->suffix_out_of_range) continue;
      const auto values = convert(command.parameters, unit->parameters);
      fuzz::expect(values.size() == command.parameters.size(), "a value per declared parameter");
    }
  }
}

DATUM_FUZZ_TARGET(scpi_message) {
  const auto whole = messages_of(bytes, bytes.size());
  fuzz::expect(whole == messages_of(bytes, 1), "the same messages wherever bytes are split");
  Framer framer;
  framer.feed(bytes, [](const Framed& framed) {
    try {
      execute_nothing(framed.message);
    } catch (const Error&) {
    }
  });
}
