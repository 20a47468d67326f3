// The link to the broker: AMQP 1.0 by Qpid Proton, at least once, in the order of the store.
//
// A message counts as delivered when the broker has accepted it, and an entry when all messages up to it are. After a lost
// connection, and after a message that the broker did not take, everything behind the newest delivered entry is sent again, with the
// same ids. Nothing is skipped: a broker that refuses a message holds the link back, and the log says which.
#pragma once

#include <functional>
#include <memory>

#include "daemon/plant/plant_feed.h"

namespace datum {

struct PlantLinkActions {
  std::function<void(const PlantPosition&)> keep;               // everything up to there was accepted
  std::function<void(int level, const std::string& text)> log;  // levels of syslog
  std::function<bool()> ending;                                 // true: end after what is open is accepted
  std::function<std::string()> utc;                             // now, ISO 8601
};

class PlantLink {
 public:
  /// Throws std::runtime_error where a file of the settings can't be read.
  PlantLink(const std::filesystem::path& store, const PlantSettings& settings, const PlantPosition& from,
            PlantLinkActions actions);
  ~PlantLink();
  /// Until `ending`.
  void run();

 private:
  class Handler;
  std::unique_ptr<Handler> handler_;
};

}  // namespace datum
