#include "tests/scenario/soak/soak_plan.h"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace datum::soak {
namespace {

constexpr int boards_of_a_recipe = 250;

/// SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014): a number from seed and index alone.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

Kind kind_of(std::uint64_t percent) {
  if (percent < 60) return Kind::good;
  if (percent < 80) return Kind::tall;
  if (percent < 86) return Kind::missing;
  if (percent < 92) return Kind::occluded;
  constexpr std::array damaged{Kind::truncated, Kind::bomb_png, Kind::bomb_header, Kind::nested};
  return damaged[percent % damaged.size()];
}

/// In thousandths of all boards.
Fault fault_of(std::uint64_t draw, bool rough) {
  if (rough && draw >= 900) return draw < 980 ? Fault::kill : Fault::end;
  constexpr std::array<std::pair<Fault, std::uint64_t>, 9> shares{{{Fault::host_reset, 4},
                                                                   {Fault::storm, 2},
                                                                   {Fault::garbage, 2},
                                                                   {Fault::mute, 1},
                                                                   {Fault::drip, 20},
                                                                   {Fault::stranger, 5},
                                                                   {Fault::reload, 1},
                                                                   {Fault::recipe_file, 1},
                                                                   {Fault::burst, 2}}};
  for (const auto& [fault, share] : shares) {
    if (draw < share) return fault;
    draw -= share;
  }
  return Fault::none;
}

/// The recipe "low" accepts 500 um, "high" 700 um, each within 40 um.
std::string truth_of(Kind kind, bool high) {
  if (kind == Kind::good) return high ? "FAIL" : "PASS";
  if (kind == Kind::tall) return high ? "PASS" : "FAIL";
  return kind == Kind::missing ? "FAIL" : "INVALID";
}

}  // namespace

const char* name_of(Fault fault) {
  static constexpr std::array<const char*, faults> names{
      "none",         "host reset", "connection storm", "garbage",         "mute host", "slow host",
      "strange file", "reload",     "recipe file",      "burst of frames", "kill -9",   "SIGTERM"};
  return names.at(static_cast<std::size_t>(fault));
}

Board board(std::uint64_t seed, int number, const Rhythm& rhythm) {
  const auto draw = [&](std::uint64_t what, int at) {
    return mixed(mixed(seed ^ what << 56) + static_cast<std::uint64_t>(at));
  };
  Board b;
  b.number = number;
  b.noise = draw(1, number);
  b.kind = kind_of(draw(2, number) % 100);
  b.format = static_cast<Format>(draw(3, number) % 3);
  const bool high = draw(4, number / boards_of_a_recipe) % 2 != 0;
  b.recipe = high ? "high" : "low";
  b.truth = truth_of(b.kind, high);
  b.fault = fault_of(draw(5, number) % 1000, number % (rhythm.life + rhythm.rough) >= rhythm.life);
  char name[32];
  std::snprintf(name, sizeof name, "b%08d", number);
  b.name = name;
  return b;
}

int number_of(const std::string& name) {
  if (name.size() != 9 || name[0] != 'b') return 0;
  char* end = nullptr;
  const long number = std::strtol(name.c_str() + 1, &end, 10);
  return *end == '\0' ? static_cast<int>(number) : 0;
}

}  // namespace datum::soak
