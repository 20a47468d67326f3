// A bundle on the disk of a cell: whole or not at all, whenever the process or the power ends. All functions throw
// std::system_error where the file system refuses.
//
//   stage()     each file beside its place, under a hidden name: there is space for all of them
//   commit()    FILE.next holds the bundle: from now on it is installed, whatever happens
//   complete()  each file gets its place; where a process ended before, the next one does this again
//   settle()    FILE.next becomes FILE, the bundle that is installed
//
// datumd alone calls them, with the lock of its store held, and reads no recipe between commit() and complete().
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/fleet/bundle.h"

namespace datum {

struct BundlePlaces {
  std::filesystem::path recipes, calibrations;  // folders; calibrations may be empty: there is none
  std::filesystem::path state;                  // FILE, beside the result store
};

/// FILE of the cell with this result store.
std::filesystem::path bundle_state_of(const std::filesystem::path& store);

/// Who had a bundle installed. Texts without a meaning to datumd.
struct Installation {
  Bundle bundle;
  std::string person, host, certificate, utc;
};
/// What the chain of results says of it.
std::string words_of(const Installation& installation);

/// None: there is none. Throws BundleError for a damaged file.
std::optional<Installation> installed_bundle(const std::filesystem::path& state);
std::optional<Installation> begun_bundle(const std::filesystem::path& state);

/// Place of a file of a bundle. Throws BundleError for a calibration in a cell without their folder.
std::filesystem::path place_of(const BundleFile& file, const BundlePlaces& places);

/// A failure removes what was written. Throws BundleError where a place is taken by something else than a regular file.
void stage(const Bundle& bundle, const BundlePlaces& places);
void unstage(const Bundle& bundle, const BundlePlaces& places);
void commit(const Installation& installation, const BundlePlaces& places);
/// Does nothing to files that are in place already.
void complete(const Bundle& bundle, const BundlePlaces& places);
void settle(const BundlePlaces& places);

}  // namespace datum
