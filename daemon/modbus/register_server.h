// RegisterServer: the loop's end of all Modbus links. Their threads read images and leave writes in mailboxes; here the writes
// are done and images made anew whenever the cell changes, on the loop's thread like every other host's commands.
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

struct DeskParts {
  Instrument& instrument;
  LockArbiter& control;
  LogSink log;
  std::filesystem::path positions;  // of hosts in the results
};

class RegisterServer final : public CommandEndpoint {
 public:
  /// Throws StoreError where the results or the positions can't be read.
  explicit RegisterServer(DeskParts parts);
  /// Links must have ended.
  ~RegisterServer() override;

  /// A link of this host, named as lock_arbiter.h has it; its peer counts as gone until Mailbox::present().
  std::shared_ptr<Mailbox> connect(const std::string& host);
  void disconnect(const std::shared_ptr<Mailbox>& mailbox);
  /// Control is this host's now.
  bool has_control(const std::string& host) const { return parts_.control.owner() == host; }
  /// The host that a place is kept for, see LockArbiter.
  const std::string& place_kept_for() const { return parts_.control.place_kept_for(); }
  /// No write is taken any more: links can be ended.
  void close();
  /// To be watched beside the desk.
  Pollable& keeper() { return *keeper_; }

  int fd() const override { return wake_; }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;

  void push_result(const BoardVerdict& verdict) override;
  void instrument_changed() override { changed_ = true; }
  void raise(int, const std::string&) override { changed_ = true; }
  /// By every host that acknowledged anything in this store. One that is gone counts until results went that it had not
  /// seen: then it holds up the others' no longer.
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

  DeskParts parts_;
  CellView cell_;
  PositionStore store_;  // the keeper's while that lives
  std::map<std::string, std::uint64_t> positions_;
  bool positions_changed_ = false;
  std::map<std::string, std::unique_ptr<Host>> hosts_;
  std::vector<Link> links_;
  Beat beat_;
  bool changed_ = true;
  bool keeping_failed_ = false;
  std::string store_problem_;
  int wake_ = -1;
  std::optional<Worker> keeper_;  // writes positions: a disk may be slow, the loop is not
};

}  // namespace datum::modbus
