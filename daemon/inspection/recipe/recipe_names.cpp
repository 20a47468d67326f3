#include <iterator>

#include "daemon/inspection/recipe/recipe.h"

namespace datum {

const char* name_of(Characteristic c) {
  static constexpr const char* names[] = {"mean",
                                          "median",
                                          "maximum",
                                          "minimum",
                                          "percentile",
                                          "top_mean",
                                          "tilt",
                                          "presence",
                                          "profile",
                                          "deviation_maximum",
                                          "deviation_minimum",
                                          "deviation_mean",
                                          "flatness",
                                          "parallelism",
                                          "thickness",
                                          "bow",
                                          "twist",
                                          "peak_to_valley",
                                          "convexity",
                                          "board_flatness",
                                          "deviation_percentile",
                                          "pfm_mean",
                                          "pfm_maximum",
                                          "pfm_minimum",
                                          "pfm_percentile",
                                          "ffm_mean",
                                          "ffm_maximum",
                                          "ffm_minimum",
                                          "ffm_percentile",
                                          "position_x",
                                          "position_y",
                                          "true_position",
                                          "diameter",
                                          "offset_x",
                                          "offset_y",
                                          "offset",
                                          "rotation",
                                          "foreign_height",
                                          "coplanarity",
                                          "coplanarity_regression",
                                          "terminal_range",
                                          "standoff",
                                          "paste_volume",
                                          "paste_area",
                                          "paste_height"};
  static_assert(std::size(names) == static_cast<std::size_t>(last_characteristic) + 1);
  return names[static_cast<std::size_t>(c)];
}

bool has_quantile(Characteristic c) {
  return c == Characteristic::percentile || c == Characteristic::deviation_percentile ||
         c == Characteristic::pfm_percentile || c == Characteristic::ffm_percentile;
}

bool is_of_facets(Characteristic c) {
  return c >= Characteristic::pfm_mean && c <= Characteristic::ffm_percentile;
}

bool is_of_place(Characteristic c) { return c >= Characteristic::offset_x && c <= Characteristic::rotation; }

bool is_of_terminals(Characteristic c) {
  return c >= Characteristic::coplanarity && c <= Characteristic::standoff;
}

bool is_of_paste(Characteristic c) {
  return c >= Characteristic::paste_volume && c <= Characteristic::paste_height;
}

const char* unit_of(Characteristic c) {
  if (c == Characteristic::tilt || c == Characteristic::rotation) return "mdeg";
  if (c == Characteristic::presence) return "permille";
  if (c == Characteristic::bow || c == Characteristic::twist || c == Characteristic::paste_volume ||
      c == Characteristic::paste_area)
    return "percent";
  return "um";
}

}  // namespace datum
