// [serial]: what a board without number becomes, how often one may come again, and the code that carries its number.
#include <fmt/format.h>

#include "daemon/inspection/recipe/code_region.h"
#include "daemon/inspection/recipe/recipe_file.h"
#include "drivers/codes/code_reader.h"

namespace datum {
namespace {

constexpr double most_mm = 100;  // a code is some mm wide; more costs time and finds other codes

}  // namespace

CodeRegion read_code(config::TomlTable& parent, const std::string& name) {
  if (!reads_codes())
    parent.refuse("code", "this build of datumd reads no DataMatrix codes",
                  "no [" + name + "], or a build with libzxing-dev 1.4 or newer");
  config::TomlTable table = parent.table("code");
  table.only_keys({"centre_mm", "size_mm", "format", "identifier", "pattern"});
  CodeRegion c;
  c.centre_mm = Eigen::Map<const Eigen::Vector2d>(table.numbers("centre_mm", 2).data());
  c.size_mm = Eigen::Map<const Eigen::Vector2d>(table.numbers("size_mm", 2, config::positive).data());
  if (c.size_mm.maxCoeff() > most_mm)
    table.refuse("size_mm",
                 fmt::format("{:g} mm are more than a code and its place need", c.size_mm.maxCoeff()),
                 fmt::format("at most {:g}", most_mm));
  c.payload = config::read_payload(table, name);
  table.finish();
  return c;
}

void read_serial(config::TomlTable table, Recipe& recipe) {
  table.only_keys({"missing", "max_retests", "code"});
  recipe.without_serial = table.choice<WithoutSerial>(
      "missing", {{"invalid", WithoutSerial::invalid}, {"unknown", WithoutSerial::unknown}});
  recipe.max_retests = table.integer_if("max_retests", 0, 1000);
  if (table.has("code")) recipe.code = std::make_shared<const CodeRegion>(read_code(table, "serial.code"));
  table.finish();
}

void demand_code_in_one_frame(config::TomlTable& file, const Recipe& recipe) {
  if (recipe.code && recipe.takes_snapshots())
    file.refuse("serial", "a board or part of several snapshots has its number from a scanner or a host",
                "no [serial.code]");
}

}  // namespace datum
