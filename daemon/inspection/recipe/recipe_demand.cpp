#include "daemon/inspection/recipe/recipe_file.h"

namespace datum {

namespace {

Characteristic read_characteristic(config::TomlTable& table, bool heights_only) {
  using enum Characteristic;
  if (heights_only) {
    return table.choice<Characteristic>("characteristic", {{"mean", mean},
                                                           {"median", median},
                                                           {"maximum", maximum},
                                                           {"minimum", minimum},
                                                           {"percentile", percentile},
                                                           {"top_mean", top_mean}});
  }
  return table.choice<Characteristic>("characteristic", {{"mean", mean},
                                                         {"median", median},
                                                         {"maximum", maximum},
                                                         {"minimum", minimum},
                                                         {"percentile", percentile},
                                                         {"top_mean", top_mean},
                                                         {"tilt", tilt},
                                                         {"presence", presence},
                                                         {"board_flatness", board_flatness},
                                                         {"offset_x", offset_x},
                                                         {"offset_y", offset_y},
                                                         {"offset", offset},
                                                         {"rotation", rotation},
                                                         {"coplanarity", coplanarity},
                                                         {"coplanarity_regression", coplanarity_regression},
                                                         {"terminal_range", terminal_range},
                                                         {"standoff", standoff},
                                                         {"paste_volume", paste_volume},
                                                         {"paste_area", paste_area},
                                                         {"paste_height", paste_height}});
}

/// Possible range of a characteristic's values.
config::Range range_of(Characteristic c) {
  if (c == Characteristic::tilt) return {0, 90000};
  if (c == Characteristic::presence) return {0, 1000};
  using enum Characteristic;
  if (c == profile || c == flatness || c == parallelism || c == thickness) return config::not_negative;
  if (c == true_position || c == diameter || c == offset) return config::not_negative;
  if (c == rotation) return {-90000, 90000};
  if (is_of_terminals(c) && c != standoff) return config::not_negative;
  if (is_of_paste(c)) return config::not_negative;
  if (c == bow || c == twist || c == peak_to_valley || c == board_flatness) return config::not_negative;
  return {};
}

constexpr const char* limit_names[] = {"lower", "upper", "tolerance", "nominal"};
constexpr const char* units[] = {"um", "mdeg", "permille", "percent"};

/// A limit in a unit of other characteristics.
void refuse_other_units(const config::TomlTable& table, Characteristic c) {
  const std::string own = unit_of(c);
  for (const std::string unit : units)
    for (const std::string limit : limit_names)
      if (unit != own && table.has(limit + "_" + unit))
        table.refuse(limit + "_" + unit, std::string("limits of ") + name_of(c) + " are in " + own,
                     "lower_" + own + ", upper_" + own + " or tolerance_" + own);
}

/// A parameter of one characteristic beside another one.
void refuse_parameters(const config::TomlTable& table, Characteristic c) {
  const auto belongs = [&](const char* key, Characteristic to) {
    if (c != to && table.has(key))
      table.refuse(
          key,
          std::string("belongs to characteristic = \"") + name_of(to) + "\", not to \"" + name_of(c) + "\"",
          "no such key, or that characteristic");
  };
  if (!has_quantile(c)) belongs("quantile", Characteristic::percentile);
  belongs("top_count", Characteristic::top_mean);
}

/// Keys of a check's own table, of every characteristic in these units.
config::Words check_keys(std::initializer_list<const char*> of_units,
                         std::initializer_list<const char*> more) {
  config::Words keys(more.begin(), more.end());
  keys.insert("characteristic");
  for (const std::string unit : of_units)
    for (const std::string limit : limit_names) keys.insert(limit + "_" + unit);
  return keys;
}

/// The same of one characteristic.
void only_keys_of(config::TomlTable& table, Characteristic c) {
  using enum Characteristic;
  refuse_other_units(table, c);
  refuse_parameters(table, c);
  config::Words keys = check_keys({unit_of(c)}, {});
  if (has_quantile(c)) keys.insert("quantile");
  if (c == top_mean) keys.insert("top_count");
  if (c == parallelism || c == thickness) keys.insert("datum");
  table.only_keys(keys);
}

void read_limits(config::TomlTable& table, Demand& d, bool heights_only) {
  const std::string unit = std::string("_") + unit_of(d.characteristic);
  const config::Range range = range_of(d.characteristic);
  d.lower = table.number_if("lower" + unit, range);
  d.upper = table.number_if("upper" + unit, range);
  d.tolerance = table.number_if("tolerance" + unit, config::positive);
  if (!heights_only) d.nominal = table.number_if("nominal" + unit, range);
  if (d.tolerance && (d.lower || d.upper)) {
    table.refuse("tolerance" + unit, "is given beside limits",
                 "either tolerance" + unit + " or lower" + unit + " and upper" + unit);
  }
  if (!d.tolerance && !d.lower && !d.upper) {
    table.refuse("characteristic", std::string(name_of(d.characteristic)) + " has no limit",
                 "beside it at least one of lower" + unit + ", upper" + unit + ", tolerance" + unit);
  }
  if (d.lower && d.upper && *d.lower >= *d.upper) {
    table.refuse(
        "lower" + unit,
        config::shown(*d.lower) + " is not below upper" + unit + " (" + config::shown(*d.upper) + ")",
        "limits in rising order");
  }
}

/// The rank of quantile 1 has no neighbours above, which its uncertainty needs.
double read_quantile(config::TomlTable& table) {
  const double q = table.number("quantile");
  if (!(q > 0 && q < 1))
    table.refuse(
        "quantile", config::shown(q) + " is out of range",
        "more than 0 and less than 1; the highest pixel of a component is characteristic = \"top_mean\" with "
        "top_count = 1, of a surface \"deviation_maximum\"");
  return q;
}

}  // namespace

Demand read_surface_demand(config::TomlTable& table) {
  using enum Characteristic;
  if (!table.has("characteristic")) table.only_keys(check_keys({"um"}, {"datum", "quantile"}));
  Demand d;
  d.characteristic =
      table.choice<Characteristic>("characteristic", {{"profile", profile},
                                                      {"deviation_maximum", deviation_maximum},
                                                      {"deviation_minimum", deviation_minimum},
                                                      {"deviation_mean", deviation_mean},
                                                      {"flatness", flatness},
                                                      {"parallelism", parallelism},
                                                      {"thickness", thickness},
                                                      {"deviation_percentile", deviation_percentile},
                                                      {"pfm_mean", pfm_mean},
                                                      {"pfm_maximum", pfm_maximum},
                                                      {"pfm_minimum", pfm_minimum},
                                                      {"pfm_percentile", pfm_percentile},
                                                      {"ffm_mean", ffm_mean},
                                                      {"ffm_maximum", ffm_maximum},
                                                      {"ffm_minimum", ffm_minimum},
                                                      {"ffm_percentile", ffm_percentile}});
  only_keys_of(table, d.characteristic);
  if (has_quantile(d.characteristic)) d.parameter = read_quantile(table);
  read_limits(table, d, false);
  return d;
}

Demand read_hole_demand(config::TomlTable& table) {
  using enum Characteristic;
  if (!table.has("characteristic")) table.only_keys(check_keys({"um"}, {}));
  Demand d;
  d.characteristic = table.choice<Characteristic>("characteristic", {{"position_x", position_x},
                                                                     {"position_y", position_y},
                                                                     {"true_position", true_position},
                                                                     {"diameter", diameter}});
  only_keys_of(table, d.characteristic);
  read_limits(table, d, false);
  return d;
}

Demand read_warp_demand(config::TomlTable& table) {
  using enum Characteristic;
  if (!table.has("characteristic")) table.only_keys(check_keys({"um", "percent"}, {}));
  Demand d;
  d.characteristic = table.choice<Characteristic>(
      "characteristic",
      {{"bow", bow}, {"twist", twist}, {"peak_to_valley", peak_to_valley}, {"convexity", convexity}});
  only_keys_of(table, d.characteristic);
  read_limits(table, d, false);
  return d;
}

namespace {

/// Value of a good part without stated nominal.
std::optional<double> expected_of(Characteristic c, std::optional<double> height_um) {
  using enum Characteristic;
  if (c == thickness || c == diameter || c == standoff) return std::nullopt;
  if (c <= top_mean || c == paste_height) return height_um;
  if (is_of_paste(c)) return 100;
  return 0;
}

/// A single limit needs a tolerance too; otherwise no uncertainty would be too large.
void demand_tolerance(const Check& check, const config::TomlTable& table) {
  if ((check.lower && check.upper) || tolerance_of(check) > 0) return;
  const std::string unit = std::string("_") + unit_of(check.characteristic);
  const std::string limit = (check.lower ? "lower" : "upper") + unit;
  if (!check.nominal && !check.expected)
    table.refuse("nominal" + unit, "missing",
                 "the nominal, for " + limit +
                     " is the only limit: their distance is the "
                     "tolerance that U is compared with");
  table.refuse(limit,
               config::shown(check.lower ? *check.lower : *check.upper) +
                   " is the nominal: a single limit there leaves no tolerance that U can be compared with",
               "a limit apart from the nominal, or both limits");
}

}  // namespace

Demand read_demand(config::TomlTable& table, bool heights_only) {
  if (!heights_only && !table.has("characteristic"))
    table.only_keys(check_keys({"um", "mdeg", "permille", "percent"}, {"quantile", "top_count"}));
  Demand d;
  d.characteristic = read_characteristic(table, heights_only);
  if (heights_only)
    refuse_parameters(table, d.characteristic);
  else
    only_keys_of(table, d.characteristic);
  if (d.characteristic == Characteristic::percentile) {
    d.parameter = read_quantile(table);
  }
  if (d.characteristic == Characteristic::top_mean) {
    d.parameter = static_cast<double>(table.integer("top_count", 1, 1'000'000));
  }
  read_limits(table, d, heights_only);
  return d;
}

Check resolve(const Demand& d, std::optional<double> nominal, std::optional<double> height_um,
              const config::TomlTable& table) {
  const std::string unit = std::string("_") + unit_of(d.characteristic);
  Check check{d.characteristic, d.parameter, d.nominal ? d.nominal : nominal,
              d.lower,          d.upper,     expected_of(d.characteristic, height_um)};
  if (d.tolerance) {
    if (!check.nominal) {
      table.refuse("tolerance" + unit, "has no nominal to lie around", "nominal" + unit + " beside it");
    }
    check.lower = *check.nominal - *d.tolerance;
    check.upper = *check.nominal + *d.tolerance;
  }
  const double n = check.nominal.value_or(0);
  if (check.nominal && ((check.lower && n < *check.lower) || (check.upper && n > *check.upper))) {
    table.refuse("nominal" + unit, config::shown(n) + " lies outside the limits",
                 (check.lower ? "at least " + config::shown(*check.lower) : std::string()) +
                     (check.lower && check.upper ? " and " : "") +
                     (check.upper ? "at most " + config::shown(*check.upper) : std::string()));
  }
  demand_tolerance(check, table);
  return check;
}

}  // namespace datum
