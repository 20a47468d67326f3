#include "daemon/view/summary_rows.h"

#include <cstring>

namespace datum {
namespace {

/// Numbers one after the other; a row that ends early gives zeros, and is not `whole`.
class RowReader {
 public:
  explicit RowReader(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    T value{};
    whole_ = whole_ && at_ + sizeof value <= bytes_.size();
    if (whole_) std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string take_text() {
    const auto size = take<std::uint32_t>();
    whole_ = whole_ && size <= rest();
    std::string text = whole_ ? bytes_.substr(at_, size) : "";
    at_ += text.size();
    return text;
  }
  bool whole() const { return whole_; }
  std::size_t rest() const { return at_ < bytes_.size() ? bytes_.size() - at_ : 0; }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
  bool whole_ = true;
};

template <class T>
void put(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_text(std::string& to, const std::string& text) {
  put(to, static_cast<std::uint32_t>(text.size()));
  to += text;
}

Decision decision_of(std::uint8_t number) { return static_cast<Decision>(number & 3); }

}  // namespace

SummaryWriter::SummaryWriter(sqlite3* db, const std::filesystem::path& file)
    : word_(db, file, "INSERT OR IGNORE INTO word (text) VALUES (?1)"),
      id_(db, file, "SELECT id FROM word WHERE text = ?1"),
      summary_(db, file, "INSERT OR REPLACE INTO summary VALUES (?1, ?2, ?3)") {}

std::uint32_t SummaryWriter::stored_id(std::uint32_t word) {
  if (word >= stored_.size()) stored_.resize(word + 1);
  if (stored_[word] > 0) return stored_[word];
  sqlite::Run insert(word_);
  insert->bind(1, words_.text(word)).step();
  sqlite::Run id(id_);
  id->bind(1, words_.text(word)).step();
  return stored_[word] = static_cast<std::uint32_t>(id_.integer(0));
}

void SummaryWriter::add(const StoredResult& result, const ReadResult& read) {
  const BoardSummary s = summary_of(result, read, words_);
  std::string bytes;
  bytes.reserve(20 + s.parts.size() * 13 + s.checks.size() * 17);
  put(bytes, static_cast<std::uint8_t>(s.readable + 2 * s.artefact + 4 * s.board.repaired));
  put(bytes, s.board.attempt);
  put(bytes, static_cast<std::uint32_t>(s.board.panel.size()));
  for (const LotBoard::PanelPlace& p : s.board.panel) {
    for (const std::string& text : {p.name, p.unit_id, p.word, p.why}) put_text(bytes, text);
    put(bytes, p.attempt);
  }
  put(bytes, stored_id(s.cause));
  put(bytes, stored_id(s.recipe_sha256));
  put(bytes, static_cast<std::uint32_t>(s.parts.size()));
  auto check = s.checks.begin();
  for (const BoardSummary::Part& part : s.parts) {
    put(bytes, stored_id(part.reference));
    put(bytes, stored_id(part.package));
    put(bytes, static_cast<std::uint8_t>(part.decision));
    put(bytes, part.checks);
    for (std::uint32_t i = 0; i < part.checks; ++i, ++check) {
      put(bytes, stored_id(check->what));
      put(bytes, stored_id(check->cause));
      put(bytes, static_cast<std::uint8_t>(check->decision));
      put(bytes, check->share);
    }
  }
  sqlite::Run row(summary_);
  row->bind(1, static_cast<std::int64_t>(result.sequence)).bind(2, s.board.why).bind(3, bytes).step();
}

SummaryReader::SummaryReader(sqlite3* db, const std::filesystem::path& file, WordBook& words)
    : words_(words),
      text_(db, file, "SELECT text FROM word WHERE id = ?1"),
      summary_(db, file,
               "SELECT measured_at, unit_id, recipe, decision, why, parts FROM board JOIN summary USING "
               "(sequence) WHERE sequence = ?1") {}

std::uint32_t SummaryReader::word_of(std::uint32_t stored) {
  const auto [at, is_new] = known_.try_emplace(stored, 0);
  if (is_new) {
    sqlite::Run text(text_);
    text->bind(1, std::int64_t{stored});
    at->second = words_.id(text->step() ? text_.text(0) : "");
  }
  return at->second;
}

std::optional<BoardSummary> SummaryReader::read(std::uint64_t sequence) {
  sqlite::Run row(summary_);
  row->bind(1, static_cast<std::int64_t>(sequence));
  if (!row->step()) return std::nullopt;
  BoardSummary s;
  s.board = {sequence,
             row->text(0),
             row->text(1),
             row->text(2),
             decision_of(static_cast<std::uint8_t>(row->integer(3))),
             row->text(4),
             1,
             false,
             {}};
  const std::string bytes = row->text(5);
  RowReader in(bytes);
  const auto state = in.take<std::uint8_t>();
  s.readable = (state & 1) != 0;
  s.artefact = (state & 2) != 0;
  s.board.repaired = (state & 4) != 0;
  s.board.attempt = in.take<std::uint64_t>();
  const auto places = in.take<std::uint32_t>();
  for (std::uint32_t i = 0; i < places && in.whole(); ++i) {
    LotBoard::PanelPlace& p = s.board.panel.emplace_back();
    for (std::string* text : {&p.name, &p.unit_id, &p.word, &p.why}) *text = in.take_text();
    p.attempt = in.take<std::uint64_t>();
  }
  s.cause = word_of(in.take<std::uint32_t>());
  s.recipe_sha256 = word_of(in.take<std::uint32_t>());
  const auto parts = in.take<std::uint32_t>();
  for (std::uint32_t p = 0; p < parts && in.whole(); ++p) {
    BoardSummary::Part part;
    part.reference = word_of(in.take<std::uint32_t>());
    part.package = word_of(in.take<std::uint32_t>());
    part.decision = decision_of(in.take<std::uint8_t>());
    part.checks = in.take<std::uint32_t>();
    s.parts.push_back(part);
    for (std::uint32_t i = 0; i < part.checks && in.whole(); ++i) {
      BoardSummary::Check check;
      check.what = word_of(in.take<std::uint32_t>());
      check.cause = word_of(in.take<std::uint32_t>());
      check.decision = decision_of(in.take<std::uint8_t>());
      check.share = in.take<double>();
      s.checks.push_back(check);
    }
  }
  if (!in.whole() || in.rest() > 0)
    throw StoreError(StoreError::Kind::corrupt,
                     "the index of the results is damaged: stop datumd-view, remove view.db from its cache "
                     "folder, start it");
  return s;
}

}  // namespace datum
