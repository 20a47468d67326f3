#include "daemon/inspection/recipe/recipe.h"

namespace datum {

const char* name_of(Characteristic c) {
  switch (c) {
    case Characteristic::mean:
      return "mean";
    case Characteristic::median:
      return "median";
    case Characteristic::maximum:
      return "maximum";
    case Characteristic::minimum:
      return "minimum";
    case Characteristic::percentile:
      return "percentile";
    case Characteristic::top_mean:
      return "top_mean";
    case Characteristic::tilt:
      return "tilt";
    case Characteristic::presence:
      return "presence";
    case Characteristic::profile:
      return "profile";
    case Characteristic::deviation_maximum:
      return "deviation_maximum";
    case Characteristic::deviation_minimum:
      return "deviation_minimum";
    case Characteristic::deviation_mean:
      return "deviation_mean";
    case Characteristic::flatness:
      return "flatness";
    case Characteristic::parallelism:
      return "parallelism";
    case Characteristic::thickness:
      return "thickness";
    case Characteristic::bow:
      return "bow";
    case Characteristic::twist:
      return "twist";
    case Characteristic::peak_to_valley:
      return "peak_to_valley";
    case Characteristic::convexity:
      return "convexity";
    case Characteristic::board_flatness:
      return "board_flatness";
  }
  return "?";
}

const char* unit_of(Characteristic c) {
  if (c == Characteristic::tilt) return "mdeg";
  if (c == Characteristic::presence) return "permille";
  if (c == Characteristic::bow || c == Characteristic::twist) return "percent";
  return "um";
}

}  // namespace datum
