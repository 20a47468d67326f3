#include "daemon/store/plant_settings.h"

#include "config/toml_reader.h"

namespace datum::config {
namespace {

/// VENDOR.MODEL.SERIAL; a serial number may have dots.
bool is_handle(const std::string& text) {
  const std::size_t vendor = text.find('.'),
                    model = vendor == text.npos ? text.npos : text.find('.', vendor + 1);
  return model != text.npos && vendor > 0 && model > vendor + 1 && model + 1 < text.size() &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") ==
             text.npos;
}

void check_handle(const TomlTable& table, const std::string& handle) {
  if (!is_handle(handle) || handle.size() > 120)
    table.refuse("handle", "'" + handle + "' is no CFX handle",
                 "\"VENDOR.MODEL.SERIAL\" of letters, digits, '-' and '_', up to 120");
}

}  // namespace

PlantSettings read_plant(TomlTable table, const std::filesystem::path& folder) {
  table.only_keys({"url", "handle", "messages", "entries", "window", "heartbeat_s", "user", "password_file",
                   "authority_file", "crl_file", "certificate_file", "key_file"});
  PlantSettings s;
  read_broker_url(table, "sends results and passwords over a network in clear", s);
  s.handle = table.text("handle");
  check_handle(table, s.handle);
  s.messages = table.text_or("messages", "");
  s.entries = table.text_or("entries", "");
  if (s.messages.empty() && s.entries.empty())
    table.refuse("messages", "missing, and entries too: nothing would be sent",
                 "the broker's address of a durable queue or topic, such as \"/amq/queue/cfx\" of RabbitMQ");
  s.window = static_cast<int>(table.integer_or("window", s.window, 1, 10'000));
  // IPC-2591: once in 1 s to 5 min.
  s.heartbeat_s = static_cast<int>(table.integer_or("heartbeat_s", s.heartbeat_s, 1, 300));
  read_broker_files(table, folder, s);
  table.finish();
  return s;
}

}  // namespace datum::config
