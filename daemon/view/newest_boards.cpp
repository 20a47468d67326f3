#include "daemon/view/newest_boards.h"

#include "daemon/inspection/verdict/plain_reason.h"
#include "daemon/pictures/picture_name.h"
#include "daemon/report/board_page.h"
#include "daemon/report/read_result.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t newest_boards = 25, newest_pictures = 3;

BoardNote note_of(const StoredResult& r) {
  const ReadResult read = read_result(r);
  if (!read.verdict) return {read.fault, false};
  return {plain_reason(*read.verdict), is_artefact(*read.verdict)};
}

}  // namespace

void set_newest_boards(PageData& data, ResultReader& store, ResultIndex* index, const fs::path& pictures) {
  PageData rows = PageData::type::list, cards = PageData::type::list;
  std::size_t n = 0;
  for (const StoredResult& r : store.newest_heads(newest_boards)) {
    auto note = index ? index->note(r.sequence) : std::nullopt;
    if (!note) note = note_of(store.get(r.sequence).value_or(r));
    PageData row = texts({{"sequence", std::to_string(r.sequence)},
                          {"measured_at", r.measured_at},
                          {"unit", r.unit_id},
                          {"recipe", r.recipe},
                          {"why", note->why}});
    set_decision(row, r.decision);
    row.set("reading_of_check", note->artefact);
    std::error_code ignored;
    row.set("has_picture",
            !pictures.empty() && fs::exists(pictures / picture_name(r.sequence, r.decision), ignored));
    row.set("has_unit", !r.unit_id.empty());
    if (n++ < newest_pictures) cards.push_back(row);
    rows.push_back(row);
  }
  data.set("any", n > 0);
  data.set("boards", rows);
  data.set("cards", cards);
}

}  // namespace datum
