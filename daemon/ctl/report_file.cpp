#include "daemon/ctl/report_file.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <vector>

#include "daemon/ctl/run_program.h"
#include "daemon/pictures/part_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// A folder that goes with its content.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "datumctl-report-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error(name + ": can't be made");
    path = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  fs::path path;
};

void write_whole(const fs::path& file, const std::string& text) {
  PartFile out(file);
  out.write(text);
  out.finish();
}

/// The page has no script, and its policy lets it load nothing.
std::string printed(const std::string& document) {
  const ScratchFolder folder;
  const fs::path page = folder.path / "page.html", pdf = folder.path / "page.pdf";
  write_whole(page, document);
  std::string tried;
  for (const char* browser : {"chromium-headless-shell", "chromium"}) {
    std::vector<std::string> command{browser,
                                     "--headless",
                                     "--disable-gpu",
                                     "--no-pdf-header-footer",
                                     "--user-data-dir=" + (folder.path / "profile").string(),
                                     "--print-to-pdf=" + pdf.string(),
                                     "file://" + page.string()};
    if (::geteuid() == 0)
      command.insert(command.begin() + 1, "--no-sandbox");  // Chromium refuses root otherwise
    const ProgramOutput output = run_program(command, {120'000, 1 << 16});
    if (!output.started) continue;
    std::ifstream in(pdf, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (output.status == 0 && bytes.starts_with("%PDF-")) return bytes;
    tried = fmt::format("{} printed no PDF: {}{}", browser, output.shortcoming(), output.text);
  }
  if (!tried.empty()) throw std::runtime_error(tried);
  throw std::runtime_error(
      "a PDF is printed by Chromium, which is not installed (Debian package chromium); give a name that ends "
      "in .html and print it with any browser");
}

}  // namespace

void write_report(const fs::path& file, const std::string& document) {
  if (file.extension() == ".html") return write_whole(file, document);
  if (file.extension() == ".pdf") return write_whole(file, printed(document));
  throw std::invalid_argument(fmt::format("'{}': give a name that ends in .html or .pdf", file.string()));
}

}  // namespace datum
