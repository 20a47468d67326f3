#include "daemon/store/lot_settings.h"

namespace datum::config {

LotSettings read_lots(TomlTable table, const std::filesystem::path& file,
                      std::map<std::string, Location>& places) {
  table.only_keys({"report_folder", "most_boards", "idle_min"});
  LotSettings s;
  const std::string folder = table.text("report_folder");
  if (folder.empty()) table.refuse("report_folder", "is empty", "a folder of datumd-view's account");
  places[table.path("report_folder")] = table.where("report_folder");
  s.report_folder = (file.parent_path() / folder).lexically_normal();
  // A page of more boards takes too long to be looked at: as many as a page of datumd-view.
  s.most_boards = static_cast<int>(table.integer_or("most_boards", s.most_boards, 1, 2000));
  s.idle_min = static_cast<int>(table.integer_or("idle_min", s.idle_min, 1, 10'080));  // one week
  table.finish();
  return s;
}

}  // namespace datum::config
