#include "daemon/design/centroid_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "daemon/design/text_decoding.h"

namespace datum::design::centroid {
namespace {

constexpr std::size_t most_rows = 200'000;

std::string upper(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

bool ends_with_any(const std::string& name, std::initializer_list<const char*> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](const char* end) { return upper(name).ends_with(end); });
}

struct Lines {
  std::vector<std::string_view> all;
  Lines(const std::string& text, const std::string& name) {
    constexpr std::size_t most_lines = 2 * most_rows;  // with a preamble and empty ones
    for (std::size_t at = 0; at < text.size();) {
      if (all.size() == most_lines)
        throw DesignError(
            fmt::format("{}: more than {} lines; no centroid file has as many", name, most_lines));
      std::size_t end = text.find_first_of("\r\n", at);
      if (end == text.npos) end = text.size();
      all.push_back(std::string_view(text).substr(at, end - at));
      at = end + (end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n' ? 2 : 1);
    }
  }
};

/// "CENTER-X(MM)" -> name CENTER-X and unit mm.
std::pair<std::string, std::string> name_and_unit(const std::string& header) {
  const std::string name = upper(header);
  for (const auto& [end, unit] :
       {std::pair{"(MM)", "mm"}, std::pair{"(MIL)", "mil"}, std::pair{"(MILS)", "mil"},
        std::pair{"(INCH)", "inch"}, std::pair{"(IN)", "inch"}})
    if (name.ends_with(end)) {
      std::string short_name = name.substr(0, name.size() - std::string(end).size());
      short_name.erase(short_name.find_last_not_of(" -") + 1);
      return {short_name, unit};
    }
  return {name, ""};
}

std::optional<Column> column_of(const std::string& name) {
  static const std::map<std::string, Column> known{{"DESIGNATOR", reference},
                                                   {"REF", reference},
                                                   {"REFDES", reference},
                                                   {"REFERENCE", reference},
                                                   {"PART", reference},
                                                   {"VAL", value},
                                                   {"VALUE", value},
                                                   {"COMMENT", value},
                                                   {"COMP_VALUE", value},
                                                   {"PACKAGE", package},
                                                   {"FOOTPRINT", package},
                                                   {"PATTERN", package},
                                                   {"COMP_PACKAGE", package},
                                                   {"NAME", package},
                                                   {"MID X", x},
                                                   {"CENTER-X", x},
                                                   {"POSX", x},
                                                   {"X", x},
                                                   {"POSITION X", x},
                                                   {"SYM_X", x},
                                                   {"MID Y", y},
                                                   {"CENTER-Y", y},
                                                   {"POSY", y},
                                                   {"Y", y},
                                                   {"POSITION Y", y},
                                                   {"SYM_Y", y},
                                                   {"ROTATION", rotation},
                                                   {"ROT", rotation},
                                                   {"ROTATE", rotation},
                                                   {"ANGLE", rotation},
                                                   {"SYM_ROTATE", rotation},
                                                   {"LAYER", side},
                                                   {"SIDE", side},
                                                   {"TB", side},
                                                   {"SYM_MIRROR", side},
                                                   {"PAD X", pad_x},
                                                   {"PAD Y", pad_y},
                                                   {"TYPE", kind}};
  const auto found = known.find(name);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

/// The header's place of each column; -1: none.
struct Header {
  std::array<int, columns> at;
  std::vector<std::string> names;
  std::string unit;
  Header() { at.fill(-1); }
  bool has(std::initializer_list<const char*> wanted) const {
    return std::all_of(wanted.begin(), wanted.end(), [&](const char* w) {
      return std::find(names.begin(), names.end(), w) != names.end();
    });
  }
};

Header header_of(const std::vector<std::string>& fields) {
  Header h;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto [name, unit] = name_and_unit(fields[i]);
    h.names.push_back(name);
    const auto column = column_of(name);
    if (!column || h.at[*column] >= 0) continue;
    h.at[*column] = static_cast<int>(i);
    if (*column == x || *column == y) h.unit = unit;
  }
  return h;
}

/// All dialects whose columns these are.
std::vector<Dialect> dialects_of(const Header& h) {
  std::vector<Dialect> found;
  if (h.has({"REF", "VAL", "PACKAGE", "POSX", "POSY", "ROT", "SIDE"})) found.push_back(Dialect::kicad);
  if (h.has({"DESIGNATOR", "LAYER", "ROTATION"}) &&
      (h.has({"MID X", "PAD X"}) || h.has({"CENTER-X", "FOOTPRINT"})))
    found.push_back(Dialect::altium);
  if (h.has({"DESIGNATOR", "MID X", "MID Y", "ROTATION", "LAYER"}) && !h.has({"PAD X"}))
    found.push_back(Dialect::jlc);
  if (h.has({"DESIGNATOR", "POSITION X", "POSITION Y", "ROTATION", "SIDE"}))
    found.push_back(Dialect::librepcb);
  if (h.has({"REFDES", "NAME", "X", "Y", "SIDE", "ROTATE"})) found.push_back(Dialect::diptrace);
  if (h.has({"SYM_X", "SYM_Y", "SYM_ROTATE", "SYM_MIRROR"})) found.push_back(Dialect::allegro);
  return found;
}

class TableReader {
 public:
  TableReader(const std::string& text, const std::string& name, const CentroidOptions& options)
      : lines_(text, name), name_(name), o_(options) {}

