// When heads of the chain of results are signed, and by whom.
#pragma once

#include <cstdint>
#include <filesystem>

namespace datum {

struct SigningSettings {
  std::filesystem::path socket;       // of datumd-sign
  std::uint64_t every_results = 100;  // stored since the signature before
  int every_s = 600;      // at the latest, where there is anything new; the signer is asked all the same
  bool required = false;  // without signatures the cell takes no board
};

}  // namespace datum
