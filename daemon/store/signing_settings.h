// When heads of the chain of results are signed, and the signer's socket.
#pragma once

#include <cstdint>
#include <filesystem>

namespace datum {

struct SigningSettings {
  std::filesystem::path socket;       // of datumd-sign
  std::uint64_t every_results = 100;  // stored since the last signature
  int every_s = 600;                  // longest period with new entries; the signer is contacted in any case
  bool required = false;              // the cell accepts no board without signatures
};

}  // namespace datum
