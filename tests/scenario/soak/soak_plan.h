// What the soak delivers: board by board, its true verdict and what is done to the cell meanwhile. All of it follows from
// the seed and the board's number, so that a soak goes on where it was cut off.
#pragma once

#include <cstdint>
#include <string>

namespace datum::soak {

/// What lies on the board, or what became of its frame.
enum class Kind : std::uint8_t { good, tall, missing, occluded, truncated, bomb_png, bomb_header, nested };
enum class Format : std::uint8_t { ptr, tiff, png };
enum class Fault : std::uint8_t {
  none,
  host_reset,   // the host's connection breaks off in the middle of a board
  storm,        // more connections than allowed, on every port
  garbage,      // random bytes on every port
  mute,         // a host that asks and never reads
  drip,         // a byte for each board
  stranger,     // links, fifos, folders and odd names in the drop folder
  reload,       // SIGHUP
  recipe_file,  // another tolerance in the recipe's file
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
  std::uint64_t noise = 0;  // of what is random in it
};

/// Boards of one recipe in a row; the daemon lives through `life` boards, then is killed `kills` times among as many as
/// `rough` boards.
struct Rhythm {
  int life = 20'000, rough = 400;
};

/// The board of this number, counted from 1.
Board board(std::uint64_t seed, int number, const Rhythm& rhythm);

/// Number of the board whose frame has this name; 0 where it is none.
int number_of(const std::string& name);

}  // namespace datum::soak
