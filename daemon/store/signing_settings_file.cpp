#include "daemon/store/signing_settings_file.h"

#include <sys/un.h>

namespace datum::config {

SigningSettings read_signatures(TomlTable table) {
  table.only_keys({"socket", "every_results", "every_s", "required"});
  SigningSettings s;
  s.socket = table.text("socket");
  if (!s.socket.is_absolute() || s.socket.string().size() >= sizeof(sockaddr_un::sun_path))
    table.refuse("socket", "'" + s.socket.string() + "' is no absolute path of fewer than 108 bytes",
                 "that of datumd-sign.socket, \"/run/datumd-sign/datumd.sock\"");
  s.every_results = static_cast<std::uint64_t>(
      table.integer_or("every_results", static_cast<std::int64_t>(s.every_results), 1, 1'000'000));
  s.every_s = static_cast<int>(table.integer_or("every_s", s.every_s, 1, 86'400));
  s.required = table.boolean_or("required", s.required);
  table.finish();
  return s;
}

}  // namespace datum::config
