// Session: the command protocol of one host, bytes in and whole answer lines out (SCPI-99 over IEEE 488.2).
//
// Every host has its own error queue, status registers and pending answers. No clock, no descriptor, no thread.
//  - After a command error (-1xx) the rest of the message is not executed; after an execution error it is.
//  - *OPC? keeps its place in the order of answers and is answered without pending operations. Later messages are executed
//    meanwhile (so ABORt works), and their answers wait after it. *WAI holds everything after it; so do *TST? until the
//    worker has ended it, and MMEMory:DATA until the recipe is stored or refused.
//  - Answers of one message form one line, joined by ';', ended by LF.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/instrument/host_codec.h"
#include "daemon/instrument/instrument.h"
#include "daemon/scpi/scpi_form.h"
#include "daemon/scpi/scpi_framer.h"
#include "daemon/scpi/scpi_parser.h"
#include "daemon/scpi/scpi_status.h"

namespace datum::scpi {

class Session final : public HostCodec {
 public:
  /// `host`: name of the peer as in lock_arbiter.h.
  explicit Session(Instrument& instrument, std::string host = "host");

  /// Handles a line that is not a command; true where it did. Called before the parser, also after *WAI.
  using OtherLine = std::function<bool(std::string_view line)>;
  void on_other_line(OtherLine handler) { other_line_ = std::move(handler); }

  /// Executes every complete message.
  void receive(std::string_view bytes) override;
  bool waits() const override { return !held_ && !later_ && (parser_ || !inbox_.empty()); }
  void resume() override { work(); }
  bool full() const override { return later_ && !later_->answers; }
  bool owes() const override { return held_ || later_ || event_when_complete_ || !outbox_.empty(); }
  /// An operation ended, or a condition of the instrument changed.
  void instrument_changed() override;
  /// Complete answer lines with LF; the caller sends them in this order and never splits them.
  std::vector<std::string> take_answers() override;
  /// The link broke: discards an incomplete message and unsent answers; errors and status stay.
  void link_lost() override;
  /// Enqueues an error that no command caused, and sets its event bit.
  void raise(int number, const std::string& detail) override;

  Instrument& instrument() { return instrument_; }
  const std::string& host() const { return host_; }
  Status& status() { return status_; }
  ErrorQueue& errors() { return errors_; }
  std::uint8_t status_byte() const;
  bool pushes_results() const override { return pushes_results_; }
  std::string pushed(const BoardVerdict& verdict) const override;
  std::string gap(const std::string& store_id, std::uint64_t from, std::uint64_t to) const override;
  void push_results(bool on) { pushes_results_ = on; }
  AnswerForm& form() { return form_; }
  /// The host acknowledged all results up to this sequence number.
  std::uint64_t acknowledged() const { return acknowledged_; }
  void acknowledge(std::uint64_t sequence) { acknowledged_ = sequence; }

  // Effects of common commands on the order of execution.
  void answer(std::string text) { line_.push_back({std::move(text), false}); }
  void answer_when_complete() { line_.push_back({"1", true}); }
  void set_event_when_complete() { event_when_complete_ = true; }
  void wait_until_complete() { held_ = instrument_.operation_pending(); }
  /// The end of an operation and its answer, in the order of answers; later commands wait. Whoever sets it calls
  /// instrument_changed().
  struct Later {
    bool done = false, answers = true;
    std::string text;
    std::vector<std::string> errors;  // enqueued with `error_number` before the answer
    int error_number = 0;
  };
  void wait_for(std::shared_ptr<Later> later) { later_ = std::move(later); }
  /// *CLS and *RST: cancels *OPC and *OPC?.
  void forget_completion();

 private:
  struct Answer {
    std::string text;
    bool when_complete = false;
  };
  using Line = std::vector<Answer>;

  void work();
  bool run_message();
  void execute(const Unit& unit);
  void end_message();
  void release_complete();
  bool waits_for_others();

  Instrument& instrument_;
  std::string host_;
  OtherLine other_line_;
  Framer framer_;
  Status status_;
  ErrorQueue errors_;
  std::deque<Framed> inbox_;
  std::size_t inbox_bytes_ = 0;
  std::optional<Parser> parser_;      // message in execution
  std::optional<Unit> unit_;          // its next unit, held by the rate limit
  bool paid_ = false;                 // the first command of a message passed the rate limit
  std::vector<std::string> path_;     // path of a header without ':'
  Line line_;                         // answers of that message
  std::deque<Line> outbox_;           // complete lines; the first may still wait for completion
  bool held_ = false;                 // by *WAI
  std::shared_ptr<Later> later_;      // execution waits for it
  MonotonicNs later_took_ns_ = 0;     // loop time of its command, ns
  bool event_when_complete_ = false;  // *OPC
  bool working_ = false;
  bool lost_ = false;  // link_lost() was called from within a command
  bool pushes_results_ = false;
  AnswerForm form_;
  std::uint64_t acknowledged_ = 0;
};

}  // namespace datum::scpi
