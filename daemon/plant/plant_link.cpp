#include "daemon/plant/plant_link.h"

#include <fmt/format.h>
#include <syslog.h>

#include <chrono>
#include <fstream>
#include <proton/connection.hpp>
#include <proton/connection_options.hpp>
#include <proton/container.hpp>
#include <proton/delivery_mode.hpp>
#include <proton/error_condition.hpp>
#include <proton/message.hpp>
#include <proton/messaging_handler.hpp>
#include <proton/sender.hpp>
#include <proton/sender_options.hpp>
#include <proton/ssl.hpp>
#include <proton/tracker.hpp>
#include <proton/transport.hpp>
#include <proton/types.hpp>
#include <proton/work_queue.hpp>

#include "daemon/plant/cfx_messages.h"
#include "daemon/plant/delivery_window.h"

namespace datum {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int tick_ms = 200;        // looks for new entries, keeps the position
constexpr int first_wait_ms = 500;  // before connecting again; doubled each time
constexpr int longest_wait_ms = 30'000;
constexpr int idle_ms = 30'000;  // without a byte the connection is dead
constexpr std::chrono::seconds open_at_end{5};

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line))
    throw std::runtime_error(file.string() + ": can't be read, or is empty; its first line is the password");
  return line;
}

proton::connection_options options_of(const PlantSettings& s) {
  proton::connection_options options;
  options.container_id(s.handle).idle_timeout(proton::duration(idle_ms));
  if (s.url.starts_with("amqps:")) {
    const auto authority = s.authority_file.string();
    if (!s.certificate_file.empty()) {
      const proton::ssl_certificate own(s.certificate_file.string(), s.key_file.string());
      options.ssl_client_options(proton::ssl_client_options(own, authority));
    } else {
      options.ssl_client_options(authority.empty() ? proton::ssl_client_options()
                                                   : proton::ssl_client_options(authority));
    }
  }
  if (!s.user.empty()) {
    options.user(s.user).password(first_line(s.password_file)).sasl_allowed_mechs("PLAIN");
    options.sasl_allow_insecure_mechs(true);  // the settings allow a clear connection to this computer alone
  } else {
    options.sasl_allowed_mechs(s.certificate_file.empty() ? "ANONYMOUS" : "EXTERNAL ANONYMOUS");
  }
  return options;
}

}  // namespace

class PlantLink::Handler : public proton::messaging_handler {
 public:
  Handler(const std::filesystem::path& store, const PlantSettings& settings, const PlantPosition& from,
          PlantLinkActions actions)
      : settings_(settings),
        options_(options_of(settings)),
        actions_(std::move(actions)),
        accepted_(from),
        feed_(store, settings, from),
        window_(static_cast<std::size_t>(settings.window)) {}

  void on_container_start(proton::container& container) override {
    container_ = &container;
    container.auto_stop(false);
    connect();
    tick();
  }
  void on_connection_open(proton::connection& connection) override {
    const auto open = [&](const std::string& address) {
      return connection.open_sender(
          address, proton::sender_options().delivery_mode(proton::delivery_mode::AT_LEAST_ONCE));
    };
    connection_ = connection;
    if (!settings_.messages.empty()) messages_ = open(settings_.messages);
    if (!settings_.entries.empty()) entries_ = open(settings_.entries);
    phase_ = Phase::open;
    greeted_ = settings_.messages.empty();
  }
  void on_sendable(proton::sender&) override { pump(); }
  void on_tracker_accept(proton::tracker& tracker) override {
    if (auto reached = window_.accepted(std::string(tracker.tag()))) {
      accepted_ = *std::move(reached);
      is_kept_ = false;
      wait_ms_ = first_wait_ms;
      told_.clear();
    }
    pump();
  }
  void on_tracker_reject(proton::tracker& tracker) override { refused(tracker, "rejected"); }
  void on_tracker_release(proton::tracker& tracker) override { refused(tracker, "released"); }
  void on_sender_error(proton::sender& sender) override {
    drop("it ended the link: " + sender.error().what());
  }
  void on_sender_close(proton::sender&) override { drop("it ended the link"); }
  void on_connection_error(proton::connection& connection) override {
    drop("it ended the connection: " + connection.error().what());
  }
  void on_connection_close(proton::connection&) override { drop("it ended the connection"); }
  void on_transport_error(proton::transport& transport) override { drop(transport.error().what()); }
  void on_transport_close(proton::transport&) override { drop("the connection ended"); }
  void on_error(const proton::error_condition& error) override { drop(error.what()); }

 private:
  enum class Phase : std::uint8_t { away, connecting, open };

  void connect() {
    phase_ = Phase::connecting;
    container_->connect(settings_.url, proton::connection_options(options_).handler(*this));
  }

  /// Forgets the connection, and makes another one after a while: everything that was not accepted is sent again.
  void drop(const std::string& why) {
    if (phase_ == Phase::away) return;  // a consequence of the first reason
    if (why != told_ && !ending_)
      actions_.log(LOG_WARNING, fmt::format("{}: {}; results stay in the store until they are accepted",
                                            settings_.url, why));
    told_ = why;
    if (phase_ == Phase::open) {
      offline_since_ = Clock::now();
      connection_.close();
    }
    phase_ = Phase::away;
    window_.lost();
    feed_.rewind(accepted_);
    if (ending_) return;
    container_->schedule(proton::duration(wait_ms_), [this] {
      if (!ending_) connect();
    });
    wait_ms_ = std::min(2 * wait_ms_, longest_wait_ms);
  }

