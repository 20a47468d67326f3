#include "daemon/batch/batch_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "config/toml_reader.h"
#include "daemon/version/version.h"
#include "gpu/core/numeric_contract.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

SnapshotEvidence input_of(const SnapshotEvidence& s) {
  SnapshotEvidence input;
  input.name = s.name;
  input.frame_id = s.frame_id;
  input.frame_source = s.frame_source;
  input.frame_sha256 = s.frame_sha256;
  input.pose = s.pose;
  input.missing = s.missing;
  return input;
}

std::vector<SnapshotEvidence> inputs_of(const std::vector<SnapshotEvidence>& all) {
  std::vector<SnapshotEvidence> inputs;
  std::transform(all.begin(), all.end(), std::back_inserter(inputs), input_of);
  return inputs;
}

void forget_sources(BoardVerdict& verdict) {
  verdict.frame_source.clear();
  for (SnapshotEvidence& s : verdict.snapshots) s.frame_source.clear();
  if (verdict.surface)
    for (SnapshotEvidence& s : verdict.surface->snapshots) s.frame_source.clear();
}

template <class E>
E named(const std::string& name, E last, const char* what) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (name == name_of(static_cast<E>(i))) return static_cast<E>(i);
  throw std::runtime_error(fmt::format("{} '{}' is unknown to this datumd-batch", what, name));
}

double number(const Json& value) { return value.is_null() ? std::nan("") : value.get<double>(); }

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

CheckVerdict check_in(const Json& row) {
  CheckVerdict check;
  check.check.characteristic = named(row.at(0).get<std::string>(), last_characteristic, "characteristic");
  check.check.parameter = number(row.at(1));
  check.decision = named(row.at(2).get<std::string>(), Decision::invalid, "decision");
  check.reason = named(row.at(3).get<std::string>(), Reason::internal, "reason");
  check.value = number(row.at(4));
  check.u = number(row.at(5));
  return check;
}

}  // namespace

std::string measuring_code() {
  const std::string code = code_id();
  if (!code.ends_with("-dirty")) return code;
  std::ifstream in("/proc/self/exe", std::ios::binary);
  const std::string program(std::istreambuf_iterator<char>(in), {});
  return code + " program " + config::sha256_hex(program);
}

BoardVerdict inputs_of_result(const BoardVerdict& result) {
  BoardVerdict asked;
  asked.measured_at = result.measured_at;
  asked.unit_id = result.unit_id;
  asked.recipe = result.recipe;
  asked.recipe_sha256 = result.recipe_sha256;
  asked.calibration = result.calibration;
  asked.calibration_sha256 = result.calibration_sha256;
  asked.sensor_serial = result.sensor_serial;
  asked.sensor_profile_sha256 = result.sensor_profile_sha256;
  asked.frame_id = result.frame_id;
  asked.frame_source = result.frame_source;
  asked.frame_sha256 = result.frame_sha256;
  asked.pose = result.pose;
  asked.snapshots = inputs_of(result.snapshots);
  if (result.surface) {
    asked.surface.emplace();
    asked.surface->snapshots = inputs_of(result.surface->snapshots);
  }
  for (const PanelBoard& board : result.boards) {
    asked.boards.emplace_back();
    asked.boards.back().name = board.name;
    asked.boards.back().unit_id = board.unit_id;
  }
  for (const ComponentVerdict& c : result.components) {
    if (!c.hole) continue;
    asked.components.emplace_back();
    asked.components.back().reference = c.reference;
    asked.components.back().hole = c.hole;
  }
  return asked;
}

std::string key_of(const BoardVerdict& asked) {
  BoardVerdict named = asked;
  forget_sources(named);
  return config::sha256_hex(
      fmt::format("datumd-batch unit 1, numeric contract {}\n{}", numeric_contract, to_json(named)));
}

bool is_key(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

BoardVerdict comparable(BoardVerdict verdict) {
  forget_sources(verdict);
  verdict.sequence = 0;
  verdict.store_id.clear();
  verdict.backend.clear();
  verdict.controller.reset();
  return verdict;
}

std::string frames_text(const BoardVerdict& asked) {
  const auto& several = asked.surface ? asked.surface->snapshots : asked.snapshots;
  if (several.empty()) return "frame " + asked.frame_id;
  std::string text = "frames";
  for (const SnapshotEvidence& s : several) text += (text == "frames" ? " " : ", ") + s.frame_id;
  return text;
}

std::string before_to_json(const BoardVerdict& result) {
  Json all = {{"sequence", result.sequence},
              {"store_id", result.store_id},
              {"decision", name_of(result.decision)},
              {"reason", name_of(result.reason)},
              {"code", result.code},
              {"components", Json::array()}};
  for (const ComponentVerdict& c : result.components) {
    Json checks = Json::array();
    for (const CheckVerdict& k : c.checks)
      checks.push_back(Json::array({name_of(k.check.characteristic), finite(k.check.parameter),
                                    name_of(k.decision), name_of(k.reason), finite(k.value), finite(k.u)}));
    all["components"].push_back(Json::array({c.reference, name_of(c.decision), std::move(checks)}));
  }
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

BoardVerdict before_from_json(const std::string& text) {
  try {
    const Json all = Json::parse(text);
    BoardVerdict result;
    result.sequence = all.at("sequence").get<std::uint64_t>();
    result.store_id = all.at("store_id").get<std::string>();
    result.decision = named(all.at("decision").get<std::string>(), Decision::invalid, "decision");
    result.reason = named(all.at("reason").get<std::string>(), Reason::internal, "reason");
    result.code = all.at("code").get<std::string>();
    for (const Json& row : all.at("components")) {
      ComponentVerdict& c = result.components.emplace_back();
      c.reference = row.at(0).get<std::string>();
      c.decision = named(row.at(1).get<std::string>(), Decision::invalid, "decision");
      for (const Json& check : row.at(2)) c.checks.push_back(check_in(check));
    }
    return result;
  } catch (const Json::exception& error) {
    throw std::runtime_error(
        fmt::format("what was before is not as datumd-batch writes it: {}", error.what()));
  }
}

}  // namespace datum
