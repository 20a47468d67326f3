// Dependencies: DEPENDENCIES.md agrees with the script and with CMake; the SBOM is valid SPDX 2.3 and names all linked
// libraries; the package is equal for any umask, time zone and language.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/fresh_folder.h"
#include "tests/house/output_of.h"

namespace datum {
namespace dependencies_test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

const fs::path root = DATUM_SOURCE_DIR;

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::set<std::string> matches(const std::string& text, const std::string& expression) {
  std::set<std::string> found;
  const std::regex pattern(expression);
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

/// First column of the table below a heading.
std::set<std::string> rows_of(const std::string& heading) {
  const std::string text = slurp(root / "systemd/DEPENDENCIES.md");
  const auto from = text.find("\n## " + heading + "\n");
  std::set<std::string> rows =
      matches(text.substr(from, text.find("\n## ", from + 4) - from), R"(\n\| ([a-z0-9+.-]+) \|)");
  rows.erase("package");
  return rows;
}

using testing::Output;
using testing::output_of;

}  // namespace

TEST(Dependencies, AreThoseOfTheScriptAndOfCMake) {
  std::set<std::string> listed = rows_of("Libraries");
  const std::set<std::string> libraries = listed;
  for (const char* heading : {"Files", "Tools"})
    for (const std::string& row : rows_of(heading)) listed.insert(row);
  const std::string script = slurp(root / "datum");
  std::set<std::string> installed;
  for (const std::string list : {"kernel_packages=\"", "demo_packages=\"$kernel_packages ",
                                 "build_packages=\"$demo_packages ", "plant_packages=\""}) {
    const auto begin = script.find("\n" + list), to = script.find("\"\n", begin);
    ASSERT_NE(begin, std::string::npos) << list;
    const auto from = begin + 1 + list.size();
    installed.merge(matches(script.substr(from, to - from + 1), R"(([a-z][a-z0-9+.-]+)(?=[ \\"]))"));
  }
  EXPECT_EQ(installed, listed);
  const std::string cmake = slurp(root / "cmake/DatumDependencies.cmake");
  std::set<std::string> found = matches(cmake, "# ((?:lib)?[a-z0-9-]+-dev)");
  // Of tests.
  for (const char* left_out : {"libgtest-dev", "libbenchmark-dev", "libmodbus-dev", "libzint-dev"})
    EXPECT_EQ(found.erase(left_out), 1u);
  EXPECT_EQ(found, libraries);
}

/// A folder with the layout of a package and programs of this build.
struct Sbom : ::testing::Test {
  Sbom() {
    fs::create_directories(folder / "root" / "usr" / "bin");
    // Together they are linked to all of the list.
    for (const char* program : {"datumctl", "datumd", "datumd-collect", "datumd-parse", "datumd-plant",
                                "datumd-sign", "datumd-plant-view", "datumd-view"})
      fs::copy(fs::path(DATUM_BIN) / program, folder / "root" / "usr" / "bin" / program);
    folder.write("root/DEBIAN/control",
                 "Package: datumd\nVersion: 0.1.0\nArchitecture: amd64\nInstalled-Size: 1\n"
                 "Maintainer: nobody <root@localhost>\nDescription: test\n");
    folder.write("root/usr/share/doc/datumd/copyright", "x");
  }
  bool has_tools() const {
    return output_of("command -v python3 dpkg-query ninja readelf").status == 0 &&
           output_of("dpkg -S /usr/bin/dpkg").status == 0 &&
           output_of("ninja -C " DATUM_BUILD " -t deps | head -n 1").text.size() > 20;
  }
  Output made(const std::string& environment = "", const std::string& sysroot = "") const {
    return output_of(environment + " SOURCE_DATE_EPOCH=1795400000 python3 " +
                     (root / "systemd/sbom.py").string() + " " + (folder / "root").string() +
                     " " DATUM_BUILD " " + (root / "systemd/DEPENDENCIES.md").string() + " abc123 " +
                     sysroot);
  }
  testing::FreshFolder folder;
};

