// Every function of the product that reads external bytes has a fuzz target, or is called by one.
//
// Such a function is recognised by its name and first argument: read_, parse_, load_, unpack_, replay, ..._from_json and
// similar, of bytes, a text or a path; a constructor or receive() of bytes. A new function fails here until a file of
// tests/fuzz names it, or the table names the target that calls it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace fs = std::filesystem;

namespace fuzzed_test {
namespace {

const fs::path root = DATUM_SOURCE_DIR;

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Readers without a target of their own, and the target that calls them.
const std::map<std::string, std::string> reached{
    {"load_lines_drawing", "toml_drawing"},  // one of load_artefact_drawing's two kinds
    {"load_design", "design_kicad"},         // selects the reader by the content
    {"load_odb_files", "design_odb"},
    {"read_table", "design_centroid"},
    {"read_limits", "control_limits"},
    {"load_sensor", "toml_sensor"},  // load_sensor_profile, with fringes demodulated
    {"read_probe", "cmm_grbl"},
    {"read_push", "cmm_grbl"},
    {"read_report", "cmm_grbl"},
    {"read_setting", "cmm_grbl"},
    {"read_triple", "cmm_grbl"},
    {"natural_in", "pcd"},  // numbers of a header
    {"number_in", "pcd"},
    {"parse", "sidecar"},  // JsonObject
    {"parse_toml", "toml_structure"},
    {"read_bytes", "tiff"},           // a whole file of limited size
    {"read_columns", "cmm_columns"},  // this and the next four: of a line, by the codec
    {"read_expression", "cmm_custom"},
    {"read_labelled", "cmm_labelled"},
    {"read_positional", "cmm_positional"},
    {"read_number", "cmm_positional"},
    {"read_frame", "tiff"},  // selects the reader by the file name
    {"read_frame_beside", "tiff"},
    {"read_height_file", "tiff"},
    {"read_image", "png"},
    {"read_ipp_error", "ipp_client"},
    {"read_ipp_values", "ipp_client"},
    {"read_obj", "model_file"},  // this and the next two: by model_from_bytes
    {"read_ply_model", "model_file"},
    {"read_stl", "model_file"},
    {"read_raw_set", "set_sidecar"},  // and its images, by png and tiff
    {"read_channels", "scpi_session"},
    {"recipe_from_text", "toml_recipe"},
    {"unpack_lzf", "pcd"},
    {"utc_from_iso8601", "toml_calibration"},
};

/// Names of functions that read external bytes, from the product's headers.
std::set<std::string> readers() {
  static const std::regex reader(
      R"re(\b((?:read|parse|load|unpack)(?:_\w+)?|replay(?:_\w+)?|\w+_from_(?:json|text|bytes|statement|iso8601)|from_(?:text|statement)|(?:number|natural)_in)\((?:ByteView|std::string_view|const std::string&|const std::filesystem::path&|std::span<const std::uint8_t>) (?:bytes|text|file|path|line|log|pdu|packed|json|data|statement)\b)re");
  std::set<std::string> names;
  for (const char* folder : {"calib", "config", "daemon", "drivers"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = fs::relative(entry.path(), root).string();
      if (entry.path().extension() != ".h" || path.starts_with("tests/virtual_cell/")) continue;
      const std::string text = slurp(entry.path());
      for (std::sregex_iterator i(text.begin(), text.end(), reader), end; i != end; ++i)
        names.insert((*i)[1]);
    }
  return names;
}

/// True: a target calls `name` or passes it on.
bool named_in(const std::string& targets, const std::string& name) {
  for (std::size_t at = 0; (at = targets.find(name, at)) != targets.npos; at += name.size()) {
    const char before = at > 0 ? targets[at - 1] : ' ',
               behind = targets[std::min(at + name.size(), targets.size() - 1)];
    if (before != '_' && !std::isalnum(static_cast<unsigned char>(before)) &&
        std::string_view("(),").find(behind) != std::string_view::npos)
      return true;
  }
  return false;
}

std::string targets_text() {
  std::string text;
  for (const auto& entry : fs::directory_iterator(root / "tests/fuzz"))
    if (entry.is_regular_file()) text += slurp(entry.path());
  return text;
}

}  // namespace

TEST(House, EveryReaderOfBytesFromOutsideIsFuzzed) {
  const std::string targets = targets_text();
  const std::set<std::string> names = readers();
  EXPECT_GT(names.size(), 30u) << "the rule no longer finds readers";
  for (const std::string& name : names) {
    const bool named = named_in(targets, name);
    EXPECT_TRUE(named || reached.count(name)) << name << ": no target of tests/fuzz names it";
    EXPECT_FALSE(named && reached.count(name))
        << name << ": named by a target, so it needs no line in the table";
  }
  for (const auto& [name, target] : reached) {
    EXPECT_TRUE(names.count(name)) << name << ": there is no such reader any more";
    EXPECT_TRUE(fs::exists(root / "tests/fuzz" / (target + ".cpp"))) << target;
    EXPECT_FALSE(fs::is_empty(root / "tests/fuzz/corpus" / target)) << target;
  }
}

}  // namespace fuzzed_test
