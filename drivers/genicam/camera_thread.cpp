#include "drivers/genicam/camera_thread.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "drivers/link_error.h"

namespace datum::genicam {
namespace {

// Limit of queued blocks, each of the largest size, and of all events.
constexpr std::size_t most_blocks = 4, most_events = 256;
// In which it looks how far a block has arrived: 200 KB of a link of 1 Gbit/s.
constexpr MonotonicNs arrival_ns = 2 * ns_per_ms;

}  // namespace

CameraThread::CameraThread(const Settings& settings, Clock clock, Memory memory, BlockBegins begins)
    : settings_(settings),
      clock_(std::move(clock)),
      memory_(std::move(memory)),
      begins_(std::move(begins)),
      ready_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (ready_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::thread([this] { run(); });
}

CameraThread::~CameraThread() {
  {
    const Lock lock(mutex_);
    stop_ = true;
  }
  woken_.notify_all();
  thread_.join();
  ::close(ready_);
}

void CameraThread::open() {
  const Lock lock(mutex_);
  ++session_;
  open_ = true;
  running_ = trigger_ = false;
  events_.clear();
  woken_.notify_all();
}

void CameraThread::close() {
  const Lock lock(mutex_);
  open_ = running_ = false;
  events_.clear();
  woken_.notify_all();
}

void CameraThread::trigger() {
  const Lock lock(mutex_);
  trigger_ = true;
  woken_.notify_all();
}

bool CameraThread::running() const {
  const Lock lock(mutex_);
  return running_;
}

std::deque<Event> CameraThread::take() {
  const Lock lock(mutex_);
  eventfd_t count = 0;
  ::eventfd_read(ready_, &count);
  return std::exchange(events_, {});
}

std::optional<Pending> CameraThread::pending() const {
  const Lock lock(mutex_);
  return pending_;
}

bool CameraThread::wanted(std::uint64_t session) const { return open_ && !stop_ && session == session_; }

void CameraThread::tell(std::uint64_t session, Event event) {
  const Lock lock(mutex_);
  if (!wanted(session)) return;
  if (std::holds_alternative<Opened>(event)) running_ = true;
  if (std::holds_alternative<Lost>(event)) open_ = running_ = false;
  const auto blocks = std::count_if(events_.begin(), events_.end(),
                                    [](const Event& e) { return std::holds_alternative<Block>(e); });
  const bool is_block = std::holds_alternative<Block>(event);
  if (is_block && static_cast<std::size_t>(blocks) >= most_blocks) {
    ++overrun_;
    event = Overrun{overrun_};
    if (!events_.empty() && std::holds_alternative<Overrun>(events_.back())) events_.pop_back();
  } else if (is_block) {
    overrun_ = 0;
  }
  const bool must = is_block || std::holds_alternative<Lost>(event) ||
                    std::holds_alternative<Opened>(event) || std::holds_alternative<Triggered>(event);
  if (events_.size() >= most_events && !must) return;
  events_.push_back(std::move(event));
  ::eventfd_write(ready_, 1);
}

CameraTools CameraThread::tools(std::uint64_t session) {
  return {clock_,
          [this, session](const char* what) {
            const Lock lock(mutex_);
            if (!wanted(session)) throw LostError("given up");
            pending_ = Pending{what, clock_()};
          },
          [this] {
            const Lock lock(mutex_);
            pending_.reset();
          },
          [this] {
            const Lock lock(mutex_);
            wake_ = true;
            arrived_.notify_all();
          },
          memory_};
}

void CameraThread::run() {
  for (;;) {
    std::uint64_t session = 0;
    {
      Lock lock(mutex_);
      woken_.wait(lock, [this] { return stop_ || open_; });
      if (stop_) return;
      session = session_;
    }
    try {
      serve(session);
    } catch (const std::exception& error) {
      tell(session, Lost{error.what()});
    }
  }
}

/// Blocks are received beside the camera's answers until this ends.
class CameraThread::Receiving {
 public:
  Receiving(CameraThread& self, Camera& camera, std::uint64_t session, const Setup& setup)
      : self_(self), thread_([&self, &camera, session, &setup] { self.receive(camera, session, setup); }) {}
  ~Receiving() {
    {
      const Lock lock(self_.mutex_);
      self_.receiving_ends_ = true;
    }
    self_.arrived_.notify_all();
    thread_.join();
    self_.receiving_ends_ = false;
    self_.failure_ = nullptr;
    self_.asked_.clear();  // breaks their promises
  }
  Receiving(const Receiving&) = delete;
  Receiving& operator=(const Receiving&) = delete;

