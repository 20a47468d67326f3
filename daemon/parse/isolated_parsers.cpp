#include "daemon/parse/isolated_parsers.h"

#include <fmt/format.h>

#include "config/toml_bounds.h"
#include "config/toml_reader.h"
#include "daemon/parse/flat_frames.h"
#include "daemon/parse/flat_model.h"
#include "daemon/parse/flat_toml.h"
#include "daemon/system/packets.h"
#include "drivers/frame/frame_error.h"

namespace datum {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

ParseOrder order_of(ParseKind kind, const std::string& name) {
  ParseOrder order;
  order.kind = kind;
  put_text(order.name, name);
  return order;
}

ByteView bytes_of_text(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string as_text(const ParserEnded& error) {
  if (!error.over_input)
    return fmt::format("it can't be read apart from the rest: {}; install datumd-parse beside datumd",
                       error.what());
  return fmt::format(
      "datumd-parse, which reads it apart from the rest, did not survive it: {}; it is kept: give it "
      "to the maintainers of datumd",
      error.what());
}

ParserClientSettings texts_told(const IsolatedParsers::OnEnd& on_end) {
  ParserClientSettings s = text_parse_settings();
  s.on_end = on_end;
  return s;
}

ParserClientSettings codes_told(const IsolatedParsers::OnEnd& on_end) {
  ParserClientSettings s = code_parse_settings();
  s.on_end = on_end;
  return s;
}

}  // namespace

ParserClientSettings frame_parse_settings(std::uint64_t most_pixels) {
  // Of a pixel: 64 bytes of its file (read_frame.cpp, 2 GiB at most), 30 of a cloud while it is read, 8 of its sample. The
  // largest input stays mapped.
  const std::uint64_t file = std::min<std::uint64_t>(64 * most_pixels, 2048 * mib);
  // Corners of a model while vectors grow, and what goes back.
  const std::uint64_t model = 3 * 24 * max_model_vertices + 3 * 12 * max_model_facets;
  ParserClientSettings s;
  // A PNG of 4 million pixels takes 30 ns a pixel on a quiet controller, 130 among twelve other jobs on two cores.
  const std::chrono::milliseconds for_pixels(150 * most_pixels / 1'000'000);
  s.timeout += for_pixels;
  s.cpu_timeout += for_pixels;
  s.result_bytes =
      mib + std::max<std::uint64_t>(8 * most_pixels, 24 * max_model_vertices + 12 * max_model_facets);
  s.memory_bytes = 256 * mib + std::max<std::uint64_t>(file, max_model_bytes) +
                   std::max(38 * most_pixels, model) + s.result_bytes;
  return s;
}

ParserClientSettings text_parse_settings() {
  ParserClientSettings s;
  s.result_bytes = parse_output_at + most_parse_head;
  // A value of two bytes ("1,") is a node of some 200 in each of two trees, and 30 bytes flat, in vectors that double.
  s.memory_bytes = 256 * mib + config::max_toml_bytes / 2 * (2 * 2 * 200 + 2 * 30) + s.result_bytes;
  s.timeout = std::chrono::milliseconds(2'000);
  s.cpu_timeout = std::chrono::milliseconds(500);  // the loop waits
  return s;
}

template <class Take>
void IsolatedFrames::parse(const ParseOrder& order, const ByteParts& parts, const Meanwhile& meanwhile,
                           Take take) const {
  try {
    link_.parse(order, parts, meanwhile, take,
                [](const std::string& text, FlatReader) { throw FrameError(text); });
  } catch (const ParserEnded& error) {
    throw FrameError(text_in(order.name) + ": " + as_text(error));
  }
}

Raster IsolatedFrames::image(ByteView file, const std::string& name, std::uint64_t most_pixels,
                             const Meanwhile& meanwhile) const {
  ParseOrder order = order_of(ParseKind::image, name);
  order.most_pixels = most_pixels;
  Raster raster;
  parse(order, {file}, meanwhile, [&](ParsedOutput& from) { raster = take_raster(from, most_pixels); });
  return raster;
}

Raster IsolatedFrames::heights(ByteView file, ByteView sidecar, const std::string& sidecar_name,
                               const SensorProfile& profile, const Meanwhile& meanwhile) const {
  ParseOrder order = order_of(ParseKind::heights, sidecar_name);
  order.most_pixels = profile.most_pixels;
  put_text(order.sidecar, sidecar_name);
  FlatWriter noise;
  put_noise(noise, profile.noise);
  Raster raster;
  parse(order, {file, sidecar, noise.bytes()}, meanwhile,
        [&](ParsedOutput& from) { raster = take_raster(from, profile.most_pixels); });
  return raster;
}

HeightFrame IsolatedFrames::gocator_csv(ByteView file, const std::string& name, std::uint64_t most_pixels,
                                        const Meanwhile& meanwhile) const {
  ParseOrder order = order_of(ParseKind::gocator_csv, name);
  order.most_pixels = most_pixels;
  HeightFrame frame;
  parse(order, {file}, meanwhile, [&](ParsedOutput& from) { frame = take_csv_frame(from, most_pixels); });
  frame.source = name;
  return frame;
}

ModelFile IsolatedModels::parse(std::string_view bytes, const std::string& name, double mm_per_unit) const {
  ParseOrder order = order_of(ParseKind::model, name);
  order.mm_per_unit = mm_per_unit;
  ModelFile model;
  try {
    link_.parse(
        order, {bytes_of_text(bytes)}, [] {}, [&](ParsedOutput& from) { model = take_model(from); },
        [](const std::string& text, FlatReader) { throw ModelError(text); });
  } catch (const ParserEnded& error) {
    throw ModelError(name + ": " + as_text(error));
  }
  return model;
}

config::TomlNode IsolatedTexts::parse(std::string_view text, const std::string& name) const {
  const auto refuse = [&](const std::string& problem) {
    throw config::ConfigError({name, 0, 0}, "", problem, "");
  };
  // What is too long is not sent at all.
  if (text.size() > config::max_toml_bytes) config::check_toml_bounds(text, name);
  config::TomlNode root;
  try {
    link_.parse(
        order_of(ParseKind::toml, name), {bytes_of_text(text)}, [] {},
        [&](ParsedOutput& from) {
          if (from.head.left() > 4096 + 32 * text.size()) throw FlatError("more values than characters");
          root = take_document(from.head);
        },
        [&](const std::string& why, FlatReader head) {
          if (head.left() > 0) throw take_refusal(head, name);
          refuse(why);
        });
  } catch (const ParserEnded& error) {
    refuse(as_text(error));
  }
  return root;
}

IsolatedParsers::IsolatedParsers(std::uint64_t most_pixels, OnEnd on_end)
    : frame_link_([&] {
        ParserClientSettings s = frame_parse_settings(most_pixels);
        s.on_end = on_end;
        return s;
      }()),
      text_link_(texts_told(on_end)),
      upload_link_(texts_told(on_end)),
      code_link_(codes_told(on_end)) {}

bool IsolatedParsers::start() {
  bool confined = true;
  for (ParserClient* link : {&frame_link_, &text_link_, &upload_link_}) confined = link->start() && confined;
  return confined;
}

}  // namespace datum
