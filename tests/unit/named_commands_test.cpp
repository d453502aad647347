// Every command line that a message, a help text or the documentation names, given to the real programs: none of them may name a
// command or an option that does not exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lib/process/child.hpp"
#include "tests/unit/named_texts.hpp"

namespace gleaner {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 15> kPrograms{"gridsub", "gridstat",     "gridevents", "griddel",    "gridwait",
                                                     "gridget", "gridclusters", "gridclean",  "gridusage",  "gridctl",
                                                     "gridsim", "gridlocal",    "almighty",   "gridnotify", "gridtoken"};

/// A command line that a text names, its program first.
struct Named {
  Words words;
  std::string where;
};

std::string root() {
  const char* folder = std::getenv("GLEANER_SOURCE_DIR");
  return folder != nullptr ? folder : ".";
}

std::string text_of(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

// ------------------------------------------------------------------ from a text to command lines

bool is_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '-' || letter == '/' || letter == '.';
}
bool is_lower_word(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char letter) { return std::islower(letter) != 0 || letter == '-'; }) &&
         word[0] != '-';
}
/// ID, {}, [CLUSTER], 3,4: what stands for an argument.
bool is_placeholder(std::string_view word) {
  return !word.empty() && std::ranges::none_of(word, [](unsigned char letter) { return std::islower(letter); }) && word[0] != '-' &&
         std::isupper(static_cast<unsigned char>(word[0])) + std::isdigit(static_cast<unsigned char>(word[0])) + (word[0] == '{') +
                 (word[0] == '[') >
             0;
}

/// By blanks; the brackets around an option that may be left out are left out themselves.
Words split(std::string_view text) {
  Words words;
  for (bool in_brackets = false;;) {
    const auto begin = text.find_first_not_of(" \n");
    if (begin == std::string_view::npos) return words;
    const auto end = std::min(text.find_first_of(" \n", begin), text.size());
    auto word = text.substr(begin, end - begin);
    text.remove_prefix(end);
    in_brackets = in_brackets || word.starts_with("[-");
    if (word.starts_with("[-")) word.remove_prefix(1);
    if (in_brackets && word.ends_with(']')) {
      word.remove_suffix(1);
      in_brackets = false;
    }
    words.emplace_back(word);
  }
}

/// The commands of gridctl, by their words, with what their arguments are called.
using Commands = std::map<Words, Words>;

/// As many words of a sentence as belong to the command line that begins with a program's name.
Words words_of_sentence(const Words& sentence, const Commands& commands) {
  Words words{sentence.front()};
  for (std::size_t i = 1; i < sentence.size(); ++i) {
    auto word = sentence[i];
    const auto last = word.find_last_not_of(",.;:)`");
    const bool ends = last + 1 != word.size();
    word.resize(last == std::string::npos ? 0 : last + 1);
    const bool of_gridctl = words[0] == "gridctl" && is_lower_word(word) && words.size() <= 2 &&
                            (words.size() == 1 || std::ranges::any_of(commands, [&](const auto& command) {
                               return command.first.size() == 2 && command.first[0] == words[1] && command.first[1] == word;
                             }));
    if (!of_gridctl && !word.starts_with('-') && !is_placeholder(word)) break;
    words.push_back(word);
    if (ends) break;
  }
  return words;
}

/// Characters of a command line in a sentence, at most.
constexpr std::size_t kLongest = 1000;

/// The commands that a text names: between quotes to the closing one, else as far as the words look like it.
std::vector<Named> named_in(const std::string& text, const std::string& where, const Commands& commands) {
  std::vector<Named> all;
  for (const auto program : kPrograms) {
    for (auto at = text.find(program); at != std::string::npos; at = text.find(program, at + 1)) {
      const auto end = at + program.size();
      if ((at > 0 && is_letter(text[at - 1])) || end >= text.size() || text[end] != ' ') continue;
      const char quote = at > 0 ? text[at - 1] : ' ';
      const bool is_quoted = (quote == '\'' || quote == '`') && text.find(quote, end) != std::string::npos;
      const auto part = text.substr(at, is_quoted ? text.find(quote, end) - at : kLongest);
      auto words = is_quoted ? split(part) : words_of_sentence(split(part), commands);
      if (words.size() > 1 && !words[1].starts_with('{'))
        all.push_back({std::move(words), fmt::format("{}: {}", where, part.substr(0, 80))});
    }
  }
  return all;
}