  Table take() {
    table_.side = o_.side;
    if (!o_.dialect.empty()) declared_ = declared();
    if (is_kicad_ascii())
      read_kicad_ascii();
    else if (is_allegro())
      read_allegro();
    else if (declared_ == Dialect::eagle || ends_with_any(name_, {".MNT", ".MNB"}))
      read_eagle();
    else
      read_separated();
    if (declared_ && *declared_ != table_.dialect) table_.dialect = *declared_;
    if (!o_.unit.empty()) {
      if (!table_.unit.empty() && table_.unit != o_.unit)
        refuse(1, fmt::format("states {}, and --unit says {}", table_.unit, o_.unit));
      table_.unit = o_.unit;
    }
    if (table_.rows.empty()) refuse(static_cast<int>(lines_.all.size()), "the table has no rows");
    return std::move(table_);
  }

 private:
  [[noreturn]] void refuse(int line, const std::string& what) const {
    throw DesignError(fmt::format("{}:{}: {}", name_, line, what));
  }

  Dialect declared() const {
    for (const Dialect d : {Dialect::kicad, Dialect::altium, Dialect::eagle, Dialect::allegro, Dialect::jlc,
                            Dialect::librepcb, Dialect::diptrace})
      if (o_.dialect == name_of(d)) return d;
    throw DesignError(fmt::format(
        "'{}' is no dialect; kicad, altium, eagle, allegro, jlc, librepcb and diptrace are", o_.dialect));
  }

  bool is_kicad_ascii() const {
    for (std::size_t i = 0; i < std::min<std::size_t>(8, lines_.all.size()); ++i)
      if (lines_.all[i].starts_with("## Unit") || lines_.all[i].starts_with("### Module positions") ||
          lines_.all[i].starts_with("### Footprint positions"))
        return true;
    return false;
  }
  bool is_allegro() const {
    for (std::size_t i = 0; i < std::min<std::size_t>(20, lines_.all.size()); ++i)
      if (upper(lines_.all[i]).find("UUNITS") != std::string::npos) return true;
    return false;
  }

  Row& add_row(std::size_t index) {
    if (table_.rows.size() >= most_rows)
      refuse(static_cast<int>(index) + 1, fmt::format("more than {} rows", most_rows));
    table_.rows.push_back({});
    table_.rows.back().line = static_cast<int>(index) + 1;
    return table_.rows.back();
  }
  void set(Row& row, std::initializer_list<std::pair<Column, std::string>> fields) {
    for (const auto& [column, text] : fields) {
      row.fields[column] = text;
      table_.has[column] = true;
    }
  }

  void read_kicad_ascii() {
    table_.dialect = Dialect::kicad;
    for (std::size_t i = 0; i < lines_.all.size(); ++i) {
      const std::string_view line = lines_.all[i];
      if (line.starts_with("## Unit")) table_.unit = line.find("inch") != line.npos ? "inch" : "mm";
      if (line.empty() || line[0] == '#') continue;
      const auto f = split_fields(line, ' ');
      if (f.size() != 7)
        refuse(static_cast<int>(i) + 1,
               fmt::format("{} columns; Ref Val Package PosX PosY Rot Side are 7", f.size()));
      set(add_row(i), {{reference, f[0]},
                       {value, f[1]},
                       {package, f[2]},
                       {x, f[3]},
                       {y, f[4]},
                       {rotation, f[5]},
                       {side, f[6]}});
    }
  }

  void read_allegro() {
    table_.dialect = Dialect::allegro;
    for (std::size_t i = 0; i < lines_.all.size(); ++i) {
      const std::string_view line = lines_.all[i];
      const std::string words = upper(line);
      if (const auto at = words.find("UUNITS"); at != std::string::npos) {
        for (const auto& [word, unit] : {std::pair{"MILLIMETER", "mm"}, std::pair{"MICRON", "um"},
                                         std::pair{"MILS", "mil"}, std::pair{"INCH", "inch"}})
          if (words.find(word, at) != std::string::npos) table_.unit = unit;
        continue;
      }
      if (line.empty() || line[0] == '#' || line.find('!') == line.npos) continue;
      const auto f = split_fields(line, '!');
      if (f.size() < 6)
        refuse(static_cast<int>(i) + 1,
               fmt::format("{} columns; refdes ! x ! y ! rotation ! mirror ! symbol are 6", f.size()));
      set(add_row(i), {{reference, f[0]},
                       {x, f[1]},
                       {y, f[2]},
                       {rotation, f[3]},
                       {side, f[4].empty() ? "top" : "bottom"},
                       {package, f[5]}});
    }
  }

