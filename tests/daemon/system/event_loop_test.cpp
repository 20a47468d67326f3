#include "daemon/system/event_loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "daemon/system/poll_set.h"
#include "daemon/system/watchdog.h"
#include "daemon/system/worker.h"
#include "gpu/core/parallel_for.h"
#include "gpu/core/progress.h"

namespace datum {
namespace {

/// The reading end of a pipe with a counter; it can close and reopen itself, as a link does.
class PipeReader : public Pollable {
 public:
  PipeReader() { reopen(); }
  ~PipeReader() override { close_both(); }
  void reopen() { ASSERT_EQ(::pipe2(ends_, O_NONBLOCK | O_CLOEXEC), 0); }
  void close_both() {
    for (int& end : ends_) {
      if (end >= 0) ::close(end);
      end = -1;
    }
  }
  void put(char c) { ASSERT_EQ(::write(ends_[1], &c, 1), 1); }

  int fd() const override { return ends_[0]; }
  void on_ready(MonotonicNs) override {
    char c = 0;
    if (::read(ends_[0], &c, 1) == 1) seen += c;
    if (on_byte) on_byte(c);
  }
  std::optional<MonotonicNs> deadline() const override { return due; }
  void on_deadline(MonotonicNs now) override {
    due.reset();
    if (on_due) on_due(now);
  }
  std::string describe() const override { return "pipe"; }

  std::string seen;
  std::optional<MonotonicNs> due;
  std::function<void(char)> on_byte;
  std::function<void(MonotonicNs)> on_due;

