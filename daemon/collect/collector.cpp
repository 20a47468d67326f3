#include "daemon/collect/collector.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <proton/connection.hpp>
#include <proton/connection_options.hpp>
#include <proton/container.hpp>
#include <proton/delivery.hpp>
#include <proton/error_condition.hpp>
#include <proton/message.hpp>
#include <proton/messaging_handler.hpp>
#include <proton/receiver.hpp>
#include <proton/receiver_options.hpp>
#include <proton/ssl.hpp>
#include <proton/transport.hpp>
#include <proton/types.hpp>
#include <proton/work_queue.hpp>

#include "daemon/collect/write_thread.h"

namespace datum {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int tick_ms = 200;
constexpr int first_wait_ms = 500, longest_wait_ms = 30'000;  // before connecting again; doubled each time
constexpr int idle_ms = 30'000;                               // without a byte the connection is dead
constexpr std::chrono::seconds open_at_end{10};
// RabbitMQ 3.10 loses accepts of a consumer that closes at once behind them.
constexpr std::chrono::milliseconds calm_before_close{500};

proton::connection_options options_of(const CollectBroker& b) {
  proton::connection_options options;
  options.container_id("datumd-collect").idle_timeout(proton::duration(idle_ms));
  if (b.url.starts_with("amqps:")) {
    const auto authority = b.authority_file.string();
    if (!b.certificate_file.empty()) {
      const proton::ssl_certificate own(b.certificate_file.string(), b.key_file.string());
      options.ssl_client_options(proton::ssl_client_options(own, authority));
    } else {
      options.ssl_client_options(authority.empty() ? proton::ssl_client_options()
                                                   : proton::ssl_client_options(authority));
    }
  }
  if (!b.user.empty()) {
    options.user(b.user).password(password_in(b.password_file)).sasl_allowed_mechs("PLAIN");
    options.sasl_allow_insecure_mechs(true);  // the settings allow a clear connection to this computer alone
  } else {
    options.sasl_allowed_mechs(b.certificate_file.empty() ? "ANONYMOUS" : "EXTERNAL ANONYMOUS");
  }
  return options;
}

/// The bytes that datumd-plant sent; of a body in another form its text, which is no entry.
std::string bytes_of(const proton::message& message) {
  const proton::value& body = message.body();
  if (body.type() == proton::BINARY) {
    const auto bytes = proton::get<proton::binary>(body);
    return {bytes.begin(), bytes.end()};
  }
  if (body.type() == proton::STRING) return proton::get<std::string>(body);
  return proton::to_string(body);
}

}  // namespace

class Collector::Handler : public proton::messaging_handler {
 public:
  Handler(const CollectSettings& settings, CollectorActions actions)
      : settings_(settings), options_(options_of(settings.broker)), actions_(std::move(actions)) {}

  void on_container_start(proton::container& container) override {
    container_ = &container;
    container.auto_stop(false);
    work_ = std::make_unique<proton::work_queue>(container);
    WriteThreadActions actions;
    actions.committed = [this](const std::vector<std::uint64_t>& numbers) {
      work_->add([this, numbers] { settle(numbers); });
    };
    actions.log = actions_.log;
    actions.now_us = actions_.now_us;
    writer_ = std::make_unique<WriteThread>(settings_, actions);
    connect();
    tick();
  }
  void on_connection_open(proton::connection& connection) override {
    connection_ = connection;
    phase_ = Phase::open;
    // Credit is given by hand: a window of Proton's own is opened again by each message that arrives, committed or not.
    receiver_ = connection.open_receiver(settings_.broker.entries,
                                         proton::receiver_options().credit_window(0).auto_accept(false));
  }
  void on_receiver_open(proton::receiver& receiver) override {
    receiver.add_credit(static_cast<std::uint32_t>(settings_.broker.window));
    wait_ms_ = first_wait_ms;
    told_.clear();
    actions_.log(LOG_INFO, fmt::format("takes {} from {}", settings_.broker.entries, settings_.broker.url));
  }
  void on_message(proton::delivery& delivery, proton::message& message) override {
    if (ending_) return;  // the broker gives it to the next one
    open_.emplace(++last_number_, delivery);
    writer_->add(last_number_, delivered(bytes_of(message), settings_.largest_message, actions_.now_us()));
  }
  void on_receiver_error(proton::receiver& receiver) override {
    drop("it ended the link: " + receiver.error().what());
  }
  void on_receiver_close(proton::receiver&) override { drop("it ended the link"); }
  void on_connection_error(proton::connection& connection) override {
    drop("it ended the connection: " + connection.error().what());
  }
  void on_connection_close(proton::connection&) override { drop("it ended the connection"); }
  void on_transport_error(proton::transport& transport) override { drop(transport.error().what()); }
  void on_transport_close(proton::transport&) override { drop("the connection ended"); }
  void on_error(const proton::error_condition& error) override { drop(error.what()); }

