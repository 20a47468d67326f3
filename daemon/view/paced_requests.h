// Requests that wait for their turn by a PagePace: held by libmicrohttpd, and let go by a thread at their time.
#pragma once

#include <microhttpd.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "daemon/view/page_pace.h"

namespace datum {

class PacedRequests {
 public:
  using Clock = std::chrono::steady_clock;

  explicit PacedRequests(const PaceSettings& settings);
  ~PacedRequests();
  PacedRequests(const PacedRequests&) = delete;
  PacedRequests& operator=(const PacedRequests&) = delete;

  bool is_free(const char* path) const { return settings_.free_paths.contains(path); }
  /// later: the connection is held, `turn` is set, and the request is asked again at its turn.
  PagePace::Turn ask(MHD_Connection* connection, void** turn);
  void forget(MHD_Connection* connection);
  /// Lets all go, which wait and which come; before the server ends.
  void let_go();

  /// The processor time that a page takes on the server's thread. Not the clock's: where others use the processors a page of 20 ms may end
  /// after a second, and a person would wait twenty for the next one.
  class Work {
   public:
    explicit Work(PacedRequests& paced) : paced_(paced) {}
    ~Work() { paced_.done(of_this_thread() - begin_); }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    PacedRequests& paced_;
    Clock::duration begin_ = of_this_thread();
  };

 private:
  static Clock::duration of_this_thread();
  void done(Clock::duration work);
  void run();

  const PaceSettings settings_;
  std::mutex mutex_;
  std::condition_variable changed_;
  PagePace pace_;
  bool ending_ = false;
  std::set<MHD_Connection*> held_;
  std::thread thread_;
};

}  // namespace datum
