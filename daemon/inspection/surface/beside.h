// Work beside the calling thread.
#pragma once

#include <future>

namespace datum {

/// work() on a thread of its own; `aside` false: by whoever waits for it, and not at all where nobody does.
template <class Work>
auto beside(bool aside, const Work& work) {
  return std::async(aside ? std::launch::async : std::launch::deferred, work);
}

}  // namespace datum