  /// The value may hold blanks: the first four fields and the last one are certain.
  void read_eagle() {
    table_.dialect = Dialect::eagle;
    table_.unit = "mm";
    if (ends_with_any(name_, {".MNB"})) table_.side = Side::bottom;
    if (ends_with_any(name_, {".MNT"})) table_.side = Side::top;
    for (std::size_t i = 0; i < lines_.all.size(); ++i) {
      const auto f = split_fields(lines_.all[i], ' ');
      if (f.empty()) continue;
      if (f.size() < 5) refuse(static_cast<int>(i) + 1, "name x y angle value package are needed");
      std::string words;
      for (std::size_t k = 4; k + 1 < f.size(); ++k) words += (words.empty() ? "" : " ") + f[k];
      set(add_row(i),
          {{reference, f[0]}, {x, f[1]}, {y, f[2]}, {rotation, f[3]}, {value, words}, {package, f.back()}});
    }
  }

  void read_separated() {
    Header header;
    std::size_t at = 0;
    char separator = ',';
    bool found = false;
    for (; at < std::min<std::size_t>(40, lines_.all.size()) && !found; ++at) {
      read_preamble(lines_.all[at]);
      for (const char s : {',', ';', '\t', '|'}) {
        Header h = header_of(split_fields(lines_.all[at], s));
        if (h.at[reference] < 0 || h.at[x] < 0 || h.at[y] < 0) continue;
        header = std::move(h);
        separator = s;
        found = true;
        break;
      }
    }
    if (!found)
      refuse(1,
             "no line names the columns of reference, x and y; name the dialect with --dialect, or write a "
             "header line");
    choose_dialect(header, static_cast<int>(at));
    if (!header.unit.empty()) table_.unit = header.unit;
    table_.decimal_comma = separator != ',';
    for (; at < lines_.all.size(); ++at) {
      const auto f = split_fields(lines_.all[at], separator);
      if (std::all_of(f.begin(), f.end(), [](const std::string& s) { return s.empty(); })) continue;
      if (f.size() != header.names.size())
        refuse(static_cast<int>(at) + 1,
               fmt::format("{} fields, and the header has {}", f.size(), header.names.size()));
      Row& row = add_row(at);
      for (std::size_t c = 0; c < columns; ++c)
        if (header.at[c] >= 0) row.fields[c] = f[static_cast<std::size_t>(header.at[c])];
    }
    for (std::size_t c = 0; c < columns; ++c) table_.has[c] = header.at[c] >= 0;
  }

  void read_preamble(std::string_view line) {
    const std::string words = upper(line);
    for (const char* start : {"UNITS USED:", "# UNIT:"})
      if (const auto at = words.find(start); at != std::string::npos)
        for (const auto& [word, unit] :
             {std::pair{" MM", "mm"}, std::pair{" MIL", "mil"}, std::pair{" INCH", "inch"}})
          if (words.find(word, at) != std::string::npos) table_.unit = unit;
  }

  void choose_dialect(const Header& header, int line) {
    const std::vector<Dialect> found = dialects_of(header);
    if (declared_) {
      table_.dialect = *declared_;
      return;
    }
    if (found.size() == 1) {
      table_.dialect = found[0];
      return;
    }
    std::string names;
    for (const Dialect d : found) names += std::string(names.empty() ? "" : ", ") + name_of(d);
    refuse(
        line,
        (found.empty() ? "these are the columns of no known dialect" : "these are the columns of " + names) +
            "; --dialect says whose they are: kicad, altium, eagle, allegro, jlc, librepcb or diptrace");
  }

  Lines lines_;
  const std::string& name_;
  const CentroidOptions& o_;
  std::optional<Dialect> declared_;
  Table table_;
};

}  // namespace

const char* name_of(Dialect d) {
  switch (d) {
    case Dialect::kicad:
      return "kicad";
    case Dialect::altium:
      return "altium";
    case Dialect::eagle:
      return "eagle";
    case Dialect::allegro:
      return "allegro";
    case Dialect::jlc:
      return "jlc";
    case Dialect::librepcb:
      return "librepcb";
    case Dialect::diptrace:
      return "diptrace";
  }
  return "?";
}

Table read_table(const std::string& text, const std::string& name, const CentroidOptions& options) {
  return TableReader(text, name, options).take();
}

}  // namespace datum::design::centroid
