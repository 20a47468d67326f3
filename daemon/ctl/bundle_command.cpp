// datumctl bundle: signed bundles of recipes and calibrations for the cells of a fleet.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "calib/calibration.h"
#include "config/toml_reader.h"
#include "daemon/configuration/bundle_cell.h"
#include "daemon/ctl/bundle_compare.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/scpi_text.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/system/durable_file.h"
#include "drivers/profile/sensor_profile_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

struct BundleOptions {
  std::vector<std::string> recipes, calibrations, cells;
  std::string name, by, key, out, file, public_key, config = "/etc/datumd/datumd.toml";
  std::uint64_t number = 0;
  bool older = false;
};

/// Files, and *.toml of folders.
std::vector<fs::path> files_of(const std::vector<std::string>& given) {
  std::vector<fs::path> files;
  for (const std::string& path : given) {
    if (!fs::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    const std::size_t before = files.size();
    for (const auto& entry : fs::directory_iterator(path))
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    if (files.size() == before) throw BundleError(fmt::format("{}: holds no *.toml", path));
  }
  return files;
}

/// What no cell could read is not signed.
void add_files(Bundle& bundle, BundleKind kind, const std::vector<std::string>& given) {
  for (const fs::path& path : files_of(given)) {
    const std::string text = config::toml_file_bytes(path);
    if (kind == BundleKind::recipe) {
      config::Problems problems;
      recipe_from_text(text, path.string(), problems);
      if (!problems.errors().empty()) throw BundleError(problems.errors().front().what());
    } else {
      load_calibration(path);
    }
    bundle.files.push_back({kind, path.filename(), "", text});
  }
}

void write_new(const fs::path& file, const std::string& text, mode_t mode) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  const bool written = fd >= 0 &&
                       ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::fsync(fd) == 0;
  const int why = errno;
  if (fd >= 0) ::close(fd);
  if (fd >= 0 && !written) ::unlink(file.c_str());
  if (!written) throw std::system_error(why, std::generic_category(), file.string() + ": cannot be made");
}

int make_key(const BundleOptions& o) {
  write_new(o.out + ".pem", new_private_key(), 0600);
  const SigningKey key = SigningKey::from_file(o.out + ".pem");
  write_new(o.out + ".pub", pem_of(key.public_key()), 0644);
  fmt::print(
      "{0}.pem: the private key; keep it off the cells\n{0}.pub: for the cells' trusted_keys_folder\nkey "
      "{1}\n",
      o.out, key.public_key());
  return good;
}

int create(const BundleOptions& o) {
  Bundle bundle{o.name, o.number, o.by, o.cells, {}, "", ""};
  add_files(bundle, BundleKind::recipe, o.recipes);
  add_files(bundle, BundleKind::calibration, o.calibrations);
  sign(bundle, SigningKey::from_file(o.key));
  std::error_code none;
  if (fs::exists(fs::symlink_status(o.out, none)))
    throw BundleError(fmt::format("{}: is there already; allowed: a new name", o.out));
  write_file_durably(fs::absolute(o.out), bytes_of(bundle));
  fmt::print("{}: {}, {} files for {}, signed by {}\n", o.out, name_of(bundle), bundle.files.size(),
             fmt::join(bundle.cells, ", "), bundle.key);
  return good;
}

Bundle bundle_in(const std::string& file) {
  const std::string bytes = bundle_bytes(file);
  try {
    return bundle_of(bytes);
  } catch (const BundleError& error) {
    throw BundleError(fmt::format("{}: {}", file, error.what()));
  }
}

void print_manifest(const Bundle& b) {
  fmt::print("name {}\nnumber {}\nby {}\ncells {}\nkey {}\n", b.name, b.number, b.by,
             fmt::join(b.cells, ", "), b.key);
  for (const BundleFile& f : b.files)
    fmt::print("{} {} {} bytes {}\n", name_of(f.kind), f.name, f.text.size(), f.sha256);
}

/// What the cell itself would ask. Throws BundleError.
void demand_installable(const Bundle& bundle, const DaemonConfig& config, bool older) {
  if (!config.fleet)
    throw BundleError(fmt::format("{}: has no [fleet]; this cell takes no bundles", config.file.string()));
  const BundleCell cell = bundle_cell(config);
  demand_trusted(bundle, trusted_keys(cell.fleet.trusted_keys));
  demand_for(bundle, cell.cell);
  demand_newer(bundle, installed_bundle(cell.places.state), older);
}

