// Answers of a compromised datumd-parse: kind, lengths of two arrays (2 bytes each) and of the head, the head, and the
// block after it.
#include <algorithm>
#include <array>

#include "daemon/parse/flat_codes.h"
#include "daemon/parse/flat_frames.h"
#include "daemon/parse/flat_model.h"
#include "daemon/parse/flat_toml.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

static std::uint64_t length(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i]));
  };
  return byte(at) | byte(at + 1) << 8;
}

static void take(char kind, ParsedOutput& from) {
  constexpr std::uint64_t most_pixels = 1 << 16;
  if (kind == 'r') {
    const Raster raster = take_raster(from, most_pixels);
    const auto pixels = static_cast<std::size_t>(raster.rows) * static_cast<std::size_t>(raster.cols);
    std::visit([&](const auto& v) { fuzz::expect(v.size() == pixels, "a sample for each pixel"); },
               raster.samples);
  } else if (kind == 'c') {
    const HeightFrame frame = take_csv_frame(from, most_pixels);
    fuzz::expect(frame.classes.size() == frame.size(), "a class for each pixel");
  } else if (kind == 'm') {
    const ModelFile model = take_model(from);
    for (const auto& facet : model.facets)
      for (const std::uint32_t corner : facet) fuzz::expect(corner < model.vertices_mm.size(), "a corner");
  } else if (kind == 'd') {
    take_codes(from);
  } else if (kind == 't') {
    FlatWriter again;
    put_document(again, take_document(from.head));
  } else {
    take_refusal(from.head, "a");
  }
}

DATUM_FUZZ_TARGET(parse_answer) {
  constexpr std::size_t prefix = 7;
  if (bytes.size() < prefix) return;
  ParseAnswer answer;
  answer.array_bytes = {length(bytes, 1), length(bytes, 3)};
  const std::string_view all = bytes.substr(prefix);
  answer.head_bytes = std::min<std::uint64_t>(length(bytes, 5), all.size());
  ParseBlock block = ParseBlock::create("fuzz");
  block.write(parse_output_at, all.data(), all.size());
  try {
    ParsedOutput from(answer, {reinterpret_cast<const std::uint8_t*>(all.data()), answer.head_bytes}, block);
    take(bytes[0], from);
  } catch (const FlatError&) {
  }
}
