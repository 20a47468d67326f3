// What datumd and datumd-parse say to each other, over a socket of whole packets and two blocks of memory.
//
//   parse -> daemon   ParseGreeting                         once, confined
//   daemon -> parse   ParseOrder, take_input, take_output   with the descriptor of a block each
//   daemon -> parse   ParseOrder                            the parts lie in the input block, one after the other
//   parse -> daemon   ParseAnswer                           head and arrays lie in the output block, one after the other,
//                                                           behind the number of the order that the process took last
//
// One order at a time. datumd copies out of the output block and looks at its own copy alone, so that whatever datumd-parse
// does to the block, the packet or itself is a refusal at most.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace datum {

enum class ParseKind : std::uint32_t {
  take_input,
  take_output,
  image,        // read_image: the file
  heights,      // read_height_file: the file, its sidecar, the profile's noise
  gocator_csv,  // read_gocator_csv: the file
  model,        // model_from_bytes: the file
  toml,         // parse_toml: the text
  codes,        // read_data_matrix: size and pixels of an image
};
constexpr std::uint32_t parse_kinds = static_cast<std::uint32_t>(ParseKind::codes) + 1;

constexpr std::size_t most_parse_parts = 3, most_parse_arrays = 2;
/// Of texts' trees above all: 4 MiB of TOML have at most 2 million values of 26 bytes.
constexpr std::uint64_t most_parse_head = std::uint64_t{64} << 20;

/// Where the head begins in the output block. At 0 lies the number of the order that was taken last: the end of a process
/// that had not taken its order is no fault of the input.
constexpr std::uint64_t parse_output_at = 64;

/// What datumd-parse ends with where the kernel does not confine it (EX_OSERR).
constexpr int exit_unconfined = 71;

struct ParseGreeting {
  char code[64] = {};         // code_id(): another build has other formats
  std::uint8_t confined = 0;  // 0: a build for sanitizers or coverage
};

struct ParseOrder {
  std::uint32_t number = 0;
  ParseKind kind = ParseKind::image;
  std::array<std::uint64_t, most_parse_parts> part_bytes{};
  std::uint64_t most_pixels = 0;
  double mm_per_unit = 0;
  char name[512] = {};     // of the file; tells the format by its extension
  char sidecar[512] = {};  // of heights: name of the sidecar's file
};

enum class ParseStatus : std::uint32_t { done, refused };

struct ParseAnswer {
  std::uint32_t number = 0;
  ParseStatus status = ParseStatus::refused;
  std::uint64_t head_bytes = 0;
  std::array<std::uint64_t, most_parse_arrays> array_bytes{};
  char text[1024] = {};  // why it is refused
};

/// A name or a text of a message as it is, up to its zero or its end.
template <std::size_t n>
std::string text_in(const char (&from)[n]) {
  return {from, ::strnlen(from, n)};
}

}  // namespace datum
