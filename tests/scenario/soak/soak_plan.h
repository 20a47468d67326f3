// The plan of the soak: each board, its true verdict, and the fault during it. Seed and board number determine all of it,
// so that an interrupted soak continues.
#pragma once

#include <cstdint>
#include <string>

namespace datum::soak {

/// Content of the board, or damage of its frame.
enum class Kind : std::uint8_t { good, tall, missing, occluded, truncated, bomb_png, bomb_header, nested };
enum class Format : std::uint8_t { ptr, tiff, png };
enum class Fault : std::uint8_t {
  none,
  host_reset,   // the host resets its connection during a board
  storm,        // more connections than allowed on every port
  garbage,      // random bytes on every port
  mute,         // a host that queries and never reads
  drip,         // one byte per board
  stranger,     // symbolic links, FIFOs, folders and odd names in the drop folder
  reload,       // SIGHUP
  recipe_file,  // another tolerance in the recipe file
  burst,        // many frames at once
  kill,         // SIGKILL
  end,          // SIGTERM
};
constexpr int faults = 12;
const char* name_of(Fault fault);

struct Board {
  int number = 0;
  Kind kind = Kind::good;
  Format format = Format::ptr;
  std::string recipe, name;
  std::string truth;  // PASS, FAIL or INVALID
  Fault fault = Fault::none;
  std::uint64_t noise = 0;  // seed of its random parts
};

/// Boards of one recipe are consecutive. The daemon lives for `life` boards, then is killed `kills` times within `rough`
/// boards.
struct Rhythm {
  int life = 20'000, rough = 400;
};

/// The board of this number, counted from 1.
Board board(std::uint64_t seed, int number, const Rhythm& rhythm);

/// Number of the board with this frame name; 0: none.
int number_of(const std::string& name);

}  // namespace datum::soak
