#include "tests/statistics/placement_record.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace datum::statistics {
namespace {

using Json = nlohmann::json;

Json to_json(const std::string& board, int number, const PlacementResult& r) {
  return {{"board", board},     {"number", number},   {"kind", int(r.kind)}, {"placed", r.placed},
          {"named", r.named},   {"passed", r.passed}, {"cpu_ms", r.cpu_ms},  {"errors", r.errors},
          {"sigmas", r.sigmas}, {"text", r.text}};
}

PlacementResult result_of(const Json& j) {
  PlacementResult r;
  r.kind = static_cast<PlacementResult::Kind>(j.at("kind").get<int>());
  j.at("placed").get_to(r.placed);
  j.at("named").get_to(r.named);
  j.at("passed").get_to(r.passed);
  j.at("cpu_ms").get_to(r.cpu_ms);
  j.at("errors").get_to(r.errors);
  j.at("sigmas").get_to(r.sigmas);
  j.at("text").get_to(r.text);
  return r;
}

}  // namespace

PlacementRecord::PlacementRecord(std::filesystem::path file, const std::string& plan)
    : file_(std::move(file)) {
  if (file_.empty()) return;
  const std::string head = Json{{"plan", plan}}.dump();
  std::string line, whole;
  std::ifstream in(file_);
  if (in && std::getline(in, line)) {
    if (line != head)
      throw std::runtime_error(file_.string() + ": is of another plan: " + line + ", not " + head +
                               "; name another file, or remove this one");
    whole = line + "\n";
    while (std::getline(in, line)) {
      const Json j = Json::parse(line, nullptr, false);
      if (j.is_discarded()) continue;
      known_[{j.at("board").get<std::string>(), j.at("number").get<int>()}] = result_of(j);
      whole += line + "\n";
    }
  } else {
    whole = head + "\n";
  }
  std::ofstream out(file_, std::ios::trunc);
  if (!(out << whole << std::flush)) throw std::runtime_error(file_.string() + ": cannot be written");
}

const PlacementResult* PlacementRecord::find(const std::string& board, int number) const {
  const auto at = known_.find({board, number});
  return at == known_.end() ? nullptr : &at->second;
}

void PlacementRecord::add(const std::string& board, int number, const PlacementResult& result) {
  if (file_.empty()) return;
  const std::lock_guard lock(guard_);
  std::ofstream out(file_, std::ios::app);
  if (!(out << to_json(board, number, result).dump() << '\n' << std::flush))
    throw std::runtime_error(file_.string() + ": cannot be written");
}

}  // namespace datum::statistics
