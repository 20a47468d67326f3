#include "drivers/genicam/reader.h"

#include <fmt/format.h>

#include <utility>

namespace datum::genicam {
namespace {

constexpr MonotonicNs check_ns = 100 * ns_per_ms;  // period of checks of an access in progress

/// The camera as a Port for Reconnector: it opens without blocking.
class CameraPort final : public Port {
 public:
  CameraPort(CameraThread& thread, std::string name) : thread_(thread), name_(std::move(name)) {}

  void open() override {
    thread_.open();
    open_ = true;
  }
  void close() noexcept override {
    thread_.close();
    open_ = false;
  }
  bool is_open() const override { return open_; }
  bool connected() const override { return open_ && thread_.running(); }
  int fd() const override { return thread_.fd(); }
  // Blocks do not use this interface.
  std::size_t read(std::uint8_t*, std::size_t) override { return 0; }
  std::size_t write(const std::uint8_t*, std::size_t) override { return 0; }
  std::string describe() const override { return name_; }

 private:
  CameraThread& thread_;
  std::string name_;
  bool open_ = false;
};

LinkLimits limits_of(const Settings& s) {
  LinkLimits limits;
  limits.connect_ms = s.connect_ms;
  limits.refusal_is_final = false;  // the camera's setup may change meanwhile
  return limits;
}

}  // namespace

Reader::Reader(const Settings& settings, Listener& listener, CameraThread::Clock clock,
               CameraThread::Memory memory, BlockBegins begins)
    : settings_(settings),
      listener_(listener),
      thread_(settings, std::move(clock), std::move(memory), std::move(begins)),
      keeper_(
          std::make_unique<CameraPort>(thread_, name_of(settings)), limits_of(settings),
          [this](MonotonicNs now) { next_check_ns_ = now + check_ns; },
          [this](const std::string& why, MonotonicNs now) {
            next_check_ns_.reset();
            trigger_pending_ = false;
            if (std::exchange(told_, why) != why) listener_.lost(why, now);
          }) {}

std::string Reader::said(const std::string& what) const { return name_of(settings_) + ": " + what; }

std::string Reader::why_not_running() const {
  if (keeper_.is_open()) return "";
  return told_.empty() ? "" : said("not connected: " + told_);
}

bool Reader::trigger() {
  if (!running()) return false;
  thread_.trigger();
  return trigger_pending_ = true;
}

void Reader::on_ready(MonotonicNs now) {
  keeper_.run(now, [&] {
    for (Event& event : thread_.take()) {
      handle(std::move(event), now);
      if (!keeper_.port().is_open()) return;
    }
  });
}

void Reader::handle(Event&& event, MonotonicNs now) {
  if (auto* opened = std::get_if<Opened>(&event)) {
    opened_ = std::move(*opened);
    keeper_.good();
    told_.clear();
    listener_.opened(*opened_, now);
  } else if (auto* block = std::get_if<Block>(&event)) {
    ++blocks_;
    listener_.block(std::move(*block), now);
  } else if (const auto* triggered = std::get_if<Triggered>(&event)) {
    triggered_ns_ = triggered->sent_ns;
    trigger_pending_ = false;
  } else if (const auto* answer = std::get_if<ClockAnswer>(&event)) {
    listener_.clock(*answer);
  } else if (std::holds_alternative<NoClock>(event)) {
    if (!std::exchange(clock_told_, true))
      listener_.warning(
          said("its clock can't be asked (TimestampLatch): exposures are timed by their arrival"));
  } else if (const auto* overrun = std::get_if<Overrun>(&event)) {
    listener_.overrun(overrun->frames);
  } else if (const auto* warning = std::get_if<Warning>(&event)) {
    listener_.warning(said(warning->text));
  } else if (const auto* lost = std::get_if<Lost>(&event)) {
    throw LostError(lost->why);
  }
}

std::optional<MonotonicNs> Reader::deadline() const {
  const auto keeper = keeper_.deadline();
  if (!next_check_ns_ || (keeper && *keeper < *next_check_ns_)) return keeper;
  return next_check_ns_;
}

void Reader::on_deadline(MonotonicNs now) {
  if (keeper_.on_deadline(now) || !next_check_ns_ || now < *next_check_ns_) return;
  next_check_ns_ = now + check_ns;
  const auto pending = thread_.pending();
  if (pending && now - pending->since_ns >= settings_.answer_ms * ns_per_ms)
    keeper_.lose(fmt::format("no answer to {} within {} ms", pending->what, settings_.answer_ms), now);
}

std::string Reader::describe() const {
  if (!keeper_.is_open() || !opened_)
    return said(told_.empty() ? "connecting" : "closed, to be reopened: " + told_);
  const Identity& id = opened_->identity;
  return said(fmt::format("running, {} {} {}, firmware {}, {}, {} x {} {}; {} blocks, opened {} times",
                          id.vendor, id.model, id.serial, id.firmware, id.address, opened_->setup.width,
                          opened_->setup.height, opened_->setup.pixel_format, blocks_,
                          keeper_.record().opened));
}

}  // namespace datum::genicam