  void refused(const proton::tracker& tracker, const char* how) {
    drop(fmt::format("message {} was {}", std::string(tracker.tag()), how));
  }

  static bool may_send(const proton::sender& sender) { return sender.active() && sender.credit() > 0; }

  void send(proton::sender& sender, const std::string& name, const std::string& id, const std::string& json,
            bool durable) {
    proton::message out;
    out.id(id);
    out.subject(settings_.handle + "." + name);
    out.content_type(R"(application/json; charset="utf-8")");
    out.durable(durable);
    out.properties().put("cfx-message", name);
    out.properties().put("cfx-handle", settings_.handle);
    out.properties().put("cfx-topic", name.substr(0, name.rfind('.')));
    out.body(proton::binary(json));
    sender.send(out, proton::binary(id));
  }

  /// What is of the moment is sent where there is room, and never again.
  void tell(const CfxMessage& message) {
    if (!settings_.messages.empty() && may_send(messages_))
      send(messages_, message.name, message.id, message.json, false);
  }

  void greet() {
    if (greeted_ || !may_send(messages_)) return;
    const CfxOrigin now{settings_.handle, actions_.utc()};
    const auto away = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - offline_since_);
    tell(cfx_connected(now, "connected " + now.utc));
    tell(cfx_online(now, "online " + now.utc, away.count()));
    tell(cfx_heartbeat(now, "heartbeat " + now.utc, settings_.heartbeat_s));
    heart_ = Clock::now();
    greeted_ = true;
    actions_.log(LOG_INFO, fmt::format("connected with {}", settings_.url));
  }

  void pump() {
    if (phase_ != Phase::open || is_drained_ || ending_) return;
    greet();
    while (greeted_ && !window_.is_full()) {
      const PlantMessage* next = next_message();
      if (!next) {
        is_drained_ = true;  // until the next tick
        return;
      }
      proton::sender& sender = next->to == PlantMessage::To::messages ? messages_ : entries_;
      if (!may_send(sender)) return;
      send(sender, next->name, next->id, next->json, true);
      window_.sent(next->id, next->completes);
      feed_.pop();
    }
  }

  /// Null: there is none, or the store can't be read, which is no reason to leave the broker.
  const PlantMessage* next_message() {
    try {
      const PlantMessage* next = feed_.front();
      if (const std::string notice = feed_.notice(); !notice.empty()) actions_.log(LOG_WARNING, notice);
      store_told_.clear();
      return next;
    } catch (const std::exception& error) {
      if (store_told_ != error.what()) actions_.log(LOG_WARNING, error.what());
      store_told_ = error.what();
      return nullptr;
    }
  }

  void keep() {
    if (is_kept_) return;
    actions_.keep(accepted_);
    is_kept_ = true;
  }

  void tick() {
    keep();
    is_drained_ = false;
    if (!ending_ && actions_.ending()) {
      ending_ = true;
      ending_since_ = Clock::now();
      const CfxOrigin now{settings_.handle, actions_.utc()};
      if (phase_ == Phase::open) tell(cfx_shutting_down(now, "shutting down " + now.utc));
    }
    if (ending_ &&
        (phase_ != Phase::open || window_.open() == 0 || Clock::now() - ending_since_ > open_at_end)) {
      if (phase_ == Phase::open) connection_.close();
      container_->stop();
      return;
    }
    if (phase_ == Phase::open && greeted_ &&
        Clock::now() - heart_ >= std::chrono::seconds(settings_.heartbeat_s)) {
      const CfxOrigin now{settings_.handle, actions_.utc()};
      tell(cfx_heartbeat(now, "heartbeat " + now.utc, settings_.heartbeat_s));
      heart_ = Clock::now();
    }
    pump();
    container_->schedule(proton::duration(tick_ms), [this] { tick(); });
  }

  const PlantSettings settings_;
  const proton::connection_options options_;
  const PlantLinkActions actions_;
  PlantPosition accepted_;
  PlantFeed feed_;
  DeliveryWindow window_;
  proton::container* container_ = nullptr;
  proton::connection connection_;
  proton::sender messages_, entries_;
  Phase phase_ = Phase::away;
  bool greeted_ = false;     // EndpointConnected was sent on this connection
  bool is_drained_ = false;  // the store has nothing newer
  bool is_kept_ = true, ending_ = false;
  int wait_ms_ = first_wait_ms;
  std::string told_, store_told_;  // each trouble once
  Clock::time_point offline_since_ = Clock::now(), heart_{}, ending_since_{};
};

PlantLink::PlantLink(const std::filesystem::path& store, const PlantSettings& settings,
                     const PlantPosition& from, PlantLinkActions actions)
    : handler_(std::make_unique<Handler>(store, settings, from, std::move(actions))) {}
PlantLink::~PlantLink() = default;

void PlantLink::run() { proton::container(*handler_).run(); }

}  // namespace datum
