// Which reader an order means.
#include "config/toml_document.h"
#include "daemon/parse/flat_codes.h"
#include "daemon/parse/flat_frames.h"
#include "daemon/parse/flat_model.h"
#include "daemon/parse/flat_toml.h"
#include "daemon/parse/parse_server.h"
#include "drivers/codes/data_matrix.h"
#include "drivers/sensor/gocator_csv.h"
#include "drivers/sensor/height_file.h"

namespace datum {
namespace {

using Answer = std::function<void(const ParseOutput&)>;

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void answer_raster(const Raster& raster, const Answer& answer) {
  ParseOutput out;
  put_raster(out, raster);
  answer(out);
}

void parse_image(const ParseOrder& order, const ParseParts& parts, const Answer& answer) {
  answer_raster(read_image(parts[0], text_in(order.name), order.most_pixels), answer);
}

void parse_heights(const ParseOrder& order, const ParseParts& parts, const Answer& answer) {
  const FrameSidecar sidecar = parse_sidecar(parts[1], text_in(order.sidecar));
  SensorProfile profile;
  profile.most_pixels = order.most_pixels;
  FlatReader noise(parts[2]);
  profile.noise = take_noise(noise);
  answer_raster(read_height_file(parts[0], {}, sidecar, profile), answer);
}

void parse_gocator_csv(const ParseOrder& order, const ParseParts& parts, const Answer& answer) {
  const HeightFrame frame = read_gocator_csv(parts[0], text_in(order.name), order.most_pixels);
  ParseOutput out;
  put_csv_frame(out, frame);
  answer(out);
}

void parse_model(const ParseOrder& order, const ParseParts& parts, const Answer& answer) {
  const ModelFile model = model_from_bytes(text_of(parts[0]), text_in(order.name), order.mm_per_unit);
  ParseOutput out;
  put_model(out, model);
  answer(out);
}

void parse_document(const ParseOrder& order, const ParseParts& parts, const Answer& answer) {
  ParseOutput out;
  put_document(out.head, config::parse_toml(text_of(parts[0]), text_in(order.name)));
  answer(out);
}

void look_for_codes(const ParseOrder&, const ParseParts& parts, const Answer& answer) {
  ParseOutput out;
  put_codes(out, read_data_matrix(take_image(parts[0], parts[1])));
  answer(out);
}

}  // namespace

ParseHandlers product_parsers() {
  return {{ParseKind::image, parse_image},
          {ParseKind::heights, parse_heights},
          {ParseKind::gocator_csv, parse_gocator_csv},
          {ParseKind::model, parse_model},
          {ParseKind::toml, parse_document},
          {ParseKind::codes, look_for_codes}};
}

}  // namespace datum