std::vector<fs::path> files_below(const std::vector<std::string_view>& folders, const std::set<std::string>& extensions) {
  std::vector<fs::path> files;
  for (const auto folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator{fs::path{root()} / folder}) {
      if (entry.is_regular_file() && extensions.contains(entry.path().extension())) files.push_back(entry.path());
    }
  }
  return files;
}

std::vector<Named> named_everywhere(const Commands& commands) {
  std::vector<Named> all;
  const auto add = [&](const Words& texts, const fs::path& path) {
    for (const auto& text : texts)
      std::ranges::move(named_in(text, fs::relative(path, root()).string(), commands), std::back_inserter(all));
  };
  for (const auto& path : files_below(
           {"almighty", "api", "clients", "lib", "metascheduler", "nikita", "predictor", "runner", "sim", "updator"}, {".cpp", ".hpp"}))
    add(literals_of(text_of(path)), path);
  auto documents = files_below({"docs", "examples"}, {".md"});
  // This document holds commands that nobody should type; `system.session` runs it.
  std::erase_if(documents, [](const std::string& document) { return document.ends_with("/careless.md"); });
  documents.emplace_back(root() + "/README.md");
  documents.emplace_back(root() + "/ARCHITECTURE.md");
  for (const auto& path : documents) {
    add(code_of(text_of(path)), path);
    for (const auto program : kPrograms) add(cells_of(text_of(path), program), path);
  }
  for (const auto* file : {"packaging/gleaner.conf", "api/openapi.json"}) add({text_of(root() + "/" + file)}, root() + "/" + file);
  return all;
}

// ------------------------------------------------------------------ the programs

/// The output of each command line, run once, as many texts name the same one.
const process::Captured& run(const Words& words) {
  static std::map<Words, process::Captured> known;
  if (const auto found = known.find(words); found != known.end()) return found->second;
  const char* folder = std::getenv("GLEANER_BIN_DIR");
  process::Command command{
      .arguments = words,
      .environment = {{"GLEANER_API", "unix:/nonexistent/api.socket"},
                      {"GLEANER_DATABASE", "host=/nonexistent dbname=none"},
                      {"ASAN_OPTIONS", "detect_leaks=0"}}};  // a third of the time; leaks are for the programs' own tests
  command.arguments[0] = fmt::format("{}/{}", folder != nullptr ? folder : "build/bin", words[0]);
  auto captured = process::capture(std::move(command), std::chrono::minutes{10});
  if (!captured) throw std::runtime_error{captured.error()};
  return known.emplace(words, std::move(*captured)).first->second;
}

Commands commands_of_gridctl() {
  Commands commands;
  const auto help = run({"gridctl", "--help"}).output;
  constexpr std::size_t kLeft = 30;
  for (std::size_t begin = help.find('\n', help.find("\nCommands:\n") + 1) + 1; begin < help.size() && help[begin] == ' ';) {
    const auto end = help.find('\n', begin);
    const auto line = help.substr(begin + 2, end - begin - 2);
    begin = end + 1;
    if (line.starts_with(' ')) continue;  // the purpose of a long one
    Words words, arguments;
    for (auto& word : split(line.size() > kLeft && line[kLeft - 1] == ' ' ? line.substr(0, kLeft) : line))
      (is_lower_word(word) ? words : arguments).push_back(std::move(word));
    commands.emplace(std::move(words), std::move(arguments));
  }
  return commands;
}

