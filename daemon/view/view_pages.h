// The pages of datumd-view: a request by its path and query becomes a whole document. No text of a request becomes a file's name.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "daemon/view/live_state.h"
#include "daemon/view/page_answer.h"

namespace datum {

class ResultIndex;
class ResultReader;

struct ViewSettings {
  std::filesystem::path store;
  std::filesystem::path pictures;  // folder; empty: none
  std::filesystem::path index;     // file of the ResultIndex
  std::function<LiveState()> live;
  std::chrono::milliseconds page_limit{5000};  // of reading for one page
};

class ViewPages {
 public:
  explicit ViewPages(ViewSettings settings) : settings_(std::move(settings)) {}

  /// Throws nothing: a fault is a page with its cause.
  PageAnswer answer(const PageRequest& request) const;

 private:
  PageAnswer answered(const PageRequest& request) const;
  PageAnswer boards_page(const PageRequest& request) const;
  PageAnswer board(const std::string& number) const;
  PageAnswer picture(const std::string& number) const;
  PageAnswer lot(const PageRequest& request) const;
  PageAnswer component(const PageRequest& request) const;
  PageAnswer search(const PageRequest& request) const;
  PageAnswer calibrations() const;
  PageAnswer study(const std::string& id) const;
  PageAnswer health(const PageRequest& request) const;
  std::filesystem::path studies() const { return settings_.store.parent_path() / "studies"; }
  std::string read(const std::function<std::string(ResultReader&)>& make) const;
  ResultIndex index() const;
  std::optional<ResultIndex> index_if_any() const;
  /// How far the index is behind the store, in words; empty: not at all.
  std::string lag(ResultIndex& index) const;

  ViewSettings settings_;
};

}  // namespace datum