int verify(const BundleOptions& o) {
  const Bundle bundle = bundle_in(o.file);
  if (!o.public_key.empty())
    demand_trusted(bundle, {public_key_of(o.public_key)});
  else
    demand_installable(bundle, load_daemon_config(o.config), o.older);
  fmt::print("{}: {}: whole, signed by the trusted key {}\n", o.file, name_of(bundle), bundle.key);
  return good;
}

int print_differences(const std::vector<ComparedFile>& all) {
  int different = 0;
  for (const ComparedFile& file : all) {
    fmt::print("{}", text_of(file));
    different += file.state != FileState::same;
  }
  fmt::print("{} of {} files differ from the bundle\n", different, all.size());
  return different == 0 ? good : failed;
}

int show(const BundleOptions& o) {
  const Bundle bundle = bundle_in(o.file);
  print_manifest(bundle);
  fmt::print("signature {}\n", is_good(bundle) ? "is that of the key; 'verify' says whether a cell trusts it"
                                               : "WRONG: the manifest was changed after it was signed");
  if (!is_good(bundle)) return failed;
  if (!fs::exists(o.config)) {
    fmt::print("{}: is not there; nothing to compare with\n", o.config);
    return good;
  }
  return print_differences(compared(bundle, bundle_cell(load_daemon_config(o.config)).places));
}

int print_status(const BundleOptions& o, bool json) {
  const DaemonConfig config = load_daemon_config(o.config);
  const BundlePlaces places = bundle_cell(config).places;
  const auto now = installed_bundle(places.state);
  const bool begun = begun_bundle(places.state).has_value();
  const Bundle none;
  const Bundle& bundle = now ? now->bundle : none;
  if (json)
    fmt::print("{}\n", nlohmann::ordered_json{{"cell", config.cell},
                                              {"bundle", bundle.name},
                                              {"number", bundle.number},
                                              {"key", bundle.key},
                                              {"by", bundle.by},
                                              {"installed_by", now ? now->person : ""},
                                              {"host", now ? now->host : ""},
                                              {"utc", now ? now->utc : ""},
                                              {"incomplete", begun}}
                           .dump());
  else if (now)
    fmt::print("cell {}: {}, key {}, installed by {} at {}\n", config.cell, name_of(bundle), bundle.key,
               now->person, now->utc);
  else
    fmt::print("cell {}: no bundle is installed\n", config.cell);
  if (begun && !json)
    fmt::print("another one is begun and not complete; datumd completes it when it starts\n");
  const auto all = compared(bundle, places);
  if (!json) return std::max(print_differences(all), begun ? static_cast<int>(failed) : 0);
  int status = begun ? failed : good;
  for (const ComparedFile& file : all) {
    fmt::print("{}\n", json_of(file).dump());
    if (file.state != FileState::same) status = failed;
  }
  return status;
}

/// The newest bundle of a folder that this cell may take; what it may not take is said. None: nothing is newer.
std::optional<std::pair<fs::path, Bundle>> newest_in(const fs::path& folder, const DaemonConfig& config) {
  const auto now = installed_bundle(bundle_cell(config).places.state);
  std::optional<std::pair<fs::path, Bundle>> newest;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".bundle") continue;
    try {
      Bundle bundle = bundle_in(entry.path());
      if (now && bundle.number <= now->bundle.number) continue;
      demand_installable(bundle, config, false);
      if (!newest || newest->second.number < bundle.number) newest.emplace(entry.path(), std::move(bundle));
    } catch (const BundleError& error) {
      fmt::print(stderr, "datumctl: not taken: {}\n", error.what());
    }
  }
  return newest;
}

/// The bundle's name in the spool; a file elsewhere is copied there.
std::string in_spool(const fs::path& file, const Bundle& bundle, const fs::path& spool) {
  std::error_code none;
  if (fs::equivalent(fs::absolute(file).parent_path(), spool, none)) return file.filename();
  const std::string name = fmt::format("{}-{}.bundle", bundle.name, bundle.number);
  write_file_durably(spool / name, bytes_of(bundle));
  return name;
}

