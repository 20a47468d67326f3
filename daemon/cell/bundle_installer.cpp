#include "daemon/cell/bundle_installer.h"

#include <fmt/format.h>

#include "config/utc_time.h"
#include "daemon/cell/file_refusal.h"
#include "daemon/store/result_chain.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using scpi::Error;

/// Why `act` is refused; none: it is done.
template <class Act>
std::optional<Error> refusal_of_bundle(const Act& act) {
  return refusal_of_files(
      [&] {
        try {
          act();
        } catch (const BundleError& error) {
          throw Error(scpi::illegal_parameter_value, error.what());
        }
      },
      "the folders of recipes and calibrations must be where datumd may write, below /var/lib/datumd under "
      "its service");
}

std::string bytes_in_spool(const fs::path& spool, const std::string& file) {
  if (fs::path(file).filename() != file || file.starts_with('.'))
    throw BundleError(
        fmt::format("'{}'; allowed: the name of a file in {}", file.substr(0, 200), spool.string()));
  return bundle_bytes(spool / file);
}

}  // namespace

/// `job` on the worker's thread, `then` on the loop's; a refusal in either is the end.
void BundleInstaller::apart(const Step& job, const Step& then) {
  const auto work = work_;
  const auto first = [work, job] { work->refused = refusal_of_bundle([&] { job(*work); }); };
  const auto second = [this, work, then] {
    if (!work->refused) work->refused = refusal_of_bundle([&] { then(*work); });
    if (work->refused && work_ == work) end();
  };
  if (deps_.worker) return deps_.worker->submit(first, second);
  first();
  second();
}

/// The bytes are read once: those that are checked are those that are installed.
void BundleInstaller::prepare(Work& work) const {
  const BundleCell& cell = *deps_.cell;
  if (work.order.person.empty() || work.order.person.size() > 128)
    throw BundleError("person: allowed: the name of who wants it, 1 to 128 bytes");
  const std::string bytes = bytes_in_spool(cell.fleet.spool, work.order.file);
  const auto keys = trusted_keys(cell.fleet.trusted_keys);
  work.what.bundle = bundle_of(bytes);
  demand_trusted(work.what.bundle, keys);
  demand_for(work.what.bundle, cell.cell);
  demand_newer(work.what.bundle, installed_bundle(cell.places.state), work.order.older);
  demand_usable(work.what.bundle, cell, deps_.sensor, deps_.parser);
  stage(work.what.bundle, cell.places);
}

void BundleInstaller::install(const BundleOrder& order, Done done) {
  demand_complete();
  deps_.demand_idle();
  work_ = std::make_shared<Work>(Work{order, std::move(done)});
  apart([this](Work& w) { prepare(w); }, [this](Work& w) { begin(w); });
}

/// Looked at once more: a procedure was begun meanwhile, maybe.
void BundleInstaller::begin(Work& work) {
  const BundlePlaces& places = deps_.cell->places;
  try {
    deps_.demand_idle();
  } catch (...) {
    unstage(work.what.bundle, places);
    throw;
  }
  work.what.person = work.order.person;
  work.what.host = work.order.host;
  work.what.certificate = work.order.certificate;
  work.what.utc = iso8601_from_utc(deps_.utc_ns() / 1'000'000'000);
  incomplete_ = name_of(work.what.bundle) + " is being installed";
  apart(
      [&places](Work& w) {
        try {
          commit(w.what, places);
        } catch (...) {
          unstage(w.what.bundle, places);
          throw;
        }
        complete(w.what.bundle, places);
      },
      [this](Work& w) { exchanged(w); });
}

void BundleInstaller::exchanged(Work& work) {
  incomplete_.clear();
  deps_.changed();
  const auto of = work_;
  state(work.what, [this, of](const std::string& failed) {
    if (!failed.empty())
      of->refused =
          Error(scpi::mass_storage_error,
                fmt::format("{} is installed, and this can't be kept in the chain of results: {}; datumd "
                            "tries again at its next start or reload",
                            name_of(of->what.bundle), failed));
    end();
  });
}

/// The chain says it first: what FILE says is in the chain then.
void BundleInstaller::state(const Installation& what, const std::function<void(const std::string&)>& then) {
  const std::string statement =
      to_statement(Deed{what.host, "bundle", words_of(what), 0, what.utc, what.certificate});
  const std::string words = words_of(what);
  deps_.storer.submit_fallible(
      [statement, &store = deps_.store, &places = deps_.cell->places] {
        store.state({statement});
        settle(places);
      },
      [this, words, then](const std::string& failed) {
        if (failed.empty()) deps_.events.log(5, words);
        then(failed);
      });
}

/// The next one first: who is told may send another one.
void BundleInstaller::end() {
  const auto work = std::exchange(work_, nullptr);
  // Begun and refused: complete or not, the disk knows.
  if (!incomplete_.empty()) resume();
  if (work->refused)
    deps_.events.log(4, fmt::format("bundle '{}' refused: {}", work->order.file, work->refused->what()));
  work->done(work->refused);
  deps_.events.changed();
}

void BundleInstaller::resume() {
  if (!deps_.cell || work_) return;
  const BundlePlaces& places = deps_.cell->places;
  std::optional<Installation> begun;
  const auto why = refusal_of_bundle([&] {
    begun = begun_bundle(places.state);
    if (begun) complete(begun->bundle, places);
  });
  incomplete_ = why ? fmt::format(
                          "a bundle is not completely installed: {}; datumd tries again at its next start or "
                          "reload",
                          why->what())
                    : "";
  if (why) return deps_.events.log(3, incomplete_);
  if (!begun) return;
  state(*begun, [this](const std::string& failed) {
    if (!failed.empty())
      deps_.events.log(3, "the installation of a bundle can't be kept in the chain of results: " + failed);
  });
}

void BundleInstaller::demand_complete() const {
  if (!incomplete_.empty()) throw Error(scpi::settings_conflict, incomplete_);
  if (work_) throw Error(scpi::settings_conflict, "a bundle is being installed; wait for its end");
}

std::string BundleInstaller::installed() const {
  const auto now = installed_bundle(deps_.cell->places.state);
  if (!now) return "\"\",0,\"\",\"\"";
  return fmt::format("{},{},{},{}", scpi::quote(now->bundle.name), now->bundle.number,
                     scpi::quote(now->bundle.key), scpi::quote(now->person));
}

}  // namespace datum
