// Damaged models of parts with a measuring daemon; good boards, whose frames the same process parses, come in between.
#include <fmt/format.h>

#include <array>
#include <random>

#include "drivers/sensor/file_bytes.h"
#include "tests/damaged_bytes.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/faults/faults.h"
#include "tests/faults/parser_cell.h"

namespace datum::faults {

namespace {

namespace fs = std::filesystem;

constexpr int models_between = 20;  // between two good boards

std::string sha256_of(const std::string& text) { return sha256_hex({testing::bytes_of(text)}); }

constexpr int corners = 8, facets = 12;
constexpr std::array<std::array<int, 3>, facets> plate{{{0, 2, 1},
                                                        {0, 3, 2},
                                                        {4, 5, 6},
                                                        {4, 6, 7},
                                                        {0, 1, 5},
                                                        {0, 5, 4},
                                                        {1, 2, 6},
                                                        {1, 6, 5},
                                                        {2, 3, 7},
                                                        {2, 7, 6},
                                                        {3, 0, 4},
                                                        {3, 4, 7}}};
/// A corner of a plate of 10 x 10 x 2 mm.
std::array<int, 3> corner(int i) {
  return {i % 4 == 1 || i % 4 == 2 ? 10 : 0, i % 4 >= 2 ? 10 : 0, i >= 4 ? 2 : 0};
}
std::string spoken(int i, const char* before) {
  const auto c = corner(i);
  return fmt::format("{}{} {} {}\n", before, c[0], c[1], c[2]);
}

std::string stl() {
  std::string text = "solid plate\n";
  for (const auto& facet : plate) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int i : facet) text += spoken(i, "vertex ");
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid plate\n";
}
std::string binary_stl() {
  std::string bytes(80, ' ');
  const auto add = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  add(std::uint32_t{facets});
  for (const auto& facet : plate) {
    for (int k = 0; k < 3; ++k) add(0.0f);
    for (const int i : facet)
      for (const int c : corner(i)) add(static_cast<float>(c));
    add(std::uint16_t{0});
  }
  return bytes;
}
std::string ply() {
  std::string text = fmt::format(
      "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      corners, facets);
  for (int i = 0; i < corners; ++i) text += spoken(i, "");
  for (const auto& f : plate) text += fmt::format("3 {} {} {}\n", f[0], f[1], f[2]);
  return text;
}
std::string obj() {
  std::string text = "o plate\n";
  for (int i = 0; i < corners; ++i) text += spoken(i, "v ");
  for (const auto& f : plate) text += fmt::format("f {}// {}// {}//\n", f[0] + 1, f[1] + 1, f[2] + 1);
  return text;
}

/// A recipe of a part far from the scene: no damaged model can pass.
std::string part_recipe(const std::string& file, const std::string& model) {
  return fmt::format(
      "schema = 1\nkind = \"surface\"\nname = \"part\"\nsensor_serial = \"S-1\"\n[model]\nfile = \"{}\"\n"
      "sha256 = \"{}\"\nunit = \"mm\"\nsize_mm = [10, 10, 2]\nsize_tolerance_mm = 0.01\n[placement]\n"
      "coordinates = \"sensor\"\norigin_mm = [0, 0, 5]\n[surface]\nsearch_mm = 1\nreach_mm = 0.6\n"
      "[decision]\nrule = \"14253\"\n[[region]]\nname = \"top\"\nlow_mm = [1, 1, 2]\nhigh_mm = [9, 9, 2]\n"
      "normal = [0, 0, 1]\nmin_coverage = 0.95\nmax_gap_mm = 3\n[[region.check]]\n"
      "characteristic = \"profile\"\nupper_um = 100\n",
      file, sha256_of(model));
}

}  // namespace

void attack_with_models(const Order& order, Findings& findings) {
  std::mt19937 random(order.seed);
  ParserCell attacked(findings);
  const scenario::Cell& cell = attacked.cell();
  const std::array<std::pair<const char*, std::string>, 4> samples{
      {{"plate.stl", stl()}, {"plate.stl", binary_stl()}, {"plate.ply", ply()}, {"plate.obj", obj()}}};
  cell.write("recipes/plate.stl", stl());
  cell.write("recipes/part.toml", part_recipe("plate.stl", stl()));
  attacked.start();
  const auto choose = [&](const char* recipe) {
    const std::string said = attacked.reader().command(fmt::format("ABOR;:CONF:REC \"{}\";:INIT", recipe));
    if (said.rfind("0,", 0) != 0) throw std::runtime_error(fmt::format("{}: {}", recipe, said));
  };
  const std::string frame = scenario::frame_of_box(scenario::good_height_um, order.seed);
  for (int i = 0; i < order.times; ++i) {
    const auto& [file, good] = samples[static_cast<std::size_t>(i) % samples.size()];
    const std::string bytes = testing::damaged(good, random);
    cell.write(std::string("recipes/") + file, bytes);
    cell.write("recipes/part.toml", part_recipe(file, bytes));
    choose("part");
    cell.deliver(fmt::format("bad{}", i), frame);
    attacked.awaits(1);
    attacked.await_damaged();
    findings.count("damaged models");
    if (i % models_between != models_between - 1) continue;
    const std::string verdict = attacked.reader().ask("FETC:JSON?");
    findings.expect(verdict.find(file) != std::string::npos, "no word of the model: " + verdict);
    choose("box");
    attacked.board(static_cast<std::uint32_t>(i));
    attacked.clean();
  }
  attacked.finish();
}

}  // namespace datum::faults
