#include "tests/drivers/cmm/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "drivers/cmm/codec.h"
#include "drivers/cmm/presets.h"

namespace datum::testing {
namespace {

std::string unescaped(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      bytes += text[i];
      continue;
    }
    const char c = text[++i];
    if (c == 'x') {
      bytes += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      bytes += c == 'r' ? '\r' : c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
  }
  return bytes;
}

void drain(CmmCodec& codec, std::vector<std::string>& samples) {
  while (const auto sample = codec.next()) samples.push_back(text_of(*sample));
}

}  // namespace

Transcript load_transcript(const std::filesystem::path& file) {
  Transcript transcript;
  transcript.name = file.stem().string();
  std::ifstream in(file);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    const std::string key = line.substr(0, line.find(' '));
    const std::string rest = line.size() > key.size() ? line.substr(key.size() + 1) : "";
    using Is = TranscriptStep::Is;
    if (key == "preset")
      transcript.settings = preset_by_name(rest);
    else if (key == "implied_decimals")
      transcript.settings.number.implied_decimals = std::stoi(rest);
    else if (key == "fixed_xy_mm")
      transcript.settings.fixed_mm[0] = transcript.settings.fixed_mm[1] = std::stod(rest);
    else if (key == ">>")
      transcript.steps.push_back({Is::to_device, unescaped(rest)});
    else if (key == "<<")
      transcript.steps.push_back({Is::from_device, unescaped(rest)});
    else if (key == "++")
      transcript.steps.push_back({Is::elapse, "", std::stoi(rest)});
    else if (key == "==")
      transcript.steps.push_back({Is::sample, rest});
    else
      throw std::runtime_error(fmt::format("{}:{}: '{}'", file.string(), number, line));
  }
  return transcript;
}

std::vector<Transcript> load_transcripts(const std::string& folder) {
  std::vector<Transcript> all;
  for (const auto& entry : std::filesystem::directory_iterator(DATUM_SOURCE_DIR "/tests/data/" + folder))
    if (entry.path().extension() == ".txt") all.push_back(load_transcript(entry.path()));
  if (all.empty()) throw std::runtime_error("no transcripts in " + folder);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

std::string text_of(const ProbePoint& sample) {
  const auto& p = sample.position_mm;
  if (sample.state == ProbeState::ok) return fmt::format("OK {} {} {}", p[0], p[1], p[2]);
  return fmt::format("{} {}", name_of(sample.state), sample.detail);
}

std::vector<std::string> expected_samples(const Transcript& transcript) {
  std::vector<std::string> samples;
  for (const auto& step : transcript.steps)
    if (step.is == TranscriptStep::Is::sample) samples.push_back(step.text);
  return samples;
}

std::size_t device_bytes(const Transcript& transcript) {
  std::size_t size = 0;
  for (const auto& step : transcript.steps)
    if (step.is == TranscriptStep::Is::from_device) size += step.text.size();
  return size;
}

std::vector<std::string> run_codec(const Transcript& transcript, std::size_t split) {
  CmmCodec codec(transcript.settings);
  const auto& polls = transcript.settings.poll.strings;
  std::vector<std::string> samples;
  MonotonicNs now = ns_per_ms;
  std::size_t offset = 0;
  const auto feed = [&](const std::string& bytes) {
    codec.receive(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), now);
    drain(codec, samples);
  };
  for (const auto& step : transcript.steps) {
    using Is = TranscriptStep::Is;
    if (step.is == Is::to_device && !polls.empty() && step.text.find(polls[0]) != std::string::npos) {
      if (codec.in_round()) codec.give_up(now);
      drain(codec, samples);
      codec.begin_round(now);
    }
    if (step.is == Is::elapse) now += step.ms * ns_per_ms;
    if (step.is != Is::from_device) continue;
    const std::size_t cut =
        split > offset && split < offset + step.text.size() ? split - offset : step.text.size();
    feed(step.text.substr(0, cut));
    now += ns_per_ms;  // the rest arrives later
    feed(step.text.substr(cut));
    offset += step.text.size();
  }
  codec.give_up(now);
  drain(codec, samples);
  return samples;
}

}  // namespace datum::testing