int install(const CommandLine& line, const BundleOptions& o) {
  const DaemonConfig config = load_daemon_config(o.config);
  fs::path file = o.file;
  Bundle bundle;
  if (fs::is_directory(file)) {
    auto newest = newest_in(file, config);
    if (!newest) {
      fmt::print("{}: no newer bundle for cell '{}'\n", o.file, config.cell);
      return good;
    }
    std::tie(file, bundle) = std::move(*newest);
  } else {
    bundle = bundle_in(o.file);
    demand_installable(bundle, config, o.older);
  }
  const std::string name = in_spool(file, bundle, config.fleet->spool);
  auto host = connect(line.link);
  order(host, fmt::format("MMEMory:BUNDle {},{}{}", as_parameter(name), as_parameter(o.by),
                          o.older ? ",\"older\"" : ""));
  fmt::print("{}: installed, {}\n", file.string(), name_of(bundle));
  return good;
}

}  // namespace

void add_bundle_commands(CommandLine& line) {
  auto o = std::make_shared<BundleOptions>();
  auto* group = line.app.add_subcommand("bundle",
                                        "recipes and calibrations for the cells of a fleet, in one signed "
                                        "file: made, checked, installed whole or "
                                        "not at all, compared");
  group->require_subcommand(1);
  const auto told = [](const std::function<int()>& act, int status) {
    return [act, status] {
      try {
        return act();
      } catch (const BundleError& error) {
        fmt::print(stderr, "datumctl: {}\n", error.what());
      } catch (const KeyError& error) {
        fmt::print(stderr, "datumctl: {}\n", error.what());
      } catch (const std::system_error& error) {
        fmt::print(stderr, "datumctl: {}\n", error.what());
      }
      return status;
    };
  };
  const auto config = [&](CLI::App* command) {
    line.offer(command->add_option("--config", o->config, "configuration of the cell")->capture_default_str(),
               Offer::files);
  };
  auto* key = line.leaf(*group, "key", "a new Ed25519 key: OUT.pem, private, and OUT.pub for the cells",
                        told([o] { return make_key(*o); }, not_written));
  line.offer(key->add_option("out", o->out, "path without its ending; no file is replaced")->required(),
             Offer::files);

  auto* made = line.leaf(*group, "create", "signs recipes and calibrations, each of them checked first",
                         told([o] { return create(*o); }, not_written));
  line.offer(made->add_option("--recipes", o->recipes, "files, or folders with their *.toml"), Offer::files);
  line.offer(made->add_option("--calibrations", o->calibrations, "the same"), Offer::files);
  made->add_option("--cells", o->cells, "names of cells as in their datumd.toml; '*': every cell")
      ->required();
  made->add_option("--name", o->name, "of the bundle: letters, digits and . _ + # -")->required();
  made->add_option("--number", o->number, "counts up: a cell refuses an older bundle")->required();
  made->add_option("--by", o->by, "who makes it")->required();
  line.offer(made->add_option("--key", o->key, "private key, Ed25519 in PEM")->required(), Offer::files);
  line.offer(made->add_option("--out", o->out, "the bundle, which must not exist")->required(), Offer::files);

  auto* verified = line.leaf(*group, "verify",
                             "whether this cell would trust and take a bundle; exit status 0: yes, 1: no",
                             told([o] { return verify(*o); }, failed));
  line.offer(verified->add_option("file", o->file, "the bundle")->required(), Offer::files);
  line.offer(verified->add_option("--public-key", o->public_key,
                                  "whether this key signed it, without a cell's configuration"),
             Offer::files);
  verified->add_flag("--allow-older", o->older, "also one with a smaller number than the installed one's");
  config(verified);

  auto* shown = line.leaf(
      *group, "show", "a bundle's manifest, and what differs from it in this cell; exit status 1: something",
      told([o] { return show(*o); }, failed));
  line.offer(shown->add_option("file", o->file, "the bundle")->required(), Offer::files);
  config(shown);

  auto* status =
      line.leaf(*group, "status",
                "the installed bundle, and each file of this cell that differs from it, with its keys; exit "
                "status 1: something does",
                told([o, &line] { return print_status(*o, line.json); }, no_store));
  config(status);
  line.add_json(*status, "the cell, then each file, as one JSON object a line");

  auto* installed = line.link_leaf(*group, "install",
                                   "lets datumd exchange recipes and calibrations by a bundle's, all or "
                                   "none; refused while the cell is armed",
                                   told([o, &line] { return install(line, *o); }, refused_command));
  line.offer(
      installed->add_option("file", o->file, "the bundle, or a folder: its newest bundle for this cell")
          ->required(),
      Offer::files);
  installed->add_option("--by", o->by, "who wants it; the chain of results keeps the name")->required();
  installed->add_flag("--allow-older", o->older, "also one with a smaller number than the installed one's");
  config(installed);
}

}  // namespace datum
