// datumctl report: pages of stored results as files of their own, HTML or PDF.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/report_calibration_command.h"
#include "daemon/ctl/report_file.h"
#include "daemon/ctl/report_quality_command.h"
#include "daemon/ctl/study_files.h"
#include "daemon/pictures/picture_name.h"
#include "daemon/report/board_page.h"
#include "daemon/report/lot_page.h"
#include "daemon/series/series.h"
#include "daemon/store/result_export.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t batch = 64;  // results in memory at once

struct ReportOptions {
  std::string store, config = "/etc/datumd/datumd.toml", pictures, output;
  std::string which;  // a sequence number, or "last"
  std::string from, to, recipe;
  std::uint64_t first = 0, last = 0, most = 10'000;
};

struct Places {
  fs::path store, pictures;
};

Places places_of(const ReportOptions& o) {
  if (!o.store.empty()) return {o.store, o.pictures};
  const DaemonConfig config = load_daemon_config(o.config);
  return {config.store, o.pictures.empty() ? config.pictures.value_or("") : fs::path(o.pictures)};
}

/// The picture inside the page, so that the file needs no other; empty: there is none.
std::string picture_inside(const fs::path& folder, const StoredResult& result) {
  if (folder.empty()) return "";
  std::ifstream in(folder / picture_name(result.sequence, result.decision), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  return bytes.empty() ? "" : png_url(bytes);
}

std::string board_document(const ReportOptions& o) {
  const Places places = places_of(o);
  auto store = ResultStore::read_only(places.store);
  const auto found = o.which == "last" ? store.latest() : store.get(std::stoull(o.which));
  if (!found) return "";
  PageFrame frame;
  frame.title = fmt::format("Board {} {}", found->sequence, name_of(found->decision));
  frame.footer = "Result " + std::to_string(found->sequence) + " of store " + found->store_id;
  return whole_page(frame, board_page({*found, store.chain_sha256(found->sequence),
                                       picture_inside(places.pictures, *found)}));
}

ResultFilter filter_of(const ReportOptions& o) {
  ResultFilter filter;
  if (!o.recipe.empty()) filter.recipe = o.recipe;
  if (!o.from.empty()) filter.from = from_bound(o.from);
  if (!o.to.empty()) filter.before = before_bound(o.to);
  if (o.first > 0) filter.after = o.first - 1;
  return filter;
}

/// A lot counts single results. Removed ones have sums alone.
std::string removed_text(ResultStore& store, const ReportOptions& o) {
  if (o.first > 0) return "";
  const quality::SeriesBefore removed = store.removed_series(filter_of(o));
  const auto& n = removed.counts;
  const std::uint64_t all = n.results + n.repeats + n.excluded + n.unreadable;
  if (all == 0) return "";
  return fmt::format(
      "; {} results of this choice are removed by retention and count nowhere on this page: datumctl spc has "
      "their sums",
      all);
}

std::string document_of_lot(const ReportOptions& o) {
  const fs::path file = places_of(o).store;
  auto store = ResultStore::read_only(file);
  Lot lot;
  lot.leave_out(results_of_studies(studies_folder(file, ""), store.id()));
  ResultFilter next = filter_of(o);
  bool more = true, limited = false;
  while (more) {
    const auto results = store.list(next, batch, ResultOrder::oldest_first);
    more = results.size() == batch;
    for (const StoredResult& r : results) {
      limited = lot.boards().size() >= o.most && (o.last == 0 || r.sequence <= o.last);
      if (limited || (o.last > 0 && r.sequence > o.last)) {
        more = false;
        break;
      }
      lot.add(r);
    }
    if (more) next.after = results.back().sequence;
  }
  if (lot.boards().empty() && lot.left_out() > 0)
    throw std::invalid_argument(fmt::format(
        "all {} results of this choice are of gauge studies, which no lot counts: datumctl report "
        "study has them; nothing was written",
        lot.left_out()));
  if (lot.boards().empty()) return "";
  LotPage page{lot, lot_choice(o.recipe, o.from, o.to, o.first, o.last) + removed_text(store, o), "", false,
               [&store](const std::string& sha256) { return store.recipe_text(sha256); }};
  if (limited)
    page.limited = fmt::format("Only the oldest {} results of this choice: --most allows no more.", o.most);
  return lot_document(page, store.id());
}

int run_report(const ReportOptions& o, const std::function<std::string(const ReportOptions&)>& document) {
  try {
    const std::string page = document(o);
    if (page.empty()) {
      fmt::print(stderr, "datumctl: no stored result matches; nothing was written\n");
      return no_result;
    }
    write_report(o.output, page);
    return good;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  } catch (const StoreError&) {
    throw;
  } catch (const config::ConfigError&) {
    throw;
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return not_written;
  }
}

void add_places(CommandLine& line, CLI::App& command, ReportOptions& o) {
  line.offer(
      command
          .add_option("-o,--output", o.output,
                      "the file, .html or .pdf, which appears whole or not at all; a PDF needs Chromium")
          ->required(),
      Offer::files);
  line.offer(
      command.add_option("--store", o.store, "the store itself (default: what the configuration names)"),
      Offer::files);
  line.offer(command.add_option("--config", o.config, "configuration of the daemon")->capture_default_str(),
             Offer::files);
}

}  // namespace

void add_report_commands(CommandLine& line) {
  auto* report = line.app.add_subcommand("report", "pages of stored results: HTML in one file, or PDF")
                     ->require_subcommand(1);
  auto b = std::make_shared<ReportOptions>();
  auto* board = line.leaf(*report, "board", "the page of one board, with its picture where one was kept",
                          [b] { return run_report(*b, board_document); });
  board->add_option("sequence", b->which, "the result's number, or last")
      ->required()
      ->check([](const std::string& which) -> std::string {
        const bool digits = !which.empty() && which.size() <= 19 &&
                            which.find_first_not_of("0123456789") == std::string::npos;
        return which == "last" || digits ? "" : "'" + which + "': a result's number, or last, is needed";
      });
  line.offer(board->add_option("--pictures", b->pictures,
                               "folder of the pictures (default: what the configuration names)"),
             Offer::files);
  add_places(line, *board, *b);
  auto l = std::make_shared<ReportOptions>();
  auto* lot = line.leaf(*report, "lot", "the page of a lot: yields, defects, spreads, boards",
                        [l] { return run_report(*l, document_of_lot); });
  lot->add_option("--recipe", l->recipe, "only this recipe's");
  lot->add_option("--from", l->from, "measured at this time or later: 2026-01-31, 2026-01-31T10:00:00Z");
  lot->add_option("--to", l->to, "measured before this time, or on this date");
  lot->add_option("--first", l->first, "from this result on")->check(CLI::Range(1ul, 1ul << 62));
  lot->add_option("--last", l->last, "to this result")->check(CLI::Range(1ul, 1ul << 62));
  lot->add_option("--most", l->most, "results at most; the page says where there are more")
      ->check(CLI::Range(1ul, 1'000'000ul))
      ->capture_default_str();
  add_places(line, *lot, *l);
  add_quality_report_commands(line, *report);
  add_calibration_report_command(line, *report);
}

}  // namespace datum
