// [backend]: the backend that measures boards.
#pragma once

#include <cstdint>

namespace datum {

struct BackendSettings {
  enum class Kind : std::uint8_t { automatic, cpu, cuda } kind = Kind::automatic;
  unsigned threads = 0;  // of the CPU backend; 0: one per core
};

}  // namespace datum
