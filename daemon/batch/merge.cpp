#include "daemon/batch/merge.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>

#include "daemon/batch/batch_output.h"
#include "daemon/batch/batch_status.h"
#include "daemon/batch/merged_schema.h"
#include "daemon/batch/trial.h"
#include "daemon/store/sqlite.h"
#include "daemon/system/durable_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// Under a name of its own until it is whole.
class NewFile {
 public:
  explicit NewFile(const fs::path& file)
      : file_(file), part_(file.parent_path() / ("." + file.filename().string() + ".part")) {
    if (fs::exists(fs::symlink_status(file)))
      throw std::runtime_error(fmt::format("{}: exists; name a new file", file.string()));
    std::error_code none;
    fs::remove(part_, none);
    db_ = sqlite::open(part_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  }
  ~NewFile() {
    db_.reset();
    std::error_code none;
    fs::remove(part_, none);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  sqlite3* db() const { return db_.get(); }
  const fs::path& part() const { return part_; }
  /// Its name is new: a file that another process made meanwhile stays.
  void keep() {
    db_.reset();
    if (::link(part_.c_str(), file_.c_str()) != 0)
      throw std::system_error(errno, std::generic_category(), file_.string() + ": cannot be named");
    sync_name_of(file_);
  }

 private:
  const fs::path file_, part_;
  sqlite::Connection db_;
};

class Merger {
 public:
  Merger(const fs::path& batch, const Manifest& manifest, NewFile& to)
      : batch_(batch), manifest_(manifest), before_(batch, manifest.head()), to_(to) {
    for (const char* sql : merged_pragmas) sqlite::execute(to_.db(), to_.part(), sql);
    sqlite::execute(to_.db(), to_.part(), "BEGIN");
    sqlite::execute(to_.db(), to_.part(), merged_tables);
    put_unit_ = statement(insert_merged_unit);
    put_check_ = statement(insert_merged_check);
    put_unmeasured_ = statement(insert_merged_unmeasured);
  }

  BatchSummary merge(bool partial) {
    describe();
    for (std::size_t i = 0; i < manifest_.size(); ++i) {
      const FoundOutput found = find_output(batch_, manifest_.key(i));
      BatchUnit unit = manifest_.unit(i);
      unit.before = before_.of(unit.key);
      if (found.state == OutputState::good)
        put(unit, found.output);
      else if (partial)
        unmeasured(unit.key, frames_text(unit.asked) + " has no output");
      else
        throw std::runtime_error(
            fmt::format("unit {} ({}) has no good output{}; 'datumd-batch run' measures it, "
                        "--partial merges without it",
                        unit.key, frames_text(unit.asked), found.why.empty() ? "" : ": " + found.why));
    }
    for (const Unmeasurable& u : manifest_.unmeasurable()) unmeasured(u.what, u.why);
    put_unit_.reset();
    put_check_.reset();
    put_unmeasured_.reset();
    sqlite::execute(to_.db(), to_.part(), "COMMIT");
    for (auto& [sequence, text] : flips_) summary_.flips.push_back(std::move(text));
    return std::move(summary_);
  }

 private:
  std::unique_ptr<sqlite::Statement> statement(const char* sql) const {
    return std::make_unique<sqlite::Statement>(to_.db(), to_.part(), sql);
  }

  void describe() const {
    const ManifestHead& h = manifest_.head();
    sqlite::Statement row(to_.db(), to_.part(), insert_merged_batch);
    row.bind(1, manifest_.sha256()).bind(2, h.backend).bind(3, h.code);
    row.bind(4, std::int64_t{h.contract}).bind(5, static_cast<std::int64_t>(manifest_.size())).step();
  }

  void unmeasured(const std::string& what, const std::string& why) {
    sqlite::Run row(*put_unmeasured_);
    row->bind(1, what).bind(2, why).step();
    ++summary_.unmeasured;
  }

  void put(const BatchUnit& unit, const BatchOutput& output) {
    const BoardVerdict now = verdict_from_json(output.verdict);
    {
      sqlite::Run row(*put_unit_);
      row->bind(1, unit.key).bind(2, now.frame_id).bind(3, now.frame_sha256).bind(4, now.unit_id);
      row->bind(5, now.recipe)
          .bind(6, now.recipe_sha256)
          .bind(7, now.calibration)
          .bind(8, now.calibration_sha256);
      if (unit.before) {
        row->bind(9, unit.before->store_id).bind(10, static_cast<std::int64_t>(unit.before->sequence));
        row->bind(11, unit.before->code).bind(12, std::string(name_of(unit.before->decision)));
        row->bind(13, std::string(name_of(unit.before->reason)));
      }
      row->bind(14, std::string(name_of(now.decision))).bind(15, std::string(name_of(now.reason)));
      row->bind(16, output.verdict).step();
    }
    const BoardVerdict none;
    for (const MatchedCheck& check : matched_checks(unit.before ? *unit.before : none, now))
      put(unit.key, check);
    count(unit, now);
  }

  void put(const std::string& key, const MatchedCheck& check) {
    const CheckVerdict& named = check.now ? *check.now : *check.then;
    sqlite::Run row(*put_check_);
    row->bind(1, key).bind(2, *check.reference).bind(3, std::string(name_of(named.check.characteristic)));
    row->bind_real(4, named.check.parameter).bind(5, std::string(unit_of(named.check.characteristic)));
    if (check.then) put(*row.operator->(), 6, *check.then);
    if (check.now) put(*row.operator->(), 9, *check.now);
    if (check.then && check.now && has_value(*check.then) && has_value(*check.now))
      row->bind_real(12, check.now->value - check.then->value);
    row->step();
  }

  static bool has_value(const CheckVerdict& check) {
    return check.decision != Decision::invalid && std::isfinite(check.value);
  }

  /// Decision, value and u; without the last two where it is INVALID.
  static void put(sqlite::Statement& row, int first, const CheckVerdict& check) {
    row.bind(first, std::string(name_of(check.decision)));
    if (!has_value(check)) return;
    row.bind_real(first + 1, check.value).bind_real(first + 2, check.u);
  }

  void count(const BatchUnit& unit, const BoardVerdict& now) {
    ++summary_.measured;
    if (!unit.before) {
      ++summary_.without_before;
      return;
    }
    const BoardVerdict& before = *unit.before;
    ++summary_.confusion.at(static_cast<std::size_t>(before.decision))
          .at(static_cast<std::size_t>(now.decision));
    const auto changed = changed_components(before, now);
    const bool other = before.decision != now.decision;
    summary_.changed_boards += other;
    if (!other && changed.empty()) return;
    std::string text =
        fmt::format("result {}{}: {} -> {}{}", before.sequence,
                    now.unit_id.empty() ? "" : ", unit " + now.unit_id, name_of(before.decision),
                    name_of(now.decision), before.code == now.code ? "" : "; then by datumd " + before.code);
    for (const std::string& component : changed) text += "\n  " + component;
    flips_.emplace(before.sequence, std::move(text));
  }

  const fs::path& batch_;
  const Manifest& manifest_;
  const BeforeResults before_;
  NewFile& to_;
  std::unique_ptr<sqlite::Statement> put_unit_, put_check_, put_unmeasured_;
  BatchSummary summary_;
  std::multimap<std::uint64_t, std::string> flips_;  // by sequence number
};

}  // namespace

BatchSummary merge_batch(const fs::path& batch, const Manifest& manifest, const fs::path& file,
                         bool partial) {
  NewFile to(fs::absolute(file));
  Merger merger(batch, manifest, to);
  BatchSummary summary = merger.merge(partial);
  to.keep();
  return summary;
}

std::string text_of(const BatchSummary& s) {
  std::string text;
  for (const std::string& flip : s.flips) text += flip + '\n';
  text += fmt::format("{:<16}", "before \\ now");
  for (int now = 0; now < 4; ++now) text += fmt::format("{:>14}", name_of(static_cast<Decision>(now)));
  for (std::size_t before = 0; before < 4; ++before) {
    text += fmt::format("\n{:<16}", name_of(static_cast<Decision>(before)));
    for (const std::uint64_t boards : s.confusion.at(before)) text += fmt::format("{:>14}", boards);
  }
  text += fmt::format("\nboards: {} measured, {} with another verdict", s.measured, s.changed_boards);
  if (s.without_before > 0) text += fmt::format(", {} without a verdict before", s.without_before);
  if (s.unmeasured > 0) text += fmt::format(", {} NOT measured (table unmeasured)", s.unmeasured);
  return text + '\n';
}

}  // namespace datum