  void end_writer() { writer_.reset(); }
  std::exception_ptr failure() const { return failure_; }

 private:
  enum class Phase : std::uint8_t { away, connecting, open };

  void connect() {
    phase_ = Phase::connecting;
    container_->connect(settings_.broker.url, proton::connection_options(options_).handler(*this));
  }

  void drop(const std::string& why) {
    if (phase_ == Phase::away) return;  // a consequence of the first reason
    if (why != told_ && !ending_)
      actions_.log(LOG_WARNING, fmt::format("{}: {}; entries wait there", settings_.broker.url, why));
    told_ = why;
    if (phase_ == Phase::open) connection_.close();
    phase_ = Phase::away;
    open_.clear();  // what was not accepted comes again, and changes nothing where it is committed
    if (ending_) return;
    container_->schedule(proton::duration(wait_ms_), [this] {
      if (!ending_) connect();
    });
    wait_ms_ = std::min(2 * wait_ms_, longest_wait_ms);
  }

  /// They are committed.
  void settle(const std::vector<std::uint64_t>& numbers) {
    std::uint32_t settled = 0;
    for (const std::uint64_t number : numbers) {
      const auto found = open_.find(number);
      if (found == open_.end()) continue;  // of a connection that was lost
      found->second.accept();
      open_.erase(found);
      ++settled;
    }
    last_settled_ = Clock::now();
    if (settled > 0 && !ending_) receiver_.add_credit(settled);
  }

  void tick() {
    if (!ending_ && (actions_.ending() || writer_->has_ended())) {
      ending_ = true;
      ending_since_ = Clock::now();
      failure_ = writer_->failure();
      writer_->end();
    }
    const auto now = Clock::now();
    const bool is_calm = writer_->has_ended() && now - last_settled_ > calm_before_close;
    if (ending_ && (is_calm || phase_ != Phase::open || now - ending_since_ > open_at_end)) {
      if (phase_ == Phase::open) connection_.close();
      container_->stop();
      return;
    }
    container_->schedule(proton::duration(tick_ms), [this] { tick(); });
  }

  const CollectSettings& settings_;
  const proton::connection_options options_;
  const CollectorActions actions_;
  proton::container* container_ = nullptr;
  std::unique_ptr<proton::work_queue> work_;
  proton::connection connection_;
  proton::receiver receiver_;
  std::map<std::uint64_t, proton::delivery> open_;  // taken and not accepted
  std::uint64_t last_number_ = 0;
  Phase phase_ = Phase::away;
  bool ending_ = false;
  int wait_ms_ = first_wait_ms;
  std::string told_;  // each trouble once
  Clock::time_point ending_since_{}, last_settled_{};
  std::exception_ptr failure_;
  std::unique_ptr<WriteThread> writer_;
};

Collector::Collector(const CollectSettings& settings, CollectorActions actions)
    : handler_(std::make_unique<Handler>(settings, std::move(actions))) {}
Collector::~Collector() = default;

void Collector::run() {
  proton::container container(*handler_);
  container.run();
  handler_->end_writer();  // before the container that it speaks to
  if (handler_->failure()) std::rethrow_exception(handler_->failure());
}

}  // namespace datum
