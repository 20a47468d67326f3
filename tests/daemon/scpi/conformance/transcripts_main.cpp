// transcripts show|accept [FILE...]: executes the conformance transcripts and prints differences; accept writes them to
// the files.
#include <fmt/format.h>

#include <fstream>
#include <string_view>

#include "tests/daemon/scpi/conformance/transcript.h"

int main(int argc, char** argv) {
  using namespace datum::testing;
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb != "show" && verb != "accept") {
    fmt::print(stderr, "usage: transcripts show|accept [FILE...]\n");
    return 2;
  }
  std::vector<std::filesystem::path> files(argv + 2, argv + argc);
  if (files.empty()) files = transcripts();
  bool differs = false;
  try {
    for (const auto& file : files) {
      const auto lines = read_transcript(file);
      const std::string is = to_text(played(lines));
      const std::string what = difference(to_text(lines), is);
      if (what.empty()) continue;
      differs = true;
      fmt::print("{}\n{}", file.string(), what);
      if (verb == "accept") std::ofstream(file, std::ios::binary) << is;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "transcripts: {}\n", error.what());
    return 2;
  }
  return differs && verb == "show" ? 1 : 0;
}