// Rules of SPDX 2.3 (clauses 6 to 11) for the parts of the JSON format in use.
TEST_F(Sbom, IsAnSpdxDocument) {
  if (!has_tools()) GTEST_SKIP() << "no dpkg, python3 or ninja";
  const Output out = made();
  ASSERT_EQ(out.status, 0) << out.text;
  const auto sbom = nlohmann::json::parse(out.text);
  EXPECT_EQ(sbom.at("spdxVersion"), "SPDX-2.3");
  EXPECT_EQ(sbom.at("dataLicense"), "CC0-1.0");
  EXPECT_EQ(sbom.at("SPDXID"), "SPDXRef-DOCUMENT");
  EXPECT_TRUE(
      std::regex_match(sbom.at("documentNamespace").get<std::string>(), std::regex("https://[^#\\s]+")));
  EXPECT_EQ(sbom.at("creationInfo").at("created"), "2026-11-23T02:13:20Z");
  EXPECT_THAT(sbom.at("creationInfo").at("creators"), Contains("Tool: datumd-sbom"));
  std::set<std::string> ids{"SPDXRef-DOCUMENT"};
  const std::regex licence(
      "NOASSERTION|NONE|LicenseRef-[A-Za-z0-9.-]+|[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*");
  for (const auto& package : sbom.at("packages")) {
    const std::string id = package.at("SPDXID");
    EXPECT_TRUE(std::regex_match(id, std::regex("SPDXRef-[A-Za-z0-9.-]+"))) << id;
    EXPECT_TRUE(ids.insert(id).second) << id << " twice";
    EXPECT_FALSE(package.at("name").get<std::string>().empty());
    EXPECT_TRUE(package.contains("downloadLocation"));
    EXPECT_EQ(package.at("filesAnalyzed"), false) << "else a verification code would be due";
    for (const char* key : {"licenseDeclared", "licenseConcluded"})
      EXPECT_TRUE(std::regex_match(package.at(key).get<std::string>(), licence))
          << id << ' ' << package.at(key);
    if (package.contains("supplier")) {
      EXPECT_THAT(package.at("supplier").get<std::string>(), HasSubstr("Organization: "));
    }
    for (const auto& reference : package.value("externalRefs", nlohmann::json::array())) {
      EXPECT_EQ(reference.at("referenceCategory"), "PACKAGE-MANAGER");
      EXPECT_EQ(reference.at("referenceType"), "purl");
      EXPECT_TRUE(std::regex_match(reference.at("referenceLocator").get<std::string>(),
                                   std::regex("pkg:deb/debian/[a-z0-9.+-]+@[^\\s?]+\\?arch=[a-z0-9]+")));
    }
  }
  std::set<std::string> extracted;
  for (const auto& info : sbom.value("hasExtractedLicensingInfos", nlohmann::json::array())) {
    extracted.insert(info.at("licenseId"));
    EXPECT_FALSE(info.at("extractedText").get<std::string>().empty());
  }
  for (const auto& package : sbom.at("packages"))
    if (const std::string used = package.at("licenseDeclared"); used.rfind("LicenseRef-", 0) == 0) {
      EXPECT_TRUE(extracted.count(used)) << used;
    }
  for (const auto& file : sbom.at("files")) {
    EXPECT_TRUE(ids.insert(file.at("SPDXID")).second);
    EXPECT_EQ(file.at("fileName").get<std::string>().rfind("./", 0), 0u);
    std::set<std::string> kinds;
    for (const auto& sum : file.at("checksums")) kinds.insert(sum.at("algorithm"));
    EXPECT_THAT(kinds, Contains("SHA1")) << "which 8.4 demands";
    EXPECT_THAT(kinds, Contains("SHA256"));
  }
  const std::set<std::string> kinds{"DESCRIBES",    "CONTAINS",    "DEPENDS_ON",
                                    "DYNAMIC_LINK", "STATIC_LINK", "BUILD_DEPENDENCY_OF"};
  bool describes = false;
  for (const auto& relation : sbom.at("relationships")) {
    EXPECT_TRUE(ids.count(relation.at("spdxElementId"))) << relation;
    EXPECT_TRUE(ids.count(relation.at("relatedSpdxElement"))) << relation;
    EXPECT_TRUE(kinds.count(relation.at("relationshipType"))) << relation;
    describes |=
        relation.at("relationshipType") == "DESCRIBES" && relation.at("spdxElementId") == "SPDXRef-DOCUMENT";
  }
  EXPECT_TRUE(describes);
}

TEST_F(Sbom, NamesWhatIsLinkedWithItsLicence) {
  if (!has_tools()) GTEST_SKIP() << "no dpkg, python3 or ninja";
  const Output out = made();
  ASSERT_EQ(out.status, 0) << out.text;
  const auto sbom = nlohmann::json::parse(out.text);
  std::map<std::string, std::string> licences;
  for (const auto& package : sbom.at("packages"))
    licences[package.at("name")] = package.at("licenseDeclared");
  EXPECT_EQ(licences["libsqlite3-0"], "blessing");
  EXPECT_EQ(licences["libeigen3-dev"], "MPL-2.0") << "headers alone";
  EXPECT_EQ(licences["libcli11-dev"], "BSD-3-Clause");
  EXPECT_EQ(licences.count("libgtest-dev"), 0u) << "of tests";
  const auto has = [&](const std::string& from, const std::string& kind, const std::string& to) {
    for (const auto& r : sbom.at("relationships"))
      if (r.at("spdxElementId") == from && r.at("relationshipType") == kind &&
          r.at("relatedSpdxElement") == to)
        return true;
    return false;
  };
  EXPECT_TRUE(has("SPDXRef-File-datumd", "DYNAMIC_LINK", "SPDXRef-Package-libsqlite3-0"));
  EXPECT_FALSE(has("SPDXRef-File-datumd-sign", "DYNAMIC_LINK", "SPDXRef-Package-libsqlite3-0"));
  EXPECT_TRUE(has("SPDXRef-Package-datumd", "STATIC_LINK", "SPDXRef-Package-libeigen3-dev"));
  // Each library of the list is present, directly or under its linked name. A package without files (libboost-dev) stands for the one
  // whose version its name lacks.
  static const std::regex versioned(R"(^(lib[a-z]+)[0-9.]+(-dev)$)");
  const std::map<std::string, std::string> named = licences;
  for (const auto& [name, licence] : named)
    licences.emplace(std::regex_replace(name, versioned, "$1$2"), licence);
  std::set<std::string> unlicensed;
  for (const std::string& row : rows_of("Libraries"))
    if (licences.count(row) == 0 || licences[row] == "NOASSERTION") unlicensed.insert(row);
  EXPECT_EQ(unlicensed, std::set<std::string>{});
}

