// datumctl audit: who did what, from the chain of results.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/store/audit_trail.h"
#include "daemon/store/result_export.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

struct AuditOptions {
  std::string store, config = "/etc/datumd/datumd.toml", from, to, who;
};

int print_audit(CommandLine& line, const AuditOptions& o) {
  const std::filesystem::path file =
      o.store.empty() ? load_daemon_config(o.config).store : std::filesystem::path(o.store);
  auto all = nlohmann::ordered_json::array();
  Table table({{"time (UTC)"}, {"who"}, {"role"}, {"what"}});
  std::size_t found = 0;
  for (const AuditEntry& e :
       audit_trail(file, o.from.empty() ? "" : from_bound(o.from), o.to.empty() ? "" : before_bound(o.to))) {
    if (e.who.find(o.who) == std::string::npos && e.certificate.find(o.who) == std::string::npos) continue;
    ++found;
    all.push_back({{"link", e.link},
                   {"utc", e.utc},
                   {"who", e.who},
                   {"role", e.role},
                   {"certificate", e.certificate},
                   {"what", e.what}});
    table.add(
        {{e.utc}, {e.certificate.empty() ? e.who : e.who + " (" + e.certificate + ")"}, {e.role}, {e.what}});
  }
  if (line.json)
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  else
    fmt::print("{}{} entries; datumctl verify results says whether they are as written\n",
               found == 0 ? "" : table.text(wants_colour(stdout)), found);
  return good;
}

}  // namespace

void add_audit_command(CommandLine& line) {
  auto o = std::make_shared<AuditOptions>();
  auto* command =
      line.leaf(line.app, "audit",
                "who did what: commands of hosts, reference checks and overrides by name, removals, "
                "from the chain of results",
                [&line, o] { return print_audit(line, *o); });
  command->add_option("--who", o->who, "only where this stands in the person, host or certificate");
  command->add_option("--from", o->from, "at this time or later: 2026-01-31, 2026-01-31T10:00:00Z");
  command->add_option("--to", o->to, "before this time, or on this date");
  command->add_option("--store", o->store, "the store itself (default: what the configuration names)");
  command->add_option("--config", o->config, "configuration of the daemon")->capture_default_str();
  line.add_json(*command);
}

}  // namespace datum
