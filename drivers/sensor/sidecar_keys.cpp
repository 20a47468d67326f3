#include "drivers/sensor/sidecar_keys.h"

#include <algorithm>

namespace datum {

CaptureTime read_capture_time(JsonObject&& time) {
  CaptureTime captured{time.integer("ns"), ClockDomain::unknown};
  const std::string clock = time.text("clock");
  time.finish();
  for (const ClockDomain c :
       {ClockDomain::unknown, ClockDomain::sensor, ClockDomain::host_monotonic, ClockDomain::utc}) {
    if (clock == name_of(c)) {
      captured.clock = c;
      return captured;
    }
  }
  time.refuse("clock", "'" + clock + "' is not known", "one of: unknown, sensor, host_monotonic, utc");
}

void read_job(JsonObject& root, std::string& name, std::string& hash) {
  if (!root.has("job")) return;
  JsonObject job = root.object("job");
  name = job.text("name");
  if (job.has("hash")) hash = job.text("hash");
  job.finish();
}

Handedness read_handedness(JsonObject& root) {
  const std::string hand = root.text("handedness");
  if (hand != "right" && hand != "left")
    root.refuse("handedness", "'" + hand + "' is not known", "one of: right, left");
  return hand == "left" ? Handedness::left : Handedness::right;
}

std::string read_sha256(JsonObject& object, const std::string& key) {
  std::string hex = object.text(key);
  const bool good = hex.size() == 64 && std::all_of(hex.begin(), hex.end(), [](char c) {
                      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                    });
  if (!good) object.refuse(key, "is not a SHA-256", "64 lower-case hexadecimal digits are needed");
  return hex;
}

void check_schema_version(JsonObject& root) {
  const std::int64_t version = root.integer("schema_version");
  if (version != 1)
    root.refuse("schema_version", "is " + std::to_string(version), "this version of datumd reads 1");
}

}  // namespace datum
