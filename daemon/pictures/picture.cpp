#include "daemon/pictures/picture.h"

#include <algorithm>
#include <cmath>

#include "daemon/pictures/picture_map.h"
#include "daemon/pictures/picture_parts.h"
#include "daemon/pictures/picture_warp.h"

namespace datum {
namespace {

using namespace picture;

constexpr int margin = 14;      // on all sides
constexpr int bar_room = 110;   // for the colour bar and its numbers
constexpr int min_width = 860;  // for the line of the footer
constexpr int badge_scale = 3;

std::vector<std::string> identity(const BoardVerdict& v) {
  std::vector<std::string> words{"recipe " + v.recipe, "frame " + v.frame_id, "sensor " + v.sensor_serial};
  if (!v.unit_id.empty()) words.push_back("unit " + v.unit_id);
  if (!v.calibration.empty()) words.push_back("calibration " + v.calibration);
  if (v.sequence != 0) words.push_back("result " + std::to_string(v.sequence));
  if (!v.measured_at.empty()) words.push_back(v.measured_at);
  if (!v.code.empty()) words.push_back("code " + v.code);
  if (v.reason != Reason::none) words.push_back(std::string(name_of(v.reason)));
  return words;
}

/// The verdict of the board in its colour, and its identity.
void draw_header(Canvas& canvas, const PixelBox& box, const BoardVerdict& verdict,
                 const std::vector<std::string>& lines) {
  const std::string word = name_of(verdict.decision);
  const PixelBox badge{box.x, box.y, Canvas::text_width(word, badge_scale) + 20,
                       Canvas::text_height(badge_scale) + 12};
  canvas.fill(badge, color_of(verdict.decision));
  canvas.text(badge.x + 10, badge.y + 8, word, halo, badge_scale);
  int y = box.y + 2;
  for (const std::string& line : lines) {
    canvas.text(badge.x + badge.width + 14, y, line, ink, text_scale);
    y += Canvas::text_height(text_scale) + 4;
  }
}

std::string percent(double q) {
  const std::string tenths = std::to_string(std::lround(q * 1000));
  return tenths.size() == 1 ? "0." + tenths : tenths.substr(0, tenths.size() - 1) + "." + tenths.back();
}

}  // namespace

Rgb color_of(Decision decision) {
  switch (decision) {
    case Decision::pass:
      return {150, 250, 165};  // light green
    case Decision::inconclusive:
      return {255, 176, 0};  // amber
    case Decision::fail:
      return {235, 60, 40};  // red, darker than the others
    case Decision::invalid:
      return {255, 90, 220};  // magenta
  }
  return ink;
}

Canvas draw_picture(const HeightFrame& frame, const Recipe& recipe, const BoardVerdict& verdict,
                    const Htm<Sensor, Board>& sensor_from_board, const PictureSettings& settings) {
  const PictureMap map(frame, sensor_from_board, settings.max_px);
  const int line = Canvas::text_height(text_scale) + 4;
  const int width = std::max(min_width, map.width() + 3 * margin + bar_room);
  const int badge = Canvas::text_width(name_of(verdict.decision), badge_scale) + 34;
  const std::vector<std::string> lines = wrap(identity(verdict), width - 2 * margin - badge);
  const int header = std::max(Canvas::text_height(badge_scale) + 12, static_cast<int>(lines.size()) * line);
  const int footer = 2 * line + 12;
  const PixelBox map_box{margin, 2 * margin + header, map.width(), map.height()};
  Canvas canvas(width, map_box.y + map_box.height + 2 * margin + footer, paper);

  const HeightImage heights = map.heights();
  const Stretch stretch = stretch_of(heights, settings.low, settings.high);
  draw_header(canvas, {margin, margin, width - 2 * margin, header}, verdict, lines);
  draw_heights(canvas, heights, stretch, map_box.x, map_box.y);
  draw_components(canvas, map_box, map, recipe, verdict);
  draw_color_bar(canvas, {map_box.x + map_box.width + margin, map_box.y, bar_room, map_box.height}, stretch);
  draw_footer(canvas, {margin, map_box.y + map_box.height + margin, width - 2 * margin, footer}, verdict,
              map.mm_per_px(),
              "colours: height over board z = 0, " + percent(settings.low) + " to " + percent(settings.high) +
                  " % of the pixels; grey: no height");
  return canvas;
}

void write_picture(const std::filesystem::path& file, const HeightFrame& frame, const Recipe& recipe,
                   const BoardVerdict& verdict, const Htm<Sensor, Board>& sensor_from_board,
                   const PictureSettings& settings) {
  draw_picture(frame, recipe, verdict, sensor_from_board, settings).write_png(file);
  write_warp_picture(file, recipe, verdict);
}

}  // namespace datum
