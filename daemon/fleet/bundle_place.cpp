#include "daemon/fleet/bundle_place.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "config/toml_reader.h"
#include "daemon/system/durable_file.h"
#include "drivers/frame/frame_error.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_who_bytes = 64 << 10;

fs::path next_of(const fs::path& state) { return state.string() + ".next"; }

fs::path part_of(const fs::path& file) {
  return file.parent_path() / ("." + file.filename().string() + ".part");
}

/// The first line says who installed it; the bundle follows.
std::optional<Installation> installation_in(const fs::path& file) {
  std::error_code none;
  if (!fs::exists(fs::symlink_status(file, none))) return std::nullopt;
  try {
    const Bytes bytes = read_bytes(file, most_bundle_bytes + most_who_bytes);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto end = text.find('\n');
    if (end == text.npos) throw BundleError("its first line is cut off");
    const auto who = nlohmann::json::parse(text.substr(0, end));
    return Installation{bundle_of(text.substr(end + 1)), who.at("person"), who.at("host"),
                        who.at("certificate"), who.at("utc")};
  } catch (const FrameError& error) {
    throw BundleError(fmt::format("{}: {}", file.string(), error.what()));
  } catch (const nlohmann::json::exception&) {
    throw BundleError(fmt::format("{}: its first line does not say who installed the bundle", file.string()));
  } catch (const BundleError& error) {
    throw BundleError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

bool holds(const fs::path& file, const std::string& sha256) {
  std::error_code none;
  if (!fs::is_regular_file(fs::symlink_status(file, none))) return false;
  try {
    return sha256_hex({ByteView(read_bytes(file, most_bundle_bytes))}) == sha256;
  } catch (const FrameError&) {
    return false;  // larger: another file
  }
}

}  // namespace

fs::path bundle_state_of(const fs::path& store) { return store.string() + ".bundle"; }

std::string words_of(const Installation& i) {
  return fmt::format("{} installed by {}: signed by {}, made by {}, manifest's signature {}",
                     name_of(i.bundle), i.person, i.bundle.key, i.bundle.by,
                     i.bundle.signature.substr(0, 16));
}

std::optional<Installation> installed_bundle(const fs::path& state) { return installation_in(state); }
std::optional<Installation> begun_bundle(const fs::path& state) { return installation_in(next_of(state)); }

fs::path place_of(const BundleFile& file, const BundlePlaces& places) {
  if (file.kind == BundleKind::recipe) return places.recipes / file.name;
  if (places.calibrations.empty())
    throw BundleError(fmt::format(
        "calibration '{}': this cell has no inspection.calibrations_folder; allowed: a bundle without "
        "calibrations, or that key",
        file.name));
  return places.calibrations / file.name;
}

void unstage(const Bundle& bundle, const BundlePlaces& places) {
  std::error_code ignored;
  for (const BundleFile& f : bundle.files) fs::remove(part_of(place_of(f, places)), ignored);
}

void stage(const Bundle& bundle, const BundlePlaces& places) {
  std::error_code none;
  for (const BundleFile& f : bundle.files) {
    const fs::path place = place_of(f, places);
    const auto is = fs::symlink_status(place, none);
    if (fs::exists(is) && !fs::is_regular_file(is))
      throw BundleError(fmt::format("{}: is no regular file; look at it first", place.string()));
  }
  try {
    for (const BundleFile& f : bundle.files) write_part_durably(place_of(f, places), f.text);
  } catch (...) {
    unstage(bundle, places);
    throw;
  }
}

void commit(const Installation& i, const BundlePlaces& places) {
  const nlohmann::json who{
      {"person", i.person}, {"host", i.host}, {"certificate", i.certificate}, {"utc", i.utc}};
  write_file_durably(
      next_of(places.state),
      who.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n" + bytes_of(i.bundle));
}

void complete(const Bundle& bundle, const BundlePlaces& places) {
  std::set<fs::path> folders;
  for (const BundleFile& f : bundle.files) {
    const fs::path place = place_of(f, places), part = part_of(place);
    folders.insert(place.parent_path());
    if (holds(place, f.sha256)) {
      std::error_code ignored;
      fs::remove(part, ignored);
    } else if (holds(part, f.sha256)) {
      put_in_place(part, place);
    } else {
      write_file_durably(place, f.text);
    }
  }
  for (const fs::path& folder : folders) sync_name_of(folder / "any");
}

void settle(const BundlePlaces& places) {
  put_in_place(next_of(places.state), places.state);
  sync_name_of(places.state);
}

}  // namespace datum
