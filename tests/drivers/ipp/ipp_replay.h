// Plays golden transcripts of I++ DME, tests/data/ipp/*.txt, to the client and compares its output and
// samples. Format: tests/drivers/cmm/transcript.h; a sample that begins with TOUCH is a touch.
#pragma once

#include <gtest/gtest.h>

#include "drivers/cmm/presets.h"
#include "drivers/ipp/ipp_client.h"
#include "tests/drivers/cmm/transcript.h"

namespace datum::testing {

inline CmmSettings ipp_settings() {
  CmmSettings settings = ipp_dme();
  settings.link = TcpSettings{"127.0.0.1", 1294};
  settings.ipp.tool = "Probe1";
  return settings;
}

class IppReplay {
 public:
  /// `split`: offset among all bytes from the server at which a read ends; 0: none.
  explicit IppReplay(const CmmSettings& settings, std::size_t split = 0) : client_(settings), split_(split) {
    client_.opened(now_);
    collect();
  }

  void run(const TranscriptStep& step) {
    using Is = TranscriptStep::Is;
    if (step.is == Is::to_device) {
      EXPECT_EQ(sent(step.text.size()), step.text);
    }
    if (step.is == Is::elapse) {
      now_ += step.ms * ns_per_ms;
      if (client_.deadline() && *client_.deadline() <= now_) client_.on_deadline(now_);
      collect();
    }
    if (step.is != Is::from_device) return;
    const bool cut = split_ > offset_ && split_ < offset_ + step.text.size();
    const std::size_t first = cut ? split_ - offset_ : step.text.size();
    feed(step.text.substr(0, first));
    if (cut) feed(step.text.substr(first));
    offset_ += step.text.size();
  }
  void feed(const std::string& bytes) {
    client_.receive(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), now_);
    collect();
  }

  const std::vector<std::string>& heard() const { return heard_; }
  IppClient& client() { return client_; }

 private:
  void collect() {
    output_ += client_.take_output(now_);
    while (const auto sample = client_.next()) heard_.push_back(text_of(*sample));
    while (const auto touch = client_.next_touch()) heard_.push_back("TOUCH " + text_of(*touch));
  }
  // Runs until the expected bytes are sent; the clock advances only to the client's own deadlines.
  std::string sent(std::size_t size) {
    for (int i = 0; i < 100 && output_.size() < size && client_.deadline(); ++i) {
      now_ = std::max(now_, *client_.deadline());
      client_.on_deadline(now_);
      collect();
    }
    const std::string bytes = output_.substr(0, size);
    output_.erase(0, size);
    return bytes;
  }

  IppClient client_;
  std::size_t split_, offset_ = 0;
  MonotonicNs now_ = ns_per_ms;
  std::string output_;
  std::vector<std::string> heard_;
};

}  // namespace datum::testing
