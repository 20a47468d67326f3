// Damaged, truncated and hostile design files of each format: refused with a message, in bounded memory.
#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "daemon/design/centroid.h"
#include "daemon/design/ipc2581.h"
#include "daemon/design/kicad_board.h"
#include "daemon/design/odb.h"
#include "daemon/design/odb_layers.h"
#include "daemon/design/read_design.h"
#include "tests/daemon/design/board_of_all_formats.h"
#include "tests/fresh_folder.h"

namespace datum::hostile_design_test {
namespace {

using namespace design;
using ::testing::HasSubstr;

template <class Read>
std::string refusal(Read read) {
  try {
    read();
  } catch (const DesignError& error) {
    return error.what();
  }
  return "accepted";
}
std::string kicad(const std::string& text) {
  return refusal([&] { read_kicad_board(text, "b.kicad_pcb"); });
}
std::string ipc(const std::string& text) {
  return refusal([&] { read_ipc2581(text, "b.xml"); });
}

TEST(HostileKicad, NamesWhatIsWrongAndWhere) {
  EXPECT_THAT(kicad(""), HasSubstr("b.kicad_pcb:1: the file is empty"));
  EXPECT_THAT(kicad("(kicad_sch (version 20211014))"), HasSubstr("is no KiCad board"));
  EXPECT_THAT(kicad("(kicad_pcb (generator x))"), HasSubstr("has no (version ...)"));
  EXPECT_THAT(kicad("(kicad_pcb\n (version 4))"),
              HasSubstr("b.kicad_pcb:2: (version ...) is '4'; KiCad 5 to 9"));
  EXPECT_THAT(kicad("(kicad_pcb (version 20211014))"), HasSubstr("has no outline"));
  EXPECT_THAT(kicad("(kicad_pcb (version 20211014)\n (gr_line (start 0 0) (end 10 zehn) (layer Edge.Cuts)))"),
              HasSubstr("b.kicad_pcb:2: (end ...) 'zehn' is no number"));
  EXPECT_THAT(kicad("(kicad_pcb (version 20211014) (gr_line (start 0 0) (end 1e300 0) (layer Edge.Cuts)))"),
              HasSubstr("no number up to a million"));
  EXPECT_THAT(kicad("(kicad_pcb (version 20211014) (gr_line (start 0 0) (end nan 0) (layer Edge.Cuts)))"),
              HasSubstr("is no number"));
  EXPECT_THAT(kicad("(kicad_pcb (version 20211014) (gr_line (start 0 0) (end 10 0) (layer Edge.Cuts)))"),
              HasSubstr("the board's outline is open at x 10.000, y"));
  EXPECT_THAT(kicad("(kicad_pcb (version 20211014) \"never closed"), HasSubstr("a string is not closed"));
  EXPECT_THAT(kicad("(kicad_pcb (version 20211014)) )"), HasSubstr("closes no list"));
  EXPECT_THAT(kicad("(kicad_pcb (version 20211014)) (more)"), HasSubstr("one list in parentheses"));
  EXPECT_THAT(kicad(std::string("(kicad_pcb \0)", 13)), HasSubstr("a byte 0"));
}

TEST(HostileKicad, DeepNestingIsRefusedWithoutRecursion) {
  EXPECT_THAT(kicad(std::string(10'000'000, '(')), HasSubstr("nested deeper than 64"));
}

/// Files of the allowed size whose smallest pieces would take many times their bytes.
TEST(HostileDesign, MoreSmallPiecesThanABoardHasAreRefusedBeforeTheyAreKept) {
  EXPECT_THAT(ipc("<IPC-2581>" + std::string(max_xml_tags, '<')), HasSubstr("more than 8000000 tags"));
  EXPECT_THAT(ipc("<IPC-2581 a" + std::string(max_xml_attributes + 1, '=')),
              HasSubstr("more than 20000000 attributes"));
  const auto centroid = [](const std::string& text) {
    return refusal([&] { read_centroid(text, "b.csv", {}); });
  };
  EXPECT_THAT(centroid("Ref,Val,Package,PosX,PosY,Rot,Side\n" + std::string(400'000, '\n')),
              HasSubstr("b.csv: more than 400000 lines"));
  EXPECT_THAT(centroid(std::string(max_centroid_bytes + 1, 'x')), HasSubstr("at most 67108864 are read"));
}

TEST(HostileDesign, MoreFeaturesThanABoardHasAreRefused) {
  auto files = testing::to_odb({}, testing::OdbWriter::valor);
  std::string& text = files["steps/pcb/layers/top/features"];
  for (std::size_t i = 0; i <= odb::max_odb_features; ++i) text += "L 0 0 1 1 0 P 0\n";
  EXPECT_THAT(refusal([&] { read_odb(files, "job.tgz"); }), HasSubstr("more than 4000000 features"));
}

TEST(HostileKicad, EveryTruncationIsRefused) {
  const std::string whole = testing::to_kicad({});
  ASSERT_EQ(kicad(whole), "accepted");
  for (std::size_t n = 0; n + 2 < whole.size(); n += 7)
    EXPECT_THAT(kicad(whole.substr(0, n)), HasSubstr("b.kicad_pcb")) << n;
}

TEST(HostileIpc2581, NamesWhatIsWrong) {
  EXPECT_THAT(ipc("<html></html>"), HasSubstr("is no IPC-2581 file"));
  EXPECT_THAT(ipc("<IPC-2581 revision=\"C\"></IPC-2581>"), HasSubstr("no board"));
  EXPECT_THAT(ipc("<IPC-2581><Ecad>"), HasSubstr("b.xml: byte"));
  std::string text = testing::to_ipc2581({});
  text.replace(text.find("units=\"MILLIMETER\"/>"), 20, "units=\"FURLONG\"/>   ");
  EXPECT_THAT(ipc(text), HasSubstr("units = \"FURLONG\"; MILLIMETER, INCH, MICRON or MIL"));
  text = testing::to_ipc2581({});
  text.replace(text.find("rotation=\"90.0000\""), 18, "rotation=\"9O.0000\"");
  EXPECT_THAT(ipc(text), HasSubstr("rotation = \"9O.0000\" is no number"));
}

TEST(HostileIpc2581, EntitiesAndDepthAreRefused) {
  EXPECT_THAT(ipc("<?xml version=\"1.0\"?><!DOCTYPE b [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b "
                  "\"&a;&a;&a;&a;\">]><IPC-2581>&b;</IPC-2581>"),
              HasSubstr("has a document type or entities"));
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  EXPECT_THAT(ipc(deep), HasSubstr("nested deeper than 64"));
}

TEST(HostileIpc2581, EveryTruncationIsRefused) {
  const std::string whole = testing::to_ipc2581({});
  ASSERT_EQ(ipc(whole), "accepted");
  for (std::size_t n = 0; n + 12 < whole.size(); n += 101)
    EXPECT_THAT(ipc(whole.substr(0, n)), HasSubstr("b.xml")) << n;
}

/// An entry of an archive: a file, or a link to `to`.
struct Entry {
  std::string path, bytes, to = "";
};

std::string archive_of(const std::vector<Entry>& entries) {
  std::string out(64 << 20, '\0');
  std::size_t used = 0;
  archive* a = ::archive_write_new();
  ::archive_write_add_filter_gzip(a);
  ::archive_write_set_format_ustar(a);
  ::archive_write_set_bytes_in_last_block(a, 1);
  ::archive_write_open_memory(a, out.data(), out.size(), &used);
  for (const Entry& e : entries) {
    archive_entry* entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, e.path.c_str());
    ::archive_entry_set_perm(entry, 0644);
    ::archive_entry_set_filetype(entry, e.to.empty() ? AE_IFREG : AE_IFLNK);
    if (!e.to.empty()) ::archive_entry_set_symlink(entry, e.to.c_str());
    ::archive_entry_set_size(entry, static_cast<la_int64_t>(e.bytes.size()));
    ::archive_write_header(a, entry);
    ::archive_write_data(a, e.bytes.data(), e.bytes.size());
    ::archive_entry_free(entry);
  }
  ::archive_write_close(a);
  ::archive_write_free(a);
  out.resize(used);
  return out;
}

std::vector<Entry> job() {
  std::vector<Entry> entries;
  for (const auto& [path, text] : testing::to_odb({}, testing::OdbWriter::valor))
    entries.push_back({"my_job/" + path, text});
  return entries;
}
std::string odb(const std::vector<Entry>& entries, const OdbLimits& limits = {}) {
  const std::string bytes = archive_of(entries);
  return refusal([&] { read_odb(odb_files_from_bytes(bytes, "job.tgz", limits), "job.tgz"); });
}

TEST(HostileOdb, AJobInAnArchiveIsRead) {
  EXPECT_EQ(odb(job()), "accepted");
  std::vector<Entry> entries = job();
  EXPECT_EQ(read_odb(odb_files_from_bytes(archive_of(entries), "j"), "j").components.size(),
            testing::TrueBoard().parts.size());
}

TEST(HostileOdb, ArchivesThatEscapeAreRefused) {
  for (const Entry& bad :
       {Entry{"../../etc/passwd", "x"}, Entry{"my_job/../../x", "x"}, Entry{"/etc/steps/pcb/profile", "x"}}) {
    std::vector<Entry> entries = job();
    entries.push_back(bad);
    EXPECT_THAT(odb(entries), HasSubstr("leaves the archive")) << bad.path;
  }
  std::vector<Entry> entries = job();
  entries.push_back({"my_job/steps/pcb/eda/data", "", "/etc/passwd"});
  EXPECT_THAT(odb(entries), HasSubstr("is a link or a device"));
}

TEST(HostileOdb, ArchivesThatExplodeAreRefused) {
  std::vector<Entry> entries = job();
  entries.push_back({"my_job/steps/pcb/layers/top/features", std::string(40 << 20, '\n')});
  EXPECT_THAT(odb(entries), HasSubstr("unpacks to more than 200 times its size"));
  entries.back().path = "my_job/unread/by/anybody";  // counts all the same
  EXPECT_THAT(odb(entries), HasSubstr("unpacks to more than 200 times its size"));
  OdbLimits few;
  few.files = 3;
  EXPECT_THAT(odb(job(), few), HasSubstr("more than 3 files"));
  OdbLimits small;
  small.bytes = 100;
  EXPECT_THAT(odb(job(), small), HasSubstr("unpacks to more than 100 bytes"));
}

TEST(HostileOdb, DamagedJobsAreRefusedWithFileAndLine) {
  EXPECT_THAT(refusal([] { odb_files_from_bytes("\x1f\x8bgarbage", "j.tgz"); }), HasSubstr("j.tgz: is"));
  const std::string whole = archive_of(job());
  for (std::size_t n = 0; n + 20 < whole.size(); n += 37)
    EXPECT_NE(refusal([&] { read_odb(odb_files_from_bytes(whole.substr(0, n), "j.tgz"), "j.tgz"); }),
              "accepted")
        << n;
  auto files = testing::to_odb({}, testing::OdbWriter::valor);
  const auto read = [&] { return refusal([&] { read_odb(files, "j"); }); };
  std::string& components = files["steps/pcb/layers/comp_+_top/components"];
  const std::string good = components;
  components.replace(components.find("CMP 0 110"), 9, "CMP 9 110");
  EXPECT_THAT(
      read(),
      HasSubstr("j/steps/pcb/layers/comp_+_top/components:5: package 9 is none of the 1 in eda/data"));
  components = good;
  components.replace(components.find("CMP 0 110"), 9, "CMP 0 1i0");
  EXPECT_THAT(read(), HasSubstr("is no number"));
  components = good;
  files.erase("steps/pcb/profile");
  EXPECT_THAT(read(), HasSubstr("the board's outline"));
}

std::string centroid(const std::string& text, CentroidOptions options = {},
                     const std::string& name = "b.csv") {
  return refusal([&] { read_centroid(text, name, options); });
}

TEST(HostileCentroid, NamesLineAndColumn) {
  const std::string head = "Ref,Val,Package,PosX,PosY,Rot,Side\n";
  CentroidOptions mm;
  mm.unit = "mm";
  EXPECT_EQ(centroid(head + "R1,1k,R_0603,1,2,90,top\n", mm), "accepted");
  EXPECT_THAT(centroid(head + "R1,1k,R_0603,1,2,90,top\n"), HasSubstr("b.csv:2: x: its unit cannot be told"));
  EXPECT_THAT(centroid(head + "R1,1k,R_0603,1,2,90\n", mm),
              HasSubstr("b.csv:2: 6 fields, and the header has 7"));
  EXPECT_THAT(centroid(head + "R1,1k,R_0603,one,2,90,top\n", mm),
              HasSubstr("b.csv:2: x: 'one' is no number"));
  EXPECT_THAT(centroid(head + "R1,1k,R_0603,1,2,90,left\n", mm), HasSubstr("'left' is no side"));
  EXPECT_THAT(centroid(head + "R1,1k,R_0603,1,2,900,top\n", mm), HasSubstr("is no angle"));
  EXPECT_THAT(centroid(head + "1E3,1k,R_0603,1,2,90,top\n", mm), HasSubstr("a spreadsheet has changed it"));
  EXPECT_THAT(centroid(head + "\"R1,R2\",1k,R_0603,1,2,90,top\n", mm), HasSubstr("several references"));
  EXPECT_THAT(centroid(head + "R1,1k,A,1,2,90,top\nR2,1k,A,1,2,90,top\nR1,1k,A,1,2,90,top\n", mm),
              HasSubstr("b.csv:4: reference: 'R1' stands in line 2 too"));
  EXPECT_THAT(centroid("a,b,c\n1,2,3\n"), HasSubstr("no line names the columns"));
  EXPECT_THAT(centroid("Designator,X,Y,Rotation,Layer\nR1,1,2,3,T\n"),
              HasSubstr("no known dialect; --dialect"));
  EXPECT_THAT(centroid(head), HasSubstr("has no rows"));
}

TEST(HostileCentroid, EncodingsAreFoundOrDeclared) {
  const std::string table =
      "Ref;Val;Package;PosX;PosY;Rot;Side\nR1;10\xB5;R;1,5;2,25;90;top\n";  // a decimal comma beside ';'
  CentroidOptions options;
  options.unit = "mm";
  EXPECT_THAT(centroid(table, options), HasSubstr("byte 40 is not UTF-8; name the file's encoding"));
  options.encoding = "latin-1";
  const Design d = read_centroid(table, "b.csv", options);
  EXPECT_EQ(d.components[0].value, "10\xC2\xB5");
  EXPECT_EQ(d.components[0].origin, Point(1.5, 2.25));
  std::string wide = "\xFF\xFE";
  for (const char c : std::string("Ref\tVal\tPackage\tPosX\tPosY\tRot\tSide\r\nR1\t1k\tR\t1\t2\t90\ttop\r\n"))
    wide += {c, '\0'};
  options.encoding.clear();
  EXPECT_EQ(read_centroid(wide, "b.csv", options).components[0].reference, "R1");
  EXPECT_THAT(centroid(wide.substr(2), options), HasSubstr("byte 1 is 0"));
}

TEST(HostileDesign, TheContentTellsTheFormat) {
  const testing::FreshFolder folder;
  EXPECT_EQ(load_design(folder.write("x.bin", testing::to_kicad({}))).design.format, "KiCad 20211014");
  EXPECT_EQ(load_design(folder.write("y.bin", testing::to_ipc2581({}))).design.format, "IPC-2581 C");
  EXPECT_EQ(load_design(folder.write("z.bin", archive_of(job()))).design.format, "ODB++");
  EXPECT_EQ(load_design(folder.write("p.bin", testing::to_pos({}))).design.format,
            "centroid file, dialect kicad");
  for (const auto& [path, text] : testing::to_odb({}, testing::OdbWriter::valor)) {
    std::filesystem::create_directories((folder / "job" / path).parent_path());
    folder.write(("job/" + path).c_str(), text);
  }
  EXPECT_EQ(load_design(folder / "job").design.components.size(), 8u);
  EXPECT_THAT(refusal([&] { load_design(folder / "absent"); }), HasSubstr("No such file"));
  EXPECT_THAT(refusal([&] { load_design(folder.write("e", "")); }), HasSubstr("is empty"));
}

}  // namespace
}  // namespace datum::hostile_design_test