 private:
  int ends_[2] = {-1, -1};
};

}  // namespace

// Two deadlines with a device that is readable in every round: both are met within as many rounds as there are sources.
// The kernel gives the lowest free number, so a link that opens gets the number of the one that just closed.
TEST(PollSet, WatchesWhoTookTheNumberThatAnotherClosed) {
  PollSet set;
  PipeReader opens;
  opens.close_both();
  PipeReader closes;
  set.add(opens);
  set.add(closes);
  const int number = closes.fd();
  closes.close_both();
  opens.reopen();
  ASSERT_EQ(opens.fd(), number);
  set.sync();
  opens.put('x');
  set.on_ready(0);
  EXPECT_EQ(opens.seen, "x");
}

TEST(EventLoop, ADeviceThatFloodsDoesNotKeepDeadlinesWaiting) {
  EventLoop loop;
  PipeReader flood, first, second;
  for (PipeReader* pipe : {&flood, &first, &second}) loop.add(*pipe);
  int rounds = 0, met = 0;
  flood.on_byte = [&](char c) { ++rounds < 1000 ? flood.put(c) : loop.stop(); };
  for (PipeReader* pipe : {&first, &second}) {
    pipe->due = 1;
    pipe->on_due = [&](MonotonicNs) {
      if (++met == 2) loop.stop();
    };
  }
  flood.put('x');
  loop.run();
  EXPECT_EQ(met, 2);
  EXPECT_LE(rounds, 5);
}

TEST(EventLoop, ReadsUntilStopped) {
  EventLoop loop;
  PipeReader pipe;
  loop.add(pipe);
  pipe.on_byte = [&](char c) { c == 'b' ? loop.stop() : pipe.put('b'); };
  pipe.put('a');
  loop.run();
  EXPECT_EQ(pipe.seen, "ab");
}

TEST(EventLoop, CallsADeadlineNotBeforeItIsDue) {
  EventLoop loop;
  PipeReader pipe;
  const MonotonicNs due = EventLoop::now() + 3'000'000;
  pipe.due = due;
  MonotonicNs called = 0;
  pipe.on_due = [&](MonotonicNs now) {
    called = now;
    loop.stop();
  };
  loop.add(pipe);
  loop.run();
  EXPECT_GE(called, due);
}

// A serial link that is replugged has the same descriptor number; the kernel has forgotten the old one.
TEST(EventLoop, WatchesAReopenedDescriptorOfTheSameNumber) {
  EventLoop loop;
  PipeReader pipe;
  pipe.due = EventLoop::now() + 3'600'000'000'000;  // so that the loop's own timer takes its descriptor first
  loop.add(pipe);
  const int number = pipe.fd();
  pipe.on_byte = [&](char c) {
    if (c == 'x') {
      pipe.close_both();
      pipe.due = EventLoop::now();  // back-off
    } else {
      loop.stop();
    }
  };
  pipe.on_due = [&](MonotonicNs) {
    pipe.reopen();
    pipe.put('y');
  };
  pipe.put('x');
  loop.run();
  EXPECT_EQ(pipe.seen, "xy");
  EXPECT_EQ(pipe.fd(), number);
}

TEST(EventLoop, RethrowsWhatAnActionThrew) {
  EventLoop loop;
  PipeReader pipe;
  loop.add(pipe);
  pipe.on_byte = [](char) { throw std::runtime_error("broken"); };
  pipe.put('a');
  EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(EventLoop, TakesASignal) {
  EventLoop loop;
  bool came = false;
  loop.on_signal(SIGHUP, [&] {
    came = true;
    loop.stop();
  });
  ::kill(::getpid(), SIGHUP);
  loop.run();
  EXPECT_TRUE(came);
}

TEST(Worker, RunsJobsInOrderAndWhatFollowsOnTheLoop) {
  EventLoop loop;
  Worker worker;
  loop.add(worker);
  const auto loop_thread = std::this_thread::get_id();
  std::string order;
  std::thread::id job_thread;
  worker.submit([&] { job_thread = std::this_thread::get_id(); }, [&] { order += "1"; });
  worker.submit([] {},
                [&] {
                  order += "2";
                  EXPECT_EQ(std::this_thread::get_id(), loop_thread);
                  loop.stop();
                });
  EXPECT_TRUE(worker.busy());
  loop.run();
  EXPECT_EQ(order, "12");
  EXPECT_NE(job_thread, loop_thread);
  EXPECT_FALSE(worker.busy());
  EXPECT_FALSE(worker.busy_since());
}

constexpr MonotonicNs second = 1'000'000'000;

/// A watchdog of 20 s with a job and its marks, controlled by the test.
struct WatchedJob {
  std::optional<MonotonicNs> since;
  std::uint64_t marks = 0;
  int told = 0;
  Watchdog watchdog{{20 * second, [this] { return since; }, [this] { return marks; }, [this] { ++told; }}};

  /// Turns the loop once a second; returns the number of notifications.
  int turn(MonotonicNs from, MonotonicNs to, bool progresses = false) {
    const int before = told;
    for (MonotonicNs now = from; now < to; now += second) {
      marks += progresses;
      watchdog.feed(now);
    }
    return told - before;
  }
};

TEST(Watchdog, TellsFourTimesAPeriodWhileThereIsNoJobOrAYoungOne) {
  WatchedJob w;
  EXPECT_EQ(w.turn(0, 20 * second), 4);
  w.since = 20 * second;
  EXPECT_EQ(w.turn(20 * second, 30 * second), 2);
  EXPECT_EQ(w.watchdog.fed(), 25 * second);
}

TEST(Watchdog, AJobThatMakesProgressMayTakeLongerThanThePeriod) {
  WatchedJob w;
  w.since = 0;
  EXPECT_EQ(w.turn(0, 200 * second, true), 40);
  EXPECT_EQ(w.turn(200 * second, 209 * second), 2);
  EXPECT_EQ(w.turn(209 * second, 400 * second), 0) << "10 s after its last mark it hangs";
  w.since = 400 * second;
  EXPECT_EQ(w.turn(400 * second, 410 * second), 2) << "the next job is a young one";
}

// A counter that rises for ever would otherwise be accepted for ever.
TEST(Watchdog, NoJobMayTakeLongerThanTenMinutes) {
  WatchedJob w;
  w.since = 0;
  EXPECT_EQ(w.turn(0, 600 * second, true), 120);
  EXPECT_EQ(w.turn(600 * second, 1000 * second, true), 0);
}

TEST(Watchdog, ItemsThatAreWorkedOnAreMarks) {
  const std::uint64_t before = progress_marks();
  parallel_for(2, 10, [](std::size_t, unsigned) {});
  parallel_for(1, 5, [](std::size_t, unsigned) {});
  EXPECT_EQ(progress_marks() - before, 15u);
}

}  // namespace datum
