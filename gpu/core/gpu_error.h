// A device that did not do its work.
#pragma once

#include <stdexcept>

namespace datum {

/// The device refused, ran out of memory, faulted or missed its deadline. What was asked for was not done and can be
/// done by the CPU backend with the same bytes. `lost`: the device's context is gone with this process.
class GpuError : public std::runtime_error {
 public:
  GpuError(const std::string& what, bool lost) : std::runtime_error(what), lost(lost) {}
  const bool lost;
};

}  // namespace datum