 private:
  CameraThread& self_;
  std::thread thread_;
};

/// On a thread of its own.
void CameraThread::receive(Camera& camera, std::uint64_t session, const Setup& setup) {
  try {
    for (;;) {
      const bool receives = camera.receiving();
      {
        Lock lock(mutex_);
        const auto is_needed = [this] { return receiving_ends_ || wake_; };
        if (receives)
          arrived_.wait_for(lock, std::chrono::nanoseconds(arrival_ns), is_needed);
        else
          arrived_.wait(lock, is_needed);
        if (receiving_ends_) return;
        wake_ = false;
      }
      camera.follow(begins_, setup);
      const Lock order(order_, std::try_to_lock);
      if (!order.owns_lock()) continue;  // woken when the trigger was told
      while (auto delivery = camera.next()) deliver(session, setup, std::move(*delivery));
    }
  } catch (...) {
    const Lock lock(mutex_);
    failure_ = std::current_exception();
    woken_.notify_all();
  }
}

/// The camera's setup is read after the block has arrived, beside the block's own way: it was unchanged when the block was made,
/// or a change is reported before the block has a result.
void CameraThread::deliver(std::uint64_t session, const Setup& setup, Delivery&& delivery) {
  std::promise<std::string> change;
  tell(session, Block{std::move(delivery), setup, change.get_future().share()});
  const Lock lock(mutex_);
  unanswered_.reset();
  asked_.push_back(std::move(change));
  woken_.notify_all();
}

/// Runs until it is no longer needed. Throws Camera's errors.
void CameraThread::serve(std::uint64_t session) {
  Camera camera(settings_, tools(session));
  const Identity identity = camera.open();
  const Setup setup = camera.start();
  tell(session, Opened{identity, setup, camera.exposure_us()});
  for (std::string& text : camera.take_warnings()) tell(session, Warning{std::move(text)});
  const MonotonicNs period_ns = settings_.watch_ms * ns_per_ms;
  MonotonicNs next_watch = clock_(), late_ns = 0;
  unanswered_.reset();
  const Receiving receiving(*this, camera, session, setup);
  // Some cameras answer nothing while they send: all but the first watch may wait for the block.
  const auto due_ns = [&] { return next_watch + (camera.receiving() ? late_ns : 0); };
  for (;;) {
    bool trigger = false;
    std::vector<std::promise<std::string>> asked;
    {
      const MonotonicNs wait_ns = std::max<MonotonicNs>(0, due_ns() - clock_());
      Lock lock(mutex_);
      woken_.wait_for(lock, std::chrono::nanoseconds(wait_ns),
                      [&] { return !wanted(session) || trigger_ || !asked_.empty() || failure_; });
      if (!wanted(session)) return;
      if (failure_) std::rethrow_exception(failure_);
      trigger = std::exchange(trigger_, false);
      asked.swap(asked_);
    }
    if (trigger) send_trigger(camera, session);
    if (!asked.empty()) check_setup(camera, setup, asked);
    if (clock_() < due_ns()) continue;
    demand_an_answer_to_the_trigger();
    if (const auto answer = camera.ask_clock())
      tell(session, *answer);
    else
      tell(session, NoClock{});
    if (asked.empty()) check_setup(camera, setup, asked);
    next_watch = clock_() + period_ns;
    late_ns = period_ns;
  }
}

/// The trigger's event precedes that of its block, however early that comes.
void CameraThread::send_trigger(Camera& camera, std::uint64_t session) {
  {
    const Lock order(order_);
    const MonotonicNs sent_ns = camera.trigger();
    {
      const Lock lock(mutex_);
      unanswered_ = sent_ns;
    }
    tell(session, Triggered{sent_ns});
  }
  const Lock lock(mutex_);
  wake_ = true;
  arrived_.notify_all();
}

/// Throws LostError where the setup is no longer that of the start.
void CameraThread::check_setup(Camera& camera, const Setup& setup,
                               std::vector<std::promise<std::string>>& asked) {
  const std::string changed = difference(setup, camera.setup());
  for (auto& change : asked) change.set_value(changed);
  if (!changed.empty()) throw LostError("its setup changed: " + changed);
}

/// A camera whose acquisition has ended accepts every trigger and answers none; a restart helps.
void CameraThread::demand_an_answer_to_the_trigger() const {
  const Lock lock(mutex_);
  if (!unanswered_ || clock_() - *unanswered_ < settings_.max_age_ms * ns_per_ms) return;
  throw LostError(fmt::format("no frame came within {} ms of TriggerSoftware", settings_.max_age_ms));
}

}  // namespace datum::genicam
