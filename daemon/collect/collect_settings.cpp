#include "daemon/collect/collect_settings.h"

#include <fmt/format.h>

#include "config/toml_reader.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using config::TomlTable;

CollectBroker read_broker(TomlTable table, const fs::path& folder) {
  table.only_keys({"url", "entries", "window", "user", "password_file", "authority_file", "crl_file",
                   "certificate_file", "key_file"});
  CollectBroker b;
  config::read_broker_url(table, "takes results and sends passwords over a network in clear", b);
  b.entries = table.text("entries");
  if (b.entries.empty())
    table.refuse("entries", "is empty",
                 "the broker's address of a durable queue, such as \"/amq/queue/entries\"");
  b.window = static_cast<int>(table.integer_or("window", b.window, 1, 10'000));
  config::read_broker_files(table, folder, b);
  table.finish();
  return b;
}

}  // namespace

CollectSettings load_collect_settings(const fs::path& file) {
  TomlTable table = TomlTable::from_file(file);
  table.only_keys({"broker", "database", "measurement_days", "board_days", "largest_message_mib"});
  const fs::path folder = fs::absolute(file).parent_path();
  CollectSettings s;
  s.broker = read_broker(table.table("broker"), folder);
  s.database = read_database_settings(table.table("database"), folder);
  s.measurement_days = static_cast<int>(table.integer_or("measurement_days", s.measurement_days, 1, 36'500));
  s.board_days = static_cast<int>(table.integer_or("board_days", s.board_days, 0, 36'500));
  if (s.board_days != 0 && s.board_days < s.measurement_days)
    table.refuse("board_days", fmt::format("{} is below measurement_days", s.board_days),
                 "measurement_days or more; 0: for ever");
  s.largest_message = static_cast<std::size_t>(table.integer_or("largest_message_mib", 16, 1, 128)) << 20;
  table.finish();
  return s;
}

}  // namespace datum
