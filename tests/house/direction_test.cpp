// Who includes whom, computed: the graph of folders that the includes draw has no cycle, at the first level and at the second,
// and no folder of the first level includes one above it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace direction_test {
namespace {

const fs::path root = DATUM_SOURCE_DIR;
/// From the bottom up.
const std::vector<std::string> order{"config", "gpu", "drivers", "calib", "daemon", "tests"};

using Sources = std::map<std::string, std::string>;  // text by path from the root

Sources sources_of_the_tree() {
  Sources found;
  for (const std::string& folder : order) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string kind = entry.path().extension();
      if (!entry.is_regular_file() || (kind != ".h" && kind != ".cpp" && kind != ".cu" && kind != ".cuh"))
        continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      found[fs::relative(entry.path(), root)] = text.str();
    }
  }
  return found;
}

/// Of a file: the first `levels` names of its path, without its own.
std::string folder_of(const std::string& file, int levels) {
  std::size_t end = 0;
  for (int i = 0; i < levels; ++i) {
    const std::size_t next = file.find('/', end + (i > 0));
    if (next == std::string::npos) break;
    end = next;
  }
  return file.substr(0, end);
}

struct Include {
  std::string from, to;  // files
};
using Graph = std::map<std::string, std::map<std::string, std::vector<Include>>>;  // folder -> folder -> why

Graph graph_of(const Sources& sources, int levels) {
  static const std::regex include(R"re((^|\n)[ \t]*#[ \t]*include[ \t]*"([^"]+)")re");
  Graph graph;
  for (const auto& [file, text] : sources) {
    for (std::sregex_iterator i(text.begin(), text.end(), include), end; i != end; ++i) {
      const std::string beside = (fs::path(file).parent_path() / (*i)[2].str()).lexically_normal();
      const std::string to = sources.contains((*i)[2]) ? (*i)[2].str() : beside;
      if (!sources.contains(to)) continue;  // made by the build
      const std::string a = folder_of(file, levels), b = folder_of(to, levels);
      if (a != b) graph[a][b].push_back({file, to});
    }
  }
  return graph;
}

/// Strongly connected components of more than one folder (Tarjan 1972, SIAM J. Comput. 1, 146).
class Cycles {
 public:
  explicit Cycles(const Graph& graph) : graph_(graph) {
    for (const auto& [folder, ignored] : graph)
      if (!index_.contains(folder)) visit(folder);
  }
  const std::vector<std::set<std::string>>& found() const { return found_; }

 private:
  void visit(const std::string& folder) {
    index_[folder] = low_[folder] = static_cast<int>(index_.size());
    path_.push_back(folder);
    if (const auto edges = graph_.find(folder); edges != graph_.end()) {
      for (const auto& [to, ignored] : edges->second) {
        if (!index_.contains(to)) {
          visit(to);
          low_[folder] = std::min(low_[folder], low_[to]);
        } else if (std::find(path_.begin(), path_.end(), to) != path_.end()) {
          low_[folder] = std::min(low_[folder], index_[to]);
        }
      }
    }
    if (low_[folder] != index_[folder]) return;
    const auto begin = std::find(path_.begin(), path_.end(), folder);
    if (path_.end() - begin > 1) found_.emplace_back(begin, path_.end());
    path_.erase(begin, path_.end());
  }

  const Graph& graph_;
  std::map<std::string, int> index_, low_;
  std::vector<std::string> path_;
  std::vector<std::set<std::string>> found_;
};

/// One line an edge inside a cycle: the folders, and one include that draws it.
std::vector<std::string> edges_of_cycles(const Sources& sources, int levels) {
  const Graph graph = graph_of(sources, levels);
  std::vector<std::string> lines;
  for (const auto& cycle : Cycles(graph).found())
    for (const std::string& from : cycle)
      for (const auto& [to, includes] : graph.at(from))
        if (cycle.contains(to))
          lines.push_back(from + " -> " + to + ": " + includes.front().from + " includes " +
                          includes.front().to);
  return lines;
}

std::vector<std::string> upward_includes(const Sources& sources) {
  const auto level = [](const std::string& folder) {
    return std::find(order.begin(), order.end(), folder) - order.begin();
  };
  std::vector<std::string> lines;
  for (const auto& [from, edges] : graph_of(sources, 1))
    for (const auto& [to, includes] : edges)
      for (const Include& include : includes)
        if (level(to) > level(from)) lines.push_back(include.from + " includes " + include.to);
  return lines;
}

}  // namespace

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Direction, FoldersDrawNoCycle) {
  const Sources sources = sources_of_the_tree();
  ASSERT_GT(sources.size(), 1000u);
  EXPECT_THAT(edges_of_cycles(sources, 1), IsEmpty());
  EXPECT_THAT(edges_of_cycles(sources, 2), IsEmpty());
}

TEST(Direction, FoldersIncludeWhatLiesBelow) {
  EXPECT_THAT(upward_includes(sources_of_the_tree()), IsEmpty());
}

/// The edge that closes a circle through three folders, at each level, in the tree as it is.
TEST(Direction, APlantedEdgeIsNamed) {
  Sources sources = sources_of_the_tree();
  sources["daemon/store/result_store.h"] += "#include \"daemon/cell/cell.h\"\n";
  const auto lines = edges_of_cycles(sources, 2);
  EXPECT_THAT(lines, ::testing::Contains("daemon/store -> daemon/cell: daemon/store/result_store.h includes "
                                         "daemon/cell/cell.h"));
  EXPECT_THAT(edges_of_cycles(sources, 1), IsEmpty()) << "both lie in daemon";
  sources["gpu/core/height_map.h"] += "#include \"daemon/cell/cell.h\"\n";
  EXPECT_THAT(edges_of_cycles(sources, 1),
              ::testing::Contains("gpu -> daemon: gpu/core/height_map.h includes daemon/cell/cell.h"));
  EXPECT_THAT(upward_includes(sources), ElementsAre("gpu/core/height_map.h includes daemon/cell/cell.h"));
}

TEST(Direction, AFileBesideAndACircleOfTwoAreSeen) {
  const Sources sources{{"daemon/a/x.h", "#include \"../b/y.h\"\n"},
                        {"daemon/b/y.h", "#include \"daemon/a/x.h\"\n"},
                        {"daemon/c/z.h", "  #  include \"daemon/a/x.h\"\n"}};
  EXPECT_THAT(edges_of_cycles(sources, 2),
              ElementsAre("daemon/a -> daemon/b: daemon/a/x.h includes daemon/b/y.h",
                          "daemon/b -> daemon/a: daemon/b/y.h includes daemon/a/x.h"));
}

/// Beside the folder's own subfolders, which its CMakeLists.txt may build.
TEST(Direction, SourcesAreCompiledByTheFolderTheyLieIn) {
  static const std::regex elsewhere(R"((\.\./|CMAKE_SOURCE_DIR\}/)[\w/.-]*\.(cpp|cu)\b)");
  for (const std::string& folder : order) {
    if (folder == "tests") continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().filename() != "CMakeLists.txt") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      const std::string lists = text.str();
      for (std::sregex_iterator hit(lists.begin(), lists.end(), elsewhere), end; hit != end; ++hit)
        if (!hit->str().ends_with(
                "_absent.cpp"))  // in place of CUDA sources, in a program that must not have them
          ADD_FAILURE() << entry.path() << ": " << hit->str();
    }
  }
}

}  // namespace direction_test
