#include "daemon/store/studied_results.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace datum {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void add_study(const fs::path& file, const std::string& store_id, std::set<std::uint64_t>& results) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return;
  const Json plan = Json::parse(line, nullptr, false);
  if (!plan.is_object() || !plan.contains("store_id") || plan["store_id"] != store_id) return;
  while (std::getline(in, line)) {
    const Json record = Json::parse(line, nullptr, false);
    if (record.is_object() && record.contains("result") && record["result"].is_number_unsigned())
      results.insert(record["result"].get<std::uint64_t>());
  }
}

}  // namespace

std::set<std::uint64_t> studied_results(const fs::path& folder, const std::string& store_id) {
  std::set<std::uint64_t> results;
  std::error_code none;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end; entry.increment(none))
    if (entry->path().extension() == ".jsonl") add_study(entry->path(), store_id, results);
  return results;
}

}  // namespace datum
