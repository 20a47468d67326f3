#include "daemon/parsers.h"

#include <fmt/format.h>

#include "daemon/parse/kept_samples.h"

namespace datum {

std::unique_ptr<IsolatedParsers> start_parsers(const DaemonConfig& config, std::uint64_t most_pixels,
                                               const LogSink& log) {
  const std::filesystem::path deliveries = deliveries_folder(config);
  const KeptSamples samples((deliveries.empty() ? config.store.parent_path() : deliveries) / "failed");
  const auto on_end = [samples, log](const ParseOrder& order, const ByteParts& parts,
                                     const std::string& why) {
    const std::string name = text_in(order.name);
    std::string text = fmt::format("datumd-parse did not survive {}: {}; it is started again", name, why);
    if (order.kind == ParseKind::model || order.kind == ParseKind::toml) {
      const auto kept = samples.keep(name, parts[0], text);
      if (!kept.empty()) text += "; kept as " + kept.string();
    }
    log(3, text, {Event::parser_ended, {{"DATUM_FRAME", name}, {"DATUM_REASON", why}}});
  };
  auto parsers = std::make_unique<IsolatedParsers>(most_pixels, on_end);
  const bool confined = parsers->start();
  log(confined ? 6 : 4,
      confined ? "frames, models, recipes and calibrations are parsed apart, by datumd-parse without rights"
               : "datumd-parse is not confined: this build is for sanitizers or coverage, not for a cell");
  return parsers;
}

}  // namespace datum
