#include "daemon/pictures/picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/pictures/board_values.h"
#include "daemon/pictures/color_scale.h"
#include "daemon/pictures/picture_components.h"
#include "daemon/pictures/picture_map.h"
#include "daemon/pictures/picture_panel.h"
#include "daemon/pictures/picture_parts.h"
#include "daemon/pictures/picture_warp.h"

namespace datum {
namespace {

using namespace picture;

constexpr double least_width = 940;
constexpr std::size_t most_listed = 8;  // lines of faults without a place in the map

PixelImage image_of(const BoardSampler::Values& values, const BoardWindow& window, const ColorScale& scale) {
  PixelImage image(window.width, window.height, paper);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const std::size_t i =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x);
      if (values.kind[i] == BoardSampler::Kind::value) image.set(x, y, scale.at(values.um[i], y));
      if (values.kind[i] == BoardSampler::Kind::no_value) image.set(x, y, no_value(x, y));
    }
  return image;
}

std::string note_of(BoardValues values, const ColorScale& scale, const PictureSettings& s) {
  const std::string knee = scale.knee > 0
                               ? fmt::format(" Linear up to {:.3g} um, logarithmic beyond.", scale.knee)
                               : std::string();
  if (values == BoardValues::deviations)
    return "Colours: height of each top over its own floor, less its nominal height." + knee +
           " Lined: too low. Striped: no value.";
  return fmt::format(
      "Colours: height over the board's z = 0, the {:g} % to {:g} % quantiles.{} Striped: no height.",
      100 * s.low, 100 * s.high, knee);
}

std::string title_of(BoardValues values, const std::vector<ShownComponent>& shown) {
  const auto n = std::count_if(shown.begin(), shown.end(),
                               [](const ShownComponent& s) { return s.decision != Decision::pass; });
  return fmt::format("{}: {} of {} components not PASS",
                     values == BoardValues::heights ? "Heights" : "Deviations from nominal", n, shown.size());
}

}  // namespace

Page draw_picture(const HeightFrame& frame, const Recipe& of, const BoardVerdict& verdict,
                  const Htm<Sensor, Board>& sensor_from_board, BoardValues values,
                  const PictureSettings& settings) {
  const std::optional<Recipe> panel = of.panel ? std::optional(panel_as_seen(of, verdict)) : std::nullopt;
  const Recipe& recipe = panel ? *panel : of;
  const PictureMap map(frame, sensor_from_board);
  const BoardSampler sampler(map, recipe, verdict, values);
  BoardWindow window = map.whole(settings.max_px);
  const BoardSampler::Values shown_values = sampler.of(window);
  const ColorScale scale =
      values == BoardValues::heights
          ? height_scale(shown_values.um, settings.low, settings.high, sampler.lowest_nominal_um())
          : deviation_scale(shown_values.um, sampler.range().um, sampler.range().knee);
  const std::vector<ShownComponent> shown = shown_components(recipe, verdict);
  const double width = std::max(least_width, window.width + 3 * margin + axis_left + color_bar_width);
  const double inner = width - 2 * margin;
  const Header header{verdict.decision, title_of(values, shown), words_of(verdict)};
  window.corner = {margin + axis_left, 2 * margin + header_height(header, inner)};
  const PageBox box = window.box();
  const double bar_height = std::max(box.height, 240.0);
  const double line = Page::height_of() + 2;
  const double footer = box.y + std::max(box.height + axis_below, bar_height) + 10;
  const Zooms zooms(recipe, shown, settings.most_zooms, inner,
                    [&](const BoardWindow& part) { return image_of(sampler.of(part), part, scale); });

  const PartLabels labels(window, recipe, shown, settings.most_labels);
  std::vector<std::string> notes = wrap(labels.left_over(), inner);
  if (notes.size() > most_listed) {
    notes.resize(most_listed);
    notes.back() = "and more: see the verdict";
  }
  if (!notes.empty()) notes.insert(notes.begin(), "Without a place in the map:");
  if (shown.size() > most_references)
    notes.insert(notes.begin(),
                 fmt::format("More than {} parts: those that PASS have no label.", most_references));
  const std::vector<std::string> colours = break_lines(note_of(values, scale, settings), inner, {});
  notes.insert(notes.begin(), colours.begin(), colours.end());
  const double zoom_top = footer + (1 + static_cast<double>(notes.size())) * line + 12;

  Page page(width, zoom_top + zooms.height() + margin, paper);
  draw_header(page, {margin, margin, inner, 0}, header);
  page.image(box, image_of(shown_values, window, scale));
  draw_outlines(page, window, recipe, shown);
  if (panel) draw_boards(page, window, of, verdict);
  labels.draw(page);
  draw_axes(page, box, window.left_mm, window.bottom_mm, window.mm_per_px, panel ? "panel" : "board");
  draw_color_bar(page, {box.right() + margin, box.y, color_bar_width, bar_height}, scale);
  draw_counts(page, {margin, footer}, verdict);
  for (std::size_t i = 0; i < notes.size(); ++i)
    page.text({margin, footer + static_cast<double>(1 + i) * line}, notes[i], ink);
  zooms.draw(page, {margin, zoom_top});
  return page;
}

void write_picture(const std::filesystem::path& file, const HeightFrame& frame, const Recipe& recipe,
                   const BoardVerdict& verdict, const Htm<Sensor, Board>& sensor_from_board,
                   const PictureSettings& settings) {
  const auto beside = [&](const char* what) {
    return file.parent_path() / (file.stem().string() + what + file.extension().string());
  };
  draw_picture(frame, recipe, verdict, sensor_from_board, BoardValues::heights, settings)
      .write(file, verdict.measured_at);
  draw_picture(frame, recipe, verdict, sensor_from_board, BoardValues::deviations, settings)
      .write(beside("-deviation"), verdict.measured_at);
  if (recipe.panel) return;  // each board has a form of its own
  if (const auto warp = draw_warp_picture(recipe, verdict)) warp->write(beside("-warp"), verdict.measured_at);
}

}  // namespace datum
