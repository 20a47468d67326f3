// RegisterServer: the loop's end of all Modbus links. Their threads read images and leave writes in mailboxes. The loop's
// thread executes the writes and publishes new images whenever the cell changes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/modbus/host.h"
#include "daemon/modbus/mailbox.h"
#include "daemon/modbus/position_store.h"
#include "daemon/system/worker.h"

namespace datum::modbus {

struct ServerDependencies {
  Instrument& instrument;
  LockArbiter& control;
  LogSink log;
  std::filesystem::path positions;  // file of the hosts' positions
};

class RegisterServer final : public CommandEndpoint {
 public:
  /// Throws StoreError where the results or the positions can't be read.
  explicit RegisterServer(ServerDependencies parts);
  /// All links must have ended.
  ~RegisterServer() override;

  /// Adds a link of this host, named as in lock_arbiter.h; the peer is absent until Mailbox::present().
  std::shared_ptr<Mailbox> connect(const std::string& host);
  void disconnect(const std::shared_ptr<Mailbox>& mailbox);
  /// True: this host has control.
  bool has_control(const std::string& host) const { return parts_.control.owner() == host; }
  /// The host with a reserved place, see LockArbiter.
  const std::string& place_kept_for() const { return parts_.control.place_kept_for(); }
  /// Accepts no further writes, so that links can end.
  void close();
  /// The thread that writes positions; the loop must poll it too.
  Pollable& keeper() { return *keeper_; }

  int fd() const override { return wake_; }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;

  void push_result(const BoardVerdict& verdict) override;
  void instrument_changed() override { changed_ = true; }
  void raise(int, const std::string&) override { changed_ = true; }
  /// Lowest position of all hosts that acknowledged in this store. A disconnected host counts until retention removes
  /// results that it has not received.
  std::optional<std::uint64_t> acknowledged() const override;

 private:
  struct Link {
    std::shared_ptr<Mailbox> mailbox;
    Host* host = nullptr;
    bool present = false;
  };
  Host& host_named(const std::string& name);
  void read_store();
  void follow_presence();
  bool is_present(const std::string& host) const;
  void publish(MonotonicNs now);
  bool note_positions();
  void keep_positions();

  ServerDependencies parts_;
  CellView cell_;
  PositionStore store_;  // used by the writing thread during its life
  std::map<std::string, std::uint64_t> positions_;
  bool positions_changed_ = false;
  std::map<std::string, std::unique_ptr<Host>> hosts_;
  std::vector<Link> links_;
  Beat beat_;
  bool changed_ = true;
  bool keeping_failed_ = false;
  std::string store_problem_;
  int wake_ = -1;
  std::optional<Worker> keeper_;  // writes positions, since a slow disk must not delay the loop
};

}  // namespace datum::modbus