/// An argument that is right, for what it is called in a usage: `KIND` of `limit set`.
std::string sample_of(std::string_view name) {
  static const std::map<std::string, std::string, std::less<>> kSamples{{"URL", "http://localhost:1/sites/one"},
                                                                        {"PRIORITY", "4"},
                                                                        {"JOB", "3"},
                                                                        {"LAUNCH", "3"},
                                                                        {"LIMIT", "3"},
                                                                        {"EVENT", "3"},
                                                                        {"project|group|user", "user"},
                                                                        {"CAMPAIGN", "3"},
                                                                        {"MOST", "5"},
                                                                        {"SHARES", "5"},
                                                                        {"FILE", "/dev/null"},
                                                                        {"[FILE]", "/dev/null"}};
  if (name == "KIND") return "resource_seconds";
  const auto found = kSamples.find(name);
  return found == kSamples.end() ? "alpha" : found->second;
}

/// The value that a text gives an option, or one that is right where it only names it.
std::string value_of(const std::string& option, const std::string& said) {
  static const std::map<std::string, std::string, std::less<>> kSamples{
      {"--authentication", "none"},           {"--auth", "none"}, {"--secret-file", "/dev/null"}, {"--older-than", "90d"},
      {"--url", "http://localhost:1/oarapi"}, {"--flood", "0.5"}, {"--hours", "08:00-18:00"}};
  if (!is_placeholder(said) && said.find_first_of("|{") == std::string::npos) return said;
  const auto found = kSamples.find(option);
  return found == kSamples.end() ? "3" : found->second;
}

/// The error in a command line of gridctl. It is run on a database that is not there, so that only the command line can be wrong.
std::string wrong_gridctl(const Words& named, const Commands& commands) {
  Words words, arguments, options;
  for (std::size_t i = 1; i < named.size(); ++i) {
    if (named[i].starts_with('-') && named[i] != "-") {
      const auto equals = named[i].find('=');
      options.push_back(named[i].substr(0, equals));
      if (equals != std::string::npos) options.back() += "=" + value_of(options.back(), named[i].substr(equals + 1));
      else if (i + 1 < named.size() && !named[i + 1].starts_with('-')) options.back() += "=" + value_of(options.back(), named[i + 1]), ++i;
    } else if (arguments.empty() && is_lower_word(named[i]) && words.size() < 2 && !commands.contains(words)) {
      words.push_back(named[i]);
    } else {
      arguments.push_back(named[i]);
    }
  }
  if (words.empty()) words = {"limit", "list"};  // an option alone: `--json`
  // `limit set consumable` begins with the words of `limit set`.
  if (auto longer = words; !arguments.empty()) {
    longer.push_back(arguments.front());
    if (commands.contains(longer)) words = std::move(longer), arguments.erase(arguments.begin());
  }
  const auto command = commands.find(words);
  Words line{"gridctl"};
  line.insert(line.end(), words.begin(), words.end());
  if (command != commands.end()) {
    const auto& usage = command->second;
    for (std::size_t i = 0; i < std::max(usage.size(), arguments.size()); ++i) {
      if (i >= usage.size()) line.push_back(arguments[i]);  // one too many
      else if (i < arguments.size() || !usage[i].starts_with('[')) line.push_back(sample_of(usage[i]));
    }
  }
  line.insert(line.end(), options.begin(), options.end());
  auto said = run(line);
  for (const auto& option : options) {
    if (said.output.find(fmt::format("required argument for option '{}'", option)) == std::string::npos) continue;
    std::ranges::replace(line, option, option + "=" + value_of(option, "X"));
    said = run(line);
  }
  return said.end.exit_status == 2 ? fmt::format("{}: {}", fmt::join(line, " "), said.output) : std::string{};
}

/// The same of another program, which is asked for its help besides: only the names of its options can be wrong.
std::string wrong_options(const Words& named) {
  Words line{named[0], "--help"};
  for (const auto& word : named) {
    if (word.starts_with("--{") || (!word.starts_with('-') && (line.size() == 2 || !line.back().starts_with('-'))))
      continue;  // positional, or any option
    line.push_back(word.substr(0, word.find('[')));
  }
  auto said = run(line);
  if (said.output.find("required argument for option") != std::string::npos) {
    line.emplace_back("3");
    said = run(line);
  }
  return said.end.succeeded() ? std::string{} : fmt::format("{}: {}", fmt::join(line, " "), said.output);
}

