// The parsers of a daemon, each of which has its input looked at by datumd-parse.
//
// Three processes: one for frames and models, whose orders come from the worker and may last, one for texts, for which the loop
// waits, and one for the texts that hosts upload, for which it does not: a hostile one holds up its own kind alone. Where a recipe has [serial.code] a
// fourth one looks for codes.
#pragma once

#include <memory>

#include "config/toml_document.h"
#include "daemon/parse/isolated_codes.h"
#include "daemon/parse/parser_client.h"
#include "drivers/model/model_file.h"
#include "drivers/sensor/frame_parser.h"

namespace datum {

/// Memory of the process for frames of at most so many pixels, and for models.
ParserClientSettings frame_parse_settings(std::uint64_t most_pixels);
ParserClientSettings text_parse_settings();

class IsolatedFrames final : public FrameParser {
 public:
  explicit IsolatedFrames(ParserClient& link) : link_(link) {}
  Raster image(ByteView file, const std::string& name, std::uint64_t most_pixels,
               const Meanwhile& meanwhile) const override;
  Raster heights(ByteView file, ByteView sidecar, const std::string& sidecar_name,
                 const SensorProfile& profile, const Meanwhile& meanwhile) const override;
  HeightFrame gocator_csv(ByteView file, const std::string& name, std::uint64_t most_pixels,
                          const Meanwhile& meanwhile) const override;

 private:
  template <class Take>
  void parse(const ParseOrder& order, const ByteParts& parts, const Meanwhile& meanwhile, Take take) const;

  ParserClient& link_;
};

class IsolatedModels final : public ModelParser {
 public:
  explicit IsolatedModels(ParserClient& link) : link_(link) {}
  ModelFile parse(std::string_view bytes, const std::string& name, double mm_per_unit) const override;

 private:
  ParserClient& link_;
};

class IsolatedTexts final : public config::TomlParser {
 public:
  explicit IsolatedTexts(ParserClient& link) : link_(link) {}
  config::TomlNode parse(std::string_view text, const std::string& name) const override;

 private:
  ParserClient& link_;
};

/// All of it, for a daemon.
class IsolatedParsers {
 public:
  using OnEnd = decltype(ParserClientSettings::on_end);
  IsolatedParsers(std::uint64_t most_pixels, OnEnd on_end);

  /// All processes. False: one is not confined (a build for sanitizers). Throws ParserEnded.
  bool start();
  std::shared_ptr<const FrameParser> frames() const { return frames_; }
  const ModelParser& models() const { return models_; }
  const config::TomlParser& texts() const { return texts_; }
  const config::TomlParser& uploads() const { return uploads_; }
  /// Its process is started with the first image.
  const CodeReader& codes() const { return codes_; }

 private:
  ParserClient frame_link_, text_link_, upload_link_, code_link_;
  std::shared_ptr<const IsolatedFrames> frames_ = std::make_shared<IsolatedFrames>(frame_link_);
  IsolatedModels models_{frame_link_};
  IsolatedTexts texts_{text_link_}, uploads_{upload_link_};
  IsolatedCodes codes_{code_link_};
};

}  // namespace datum
