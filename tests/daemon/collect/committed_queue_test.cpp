// Numbers of committed messages, from threads to the loop.
#include "daemon/collect/committed_queue.h"

#include <gmock/gmock.h>
#include <poll.h>

#include <algorithm>
#include <numeric>
#include <thread>

namespace datum {
namespace {

using Numbers = std::vector<std::uint64_t>;

bool is_readable(const CommittedQueue& queue) {
  pollfd p{queue.fd(), POLLIN, 0};
  return poll(&p, 1, 0) == 1;
}

TEST(Committed, WakesTheLoopOnceWithAllNumbersInTheirOrder) {
  std::vector<Numbers> calls;
  CommittedQueue queue([&](const Numbers& numbers, MonotonicNs now) {
    EXPECT_EQ(now, 7);
    calls.push_back(numbers);
  });
  EXPECT_FALSE(is_readable(queue));
  queue.add({3, 1});
  queue.add({2});
  ASSERT_TRUE(is_readable(queue));
  queue.on_ready(7);
  EXPECT_THAT(calls, ::testing::ElementsAre(Numbers{3, 1, 2}));
  EXPECT_FALSE(is_readable(queue));
}

TEST(Committed, LosesNothingOfAThreadThatGoesOn) {
  Numbers got;
  CommittedQueue queue(
      [&](const Numbers& numbers, MonotonicNs) { got.insert(got.end(), numbers.begin(), numbers.end()); });
  constexpr std::uint64_t count = 10'000;
  std::thread writer([&] {
    for (std::uint64_t n = 0; n < count; ++n) queue.add({n});
  });
  while (got.size() < count) {
    pollfd p{queue.fd(), POLLIN, 0};
    if (poll(&p, 1, 10'000) != 1) break;
    queue.on_ready(0);
  }
  writer.join();
  Numbers all(count);
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(got, all);
}

}  // namespace
}  // namespace datum