/// `gridctl limit`, `gridctl limit|share`: the commands that begin so, which a document may mean.
bool is_group(const Words& named, const Commands& commands) {
  if (named.size() != 2 || named[0] != "gridctl") return false;
  std::string_view rest = named[1];
  while (true) {
    const auto group = rest.substr(0, rest.find('|'));
    if (std::ranges::none_of(commands, [&](const auto& command) { return command.first[0] == group; })) return false;
    if (group.size() == rest.size()) return true;
    rest.remove_prefix(group.size() + 1);
  }
}

/// The errors in the command lines, each once.
Words wrong_ones(const std::vector<Named>& all, const Commands& commands) {
  Words wrong;
  std::set<Words> seen;
  for (const auto& named : all) {
    const bool is_meant = named.where.find(".md: ") != std::string::npos && is_group(named.words, commands);
    if (is_meant || !seen.insert(named.words).second) continue;
    const auto why = named.words[0] == "gridctl" ? wrong_gridctl(named.words, commands) : wrong_options(named.words);
    if (!why.empty()) wrong.push_back(fmt::format("{}\n  {}", named.where, why));
  }
  return wrong;
}

TEST(NamedCommands, EachThatAMessageOrADocumentNames_Exists) {
  const auto commands = commands_of_gridctl();
  ASSERT_GT(commands.size(), 30U);
  const auto named = named_everywhere(commands);
  EXPECT_GT(named.size(), 100U);
  EXPECT_THAT(wrong_ones(named, commands), testing::IsEmpty());
}

Words wrong_in(const std::string& text) {
  static const auto commands = commands_of_gridctl();
  return wrong_ones(named_in(text, "here", commands), commands);
}

TEST(NamedCommands, OneThatDoesNotExist_IsSeen_WhereverItStands) {
  for (const auto* text : {"{} is disabled; gridctl cluster edit {} --enable gives it back", "run 'gridctl db migrat'",
                           "a larger one allows more (gridctl limit)", "'gridctl limit set KIND MOST MORE'",
                           "`gridctl cluster list --power 2`", "gridsub --resumes lets it go on", "see `gridstat ID --wy`",
                           "gridctl clutser add makes one known", "'gridctl rules test FILE --position 1'"})
    EXPECT_EQ(wrong_in(text).size(), 1U) << text;
}

TEST(NamedCommands, OneThatExists_IsNot) {
  for (const auto* text :
       {"gridsub --resume lets it go on", "gridctl cluster add makes one known", "'gridctl cluster edit {} --memory-property NAME'",
        "gridctl: note: {}", "(gridstat -a shows those that have ended)",
        "gridsub -f FILE, gridsub -f - (standard input) or gridsub -j JSON (see --help)", "such as: gridstat 3 --{}",
        "`gridctl limit set running_jobs 5 --user ada`", "gridsub-XXXXXX"})
    EXPECT_THAT(wrong_in(text), testing::IsEmpty()) << text;
}

TEST(NamedCommands, AreReadFromSourcesAndDocuments) {
  EXPECT_THAT(literals_of("f(\"a \" // \"no\"\n  \"b\", '\"', \"c\\\"d\"); /* \"no\" */ R\"j(e\")j\""),
              testing::ElementsAre("a b", "c\"d", "e\""));
  EXPECT_THAT(code_of("Say `gridsub -f` or `x`.\n```\n$ gridstat 3   (stderr)\n```\n    gridsim run a.json\n"),
              testing::ElementsAre("`gridsub -f`", "`x`", "`gridstat 3`", "`gridsim run a.json`"));
  EXPECT_THAT(cells_of("\n## gridctl\n\n| `db status` | `x` |\n## gridsub\n| `-n`, `--nb-jobs N` | `y` |\n", "gridctl"),
              testing::ElementsAre("`gridctl db status`"));
}

}  // namespace
}  // namespace gleaner
