// Random numbers, threads, backend choice and the floating-point contract.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gpu/core/arctangent.h"
#include "gpu/core/backend.h"
#include "gpu/core/parallel_for.h"
#include "gpu/core/philox.h"

namespace datum {
namespace {

void expect_block(const PhiloxBlock& counter, std::uint64_t key,
                  const std::array<std::uint32_t, 4>& expected) {
  const PhiloxBlock r = philox(counter, key);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(r.word[i], expected[i]) << "word " << i;
}

TEST(Philox, GivesTheKnownAnswersOfItsAuthors) {  // Random123 1.09, kat_vectors, philox4x32 10
  expect_block({{0, 0, 0, 0}}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint32_t f = 0xffffffff;
  expect_block({{f, f, f, f}}, ~std::uint64_t{0}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  expect_block({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822,
               {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(Philox, DrawsEveryTripleEquallyOften) {
  std::map<std::array<std::uint32_t, 3>, int> seen;
  constexpr int draws = 60000, triples = 5 * 4 * 3, mean = draws / triples;
  for (std::uint32_t i = 0; i < draws; ++i) {
    const Triple t = sample_three(philox({{i, 0, 0, 0}}, 7), 5);
    ++seen[{t.index[0], t.index[1], t.index[2]}];
  }
  ASSERT_EQ(seen.size(), triples);  // all that are distinct, and none other
  // Counts are binomial with mean 1000 and s = 31.4: 5 s.
  for (const auto& [triple, count] : seen) {
    EXPECT_NEAR(count, mean, 157);
    for (const std::uint32_t i : triple) EXPECT_LT(i, 5u);
  }
}

TEST(ParallelFor, VisitsEachIndexOnce) {
  for (const unsigned threads : {0u, 1u, 2u, 5u}) {
    std::vector<std::atomic<int>> visits(1000);
    std::atomic<bool> slots_fit{true};
    parallel_for(threads, visits.size(), [&](std::size_t i, unsigned slot) {
      ++visits[i];
      if (slot >= std::max(1u, threads)) slots_fit = false;
    });
    for (const auto& v : visits) EXPECT_EQ(v, 1);
    EXPECT_TRUE(slots_fit);
  }
}

TEST(ParallelFor, UsesSeveralThreadsAtATime) {
  std::atomic<int> arrived{0};
  parallel_for(3, 3, [&](std::size_t, unsigned) {
    ++arrived;
    while (arrived < 3) std::this_thread::yield();  // ends only where three threads are here together
  });
  EXPECT_EQ(arrived, 3);
}

TEST(ParallelFor, RethrowsAndGoesOn) {
  for (const unsigned threads : {1u, 4u}) {
    const auto throwing = [](std::size_t i, unsigned) {
      if (i == 17) throw std::runtime_error("seventeen");
    };
    EXPECT_THROW(parallel_for(threads, 100, throwing), std::runtime_error);
    std::atomic<int> visits{0};
    parallel_for(threads, 100, [&](std::size_t, unsigned) { ++visits; });
    EXPECT_EQ(visits, 100);
  }
}

TEST(ParallelFor, ServesSeveralCallers) {
  std::atomic<int> visits{0};
  const auto call = [&] {
    for (int i = 0; i < 50; ++i) parallel_for(2, 20, [&](std::size_t, unsigned) { ++visits; });
  };
  std::thread other(call);
  call();
  other.join();
  EXPECT_EQ(visits, 2 * 50 * 20);
}

// The next frame is read while one is measured: neither waits for the other's end.
TEST(ParallelFor, OneCallerDoesNotWaitForAnother) {
  std::atomic<int> begun{0};
  std::atomic<bool> ended{false};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);  // of a failing test
  std::thread long_job([&] {
    parallel_for(3, 3, [&](std::size_t, unsigned) {
      ++begun;
      while (!ended && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    });
  });
  while (begun < 3) std::this_thread::yield();
  std::atomic<int> arrived{0};
  parallel_for(2, 2, [&](std::size_t, unsigned) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_LT(std::chrono::steady_clock::now(), deadline);
  ended = true;
  long_job.join();
}

TEST(ThreadsAwake, TakePartInEachLoop) {
  int loops = 0;
  with_threads_awake(3, [&] {
    for (; loops < 200; ++loops) {
      std::atomic<int> arrived{0};
      parallel_for(3, 3, [&](std::size_t, unsigned) {
        ++arrived;
        while (arrived < 3) std::this_thread::yield();  // ends only where three threads are here together
      });
    }
  });
  EXPECT_EQ(loops, 200);
}

TEST(ThreadsAwake, VisitEachIndexOnceAfterPausesToo) {
  std::vector<std::atomic<int>> visits(500);
  std::atomic<bool> slots_fit{true};
  with_threads_awake(4, [&] {
    for (int loop = 0; loop < 60; ++loop) {
      const unsigned threads = loop % 3 == 0 ? 2 : 4;  // two: fewer than are awake
      parallel_for(threads, visits.size(), [&](std::size_t i, unsigned slot) {
        ++visits[i];
        if (slot >= threads) slots_fit = false;
      });
      const auto pause_ends = std::chrono::steady_clock::now() + std::chrono::microseconds(loop % 2 * 200);
      while (std::chrono::steady_clock::now() < pause_ends) continue;  // longer than threads stay awake
    }
  });
  for (const auto& v : visits) EXPECT_EQ(v, 60);
  EXPECT_TRUE(slots_fit);
}

TEST(ThreadsAwake, RethrowAndGoOn) {
  for (const unsigned threads : {1u, 4u}) {
    std::atomic<int> visits{0};
    with_threads_awake(threads, [&] {
      const auto throwing = [](std::size_t i, unsigned) {
        if (i == 17) throw std::runtime_error("seventeen");
      };
      EXPECT_THROW(parallel_for(threads, 100, throwing), std::runtime_error);
      parallel_for(threads, 100, [&](std::size_t, unsigned) { ++visits; });
    });
    EXPECT_EQ(visits, 100);
    EXPECT_THROW(with_threads_awake(threads, [] { throw std::runtime_error("between loops"); }),
                 std::runtime_error);
    parallel_for(threads, 100, [&](std::size_t, unsigned) { ++visits; });
    EXPECT_EQ(visits, 200);
  }
}

TEST(ThreadsAwake, ServeSeveralLeaders) {
  std::atomic<int> visits{0};
  const auto lead = [&] {
    with_threads_awake(3, [&] {
      with_threads_awake(3, [&] {
        for (int i = 0; i < 50; ++i) parallel_for(3, 20, [&](std::size_t, unsigned) { ++visits; });
      });
    });
  };
  std::thread other(lead);
  lead();
  other.join();
  EXPECT_EQ(visits, 2 * 50 * 20);
}

TEST(Backend, SaysWhatWasChosen) {
  const Backend b = cpu_backend(3);
  EXPECT_EQ(b.threads, 3u);
  EXPECT_EQ(b.isa, best_isa());
  EXPECT_EQ(b.why.rfind(std::string("cpu ") + name_of(b.isa) + " x3: ", 0), 0u) << b.why;
  EXPECT_GE(cpu_backend().threads, 1u);
}

float turns(float y, float x) { return atan2_turns<SimdScalar>(y, x); }

// The polynomial, its coefficients rounded to float and its own roundings: 2.9e-8 turns. The quotient's rounding, 2^-24 of
// t, is worth t / (1 + t^2) / 2 pi of that, 5e-9; a quarter less the angle is rounded by 2^-26 of a turn, 1.5e-8, and
// a half less that by as much.
constexpr double arctangent_error = 2.9e-8 + 5e-9 + 2 * 1.5e-8;

/// Largest error over shorter / longer = 1 / 2^30 to 1, each `step`-th float, in all eight octants.
double worst_angle(std::uint32_t step) {
  double worst = 0;
  for (std::uint32_t bits = bits_of(0x1p-30f); bits <= bits_of(1.f); bits += step) {
    const float t = float_of(bits);
    const double first = std::atan(static_cast<double>(t)) / (2 * M_PI), second = 0.25 - first;
    const double angles[4] = {first, second, 0.5 - second, 0.5 - first};
    const float found[4] = {turns(t, 1), turns(1, t), turns(1, -t), turns(t, -1)};
    for (int i = 0; i < 4; ++i) worst = std::max(worst, std::abs(static_cast<double>(found[i]) - angles[i]));
    if (turns(-t, 1) != -found[0] || turns(-1, t) != -found[1]) return 1;
    if (turns(-1, -t) != -found[2] || turns(-t, -1) != -found[3]) return 1;
  }
  return worst;
}

TEST(Arctangent, IsOffByLessThanItsBound) { EXPECT_LT(worst_angle(1009), arctangent_error); }

// 2.5e8 quotients, half a minute.
TEST(Arctangent, DISABLED_IsOffByLessThanItsBoundForEveryQuotient) {
  EXPECT_LT(worst_angle(1), arctangent_error);
}

TEST(Arctangent, TakesTheBranchOfTheStandardFunction) {
  const float inputs[] = {0.f,    -0.f,    1.f,    -1.f,    255.f, -255.f,
                          1e-11f, -1e-11f, 1e-40f, -1e-40f, 3e13f, -3e13f};
  for (const float y : inputs)
    for (const float x : inputs) {
      if (std::fabs(x) < 1e-30f && std::fabs(y) < 1e-30f) continue;  // no angle
      const double expected = std::atan2(static_cast<double>(y), static_cast<double>(x)) / (2 * M_PI);
      EXPECT_NEAR(turns(y, x), expected, arctangent_error) << y << " " << x;
      EXPECT_EQ(std::signbit(turns(y, x)), std::signbit(y)) << y << " " << x;
    }
  EXPECT_EQ(turns(0.f, -1.f), 0.5f);
  EXPECT_EQ(turns(-0.f, -1.f), -0.5f);
  for (const float x : {0.f, -0.f}) {
    EXPECT_EQ(bits_of(turns(0.f, x)), bits_of(0.f));
    EXPECT_EQ(bits_of(turns(-0.f, x)), bits_of(-0.f));
  }
}

/// By itself, so that no product in it is needed elsewhere: a compiler that contracts would contract this.
__attribute__((noinline)) float sum_of_squares(float x, float y, float z) { return x * x + y * y + z * z; }

// This file is compiled with FMA instructions where the processor has them, so a compiler that contracts
// would.
TEST(NumericContract, NoExpressionIsContracted) {
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const PhiloxBlock r = philox({{i, 0, 0, 0}}, 1);
    const float x = static_cast<float>(r.word[0]) * 0x1p-32f, y = static_cast<float>(r.word[1]) * 0x1p-32f,
                z = static_cast<float>(r.word[2]) * 0x1p-32f;
    volatile const float xx = x * x, yy = y * y, zz = z * z;
    volatile const float xxyy = xx + yy;
    EXPECT_EQ(bits_of(sum_of_squares(x, y, z)), bits_of(xxyy + zz))
        << "FMA contraction is on: -ffp-contract=off is lost";
  }
}

}  // namespace
}  // namespace datum