// Libraries of another architecture: they are in a folder with their package database, and ldd can't run.
TEST_F(Sbom, IsTheSameOfLibrariesThatLieInAFolder) {
  if (!has_tools()) GTEST_SKIP() << "no dpkg, python3 or ninja";
  const Output here = made();
  ASSERT_EQ(here.status, 0) << here.text;
  const Output unpacked = output_of(R"(set -e; cd )" + folder.path().string() + R"(
root=$PWD/sysroot; info=$root/var/lib/dpkg/info; mkdir -p $info $root/lib; echo 1 >$info/format
ldd root/usr/bin/* | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u >libraries
while read -r library; do echo $library; readlink -f $library; echo /usr$library; done <libraries | sort -u >names
xargs dpkg -S <names 2>/dev/null | sed 's/: .*//' | sort -u >packages
dpkg-query -s $(cat packages) >$root/var/lib/dpkg/status
for package in $(cat packages); do  # each call of dpkg reads the lists of all packages
  cat /var/lib/dpkg/info/$package.list /var/lib/dpkg/info/$package:*.list >owned 2>/dev/null || [ -s owned ]
  sed "s|^|$root|" owned >$info/$package.list
  grep '/lib.*[.]so' owned || true
done | while read -r file; do [ ! -f $file ] || echo $file; done | (cd / && xargs cp -a --parents -t $root))");
  ASSERT_EQ(unpacked.status, 0) << unpacked.text;
  const Output there = made("", (folder / "sysroot").string());
  ASSERT_EQ(there.status, 0) << there.text;
  EXPECT_EQ(nlohmann::json::parse(there.text), nlohmann::json::parse(here.text));
}

TEST_F(Sbom, ThePackageIsTheSameWhateverItWasPackedUnder) {
  if (!has_tools() || output_of("command -v dpkg-deb").status != 0)
    GTEST_SKIP() << "no dpkg, python3 or ninja";
  for (const char* program : {"datumctl", "datumd", "datumd-collect", "datumd-parse", "datumd-plant",
                              "datumd-plant-view", "datumd-view"})
    fs::remove(folder / "root" / "usr" / "bin" / program);  // their compression is slow
  const auto packed = [&](const std::string& name, const std::string& environment) {
    const std::string deb = (folder.path() / name).string();
    const Output out = output_of("set -e; umask 022; dpkg-deb --root-owner-group -Znone --build " +
                                 (folder / "root").string() + " " + deb + " >/dev/null; " + environment +
                                 " SOURCE_DATE_EPOCH=1795400000 " +
                                 (root / "systemd/finish_package.sh").string() + " " + deb + " " DATUM_BUILD);
    EXPECT_EQ(out.status, 0) << out.text;
    return slurp(deb);
  };
  const std::string one = packed("one.deb", "umask 022; TZ=UTC");
  fs::last_write_time(folder / "root" / "usr" / "bin" / "datumd-sign", fs::file_time_type::clock::now());
  fs::permissions(folder / "root" / "usr" / "share", static_cast<fs::perms>(0700));
  const std::string two = packed("two.deb", "umask 077; export LC_ALL=C.UTF-8; TZ=Asia/Kathmandu");
  EXPECT_GT(one.size(), 10'000u);
  EXPECT_TRUE(one == two);
  EXPECT_THAT(output_of("dpkg-deb -c " + (folder / "two.deb").string()).text,
              HasSubstr("-rw-r--r-- root/root"));
  EXPECT_THAT(output_of("dpkg-deb -c " + (folder / "two.deb").string()).text, HasSubstr("datumd.spdx.json"));
}

// Programs contain no path of their build: builds would differ, and reveal names of people.
TEST(Reproducible, ProgramsNameNoFolderOfTheirBuild) {
  if (!DATUM_HARDENED) GTEST_SKIP() << "a sanitizer names source files; packages come from a hardened build";
  for (const char* name : {"datumd", "datumctl", "datumd-batch", "datumd-collect", "datumd-parse",
                           "datumd-plant", "datumd-sign", "datumd-plant-view", "datumd-view"}) {
    // Installation removes library paths (RPATH), stripping removes file names.
    const testing::FreshFolder folder;
    fs::copy(fs::path(DATUM_BIN) / name, folder / name);
    output_of("strip " + (folder / name).string());
    EXPECT_EQ(slurp(folder / name).find(root.string() + "/"), std::string::npos) << name;
  }
}

}  // namespace dependencies_test
}  // namespace datum
