#include "sim/wrapper/script.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/program_file.hpp"
#include "lib/inputs/sha256.hpp"
#include "lib/text/numbers.hpp"
#include "runner/wrapper/wrapper.hpp"
#include "sim/wrapper/files.hpp"

namespace gleaner::wrapper {
namespace {

[[noreturn]] void unknown(std::string_view what) {
  throw std::runtime_error{fmt::format("the model does not know this wrapper: {}", what)};
}

/// The end of the word that begins at `at`.
std::size_t end_of_word(std::string_view text, std::size_t at, std::string_view ends = " \n;") {
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
      else if (c == '\\' && quote == '"') ++at;
    } else if (c == '\\') {
      ++at;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (ends.find(c) != std::string_view::npos) {
      break;
    }
  }
  if (quote != 0) unknown("an open quote");
  return std::min(at, text.size());
}

/// Reads assignments, one after the other.
class Assignments {
 public:
  explicit Assignments(std::string_view text) : text_{text} {}
  void expect(std::string_view literal) {
    if (!text_.substr(at_).starts_with(literal)) unknown(fmt::format("'{}' is expected at '{}'", literal, text_.substr(at_, 40)));
    at_ += literal.size();
  }
  /// `name=word`, and a blank or newline after it.
  std::string_view word(std::string_view name) {
    expect(name);
    expect("=");
    const auto end = end_of_word(text_, at_);
    const auto found = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    return found;
  }
  std::int64_t number(std::string_view name) {
    const auto text = word(name);
    const auto value = text::whole_number<std::int64_t>(text);
    if (!value) unknown(fmt::format("{}={}", name, text));
    return *value;
  }
  /// The words of `function(){ name=(words);}`, on a line of its own.
  std::string_view list(std::string_view function, std::string_view name) {
    expect(fmt::format("{}(){{ {}=(", function, name));
    const auto from = at_;
    do at_ = end_of_word(text_, at_ + (at_ > from ? 1U : 0U), " \n;)");
    while (text_.substr(at_).starts_with(' '));
    const auto words = text_.substr(from, at_ - from);
    expect(");}\n");
    return words;
  }
  [[nodiscard]] bool at_name(std::string_view name) const { return text_.substr(at_).starts_with(fmt::format("{}=", name)); }
  [[nodiscard]] bool at_function(std::string_view name) const { return text_.substr(at_).starts_with(fmt::format("{}(){{", name)); }
  /// From the newline before it on.
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_ - 1); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = end_of_word(text, at);
    words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// The facts of the launch (runner/wrapper/facts.bash), and which parts of the program follow.
Script read_script(std::string_view text, const runner::WrapperNames& name) {
  Script script;
  script.names = &name;
  Assignments read{text};
  script.folder_word = read.word(name.campaign_folder);
  script.campaign = read.number(name.campaign_number);
  (void)read.word(name.exec_file);
  read.expect("export ");
  for (const auto* variable : {"CIGRI_CLUSTER", "CIGRI_USER"}) (void)read.word(variable);
  script.workdir_word = read.word("CIGRI_WORKDIR");
  for (const auto* variable : {"CIGRI_RESOURCES", "CIGRI_WALLTIME", "CIGRI_WALLTIME_SECONDS"}) (void)read.word(variable);
  script.shell_words = !read.list(name.set_command, name.command_words).ends_with(" \"$@\"");
  if (read.at_name(name.pool_folder)) {
    ScriptPool pool;
    pool.folder = read.word(name.pool_folder);
    pool.duration = read.number(name.pool_duration);
    pool.task_walltime = read.number(name.task_walltime);
    pool.first_job = read.number(name.first_carrier);
    pool.jobs = read.number(name.carrier_count);
    pool.side_by_side = !read.word(name.side_by_side).empty();
    script.pool = pool;
  }
  if (read.at_name(name.checkpoint_signal)) script.checkpoint_signal = read.word(name.checkpoint_signal);
  if (read.at_name(name.input_piece)) {
    (void)read.number(name.input_piece);
    script.input_words = words_of(read.list(name.set_input_names, name.input_names));
  }
  if (read.at_name(name.output_directory)) script.output_word = read.word(name.output_directory);
  if (read.at_function(name.set_output_paths)) script.output_patterns = words_of(read.list(name.set_output_paths, name.output_paths));
  const auto program = read.rest();
  const auto has = [&](std::string_view function) {
    return program.find(fmt::format("\n{}() {{", function)) != std::string_view::npos ||
           program.find(fmt::format("\n{}(){{", function)) != std::string_view::npos;
  };
  script.measured = !script.pool && has(name.read_memory_peak);
  script.gives = has(name.make_given_file);
  script.enters_workdir = has(name.enter_folder);
  script.opens_streams = has(name.open_streams);
  if (!has(name.run_task)) unknown("no task is carried out");
  return script;
}

bool is_name_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Reads one word.
class Word {
 public:
  Word(std::string_view word, const Values& values, Quoted quoted) : word_{word}, values_{values}, quoted_{quoted} {}
  std::string read() {
    if (word_ == "~" || word_.starts_with("~/")) {
      literal(values_.of("HOME"));
      ++at_;
    }
    while (at_ < word_.size()) next();
    return std::move(out_);
  }

 private:
  void next() {
    const char c = word_[at_++];
    if (c == '\'') {
      const auto close = std::min(word_.find('\'', at_), word_.size());
      literal(word_.substr(at_, close - at_));
      at_ = close + 1;
    } else if (c == '"') {
      while (at_ < word_.size() && word_[at_] != '"') {
        if (word_[at_] == '$') {
          ++at_;
          literal(variable());
        } else {
          literal(word_.substr(at_++, 1));
        }
      }
      ++at_;
    } else if (c == '\\') {
      literal(word_.substr(at_++, 1));
    } else if (c == '$') {
      out_ += variable();
    } else {
      out_ += c;
    }
  }
  std::string variable() {
    if (word_.substr(at_).starts_with('{')) {
      const auto close = std::min(word_.find('}', at_), word_.size());
      const auto name = word_.substr(at_ + 1, close - at_ - 1);
      at_ = close + 1;
      return values_.of(name);
    }
    auto end = at_;
    while (end < word_.size() && is_name_letter(word_[end])) ++end;
    const auto name = word_.substr(at_, end - at_);
    at_ = end;
    return values_.of(name);
  }
  void literal(std::string_view text) {
    for (const char c : text) {
      if (quoted_ == Quoted::marked && !is_name_letter(c) && c != '/') out_ += '\\';
      out_ += c;
    }
  }

  std::string_view word_;
  const Values& values_;
  Quoted quoted_;
  std::size_t at_ = 0;
  std::string out_;
};

/// The decoded facts of a call (runner/wrapper/file.bash).
std::string decoded_facts(std::string_view word) {
  constexpr int kHexadecimal = 16;
  std::string facts;
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (word[at] != '+') {
      facts += word[at];
      continue;
    }
    unsigned byte = 0;
    const auto digits = word.substr(at + 1, 2);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), byte, kHexadecimal).ptr != digits.data() + 2)
      unknown("its facts are damaged");
    facts += static_cast<char>(byte);
    at += 2;
  }
  return facts;
}

/// The status of bash when it cannot carry out the file of a program. A cut one is a syntax error, or nothing but comments.
int status_without(const std::optional<std::string>& content, const std::string& file) {
  constexpr int kNoFile = 127, kNoProgram = 126, kSyntaxError = 2;
  if (!content) return exists(file) ? kNoProgram : kNoFile;
  if (content->ends_with("}\n") || content->ends_with("}")) return grid::kProgramDamaged;
  return content->find("\n{") == std::string::npos ? 0 : kSyntaxError;
}

}  // namespace

std::string value_of_word(std::string_view word, const Values& values, Quoted quoted) { return Word{word, values, quoted}.read(); }

std::optional<std::string> decoded_base64(std::string_view text) {
  constexpr std::string_view kLetters{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"};
  if (text.size() % 4 != 0) return std::nullopt;
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char letter : text) {
    const auto value = kLetters.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU);
  }
  return bytes;
}

std::optional<std::vector<std::string>> arguments_of(const std::vector<std::string>& words) {
  constexpr std::size_t kArguments = 4;
  if (words.size() <= kArguments || words[kArguments] == "-") return std::vector<std::string>{};
  if (words[kArguments] == "=") return std::vector<std::string>(words.begin() + kArguments + 1, words.end());
  const auto bytes = decoded_base64(words[kArguments]);
  if (!bytes) return std::nullopt;
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < bytes->size();) {
    const auto end = std::min(bytes->find('\0', at), bytes->size());
    arguments.push_back(bytes->substr(at, end - at));
    at = end + 1;
  }
  return arguments;
}

std::vector<std::string> split_at_blanks(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(" \t\n"); at != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(" \t\n", at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(" \t\n", end);
  }
  return words;
}

std::optional<Command> CommandReader::read(std::string_view command, const std::string& home) {
  constexpr std::string_view kBegin{"bash -c \"$(echo "};
  constexpr std::string_view kEnd{"|base64 -d)\" "};
  constexpr std::size_t kLeastWords = 5;
  const auto parameter_words = [](std::string_view text) {
    auto words = split_at_blanks(text);
    if (words.empty() || !words.front().starts_with(grid::kCommandMark)) return std::vector<std::string>{};
    words.erase(words.begin());
    if (words.size() < kLeastWords) unknown("its parameter line is too short");
    return words;
  };
  if (const auto called = grid::called_program(command)) {
    const std::string sha256{*called};
    const auto facts = command.substr(std::min(grid::kProgramCall.size() + sha256.size() + 1, command.size()));
    const auto end = std::min(facts.find(' '), facts.size());
    auto words = parameter_words(facts.substr(end));
    if (words.empty()) return std::nullopt;
    const auto file = fmt::format("{}/.gleaner/programs/{}", home, sha256);
    const auto content = content_of(file);
    auto& whole = programs_[sha256];
    if (!content || (*content != whole && inputs::sha256_of_text(*content) != sha256))
      return Command{nullptr, std::move(words), status_without(content, file)};
    whole = *content;
    if (const auto text = command.substr(0, command.size() - facts.size() + end); !last_ || text != last_text_) {
      last_ = std::make_shared<const Script>(read_script(decoded_facts(facts.substr(0, end)) + whole, runner::kLongNames));
      last_text_ = text;
    }
    return Command{last_, std::move(words)};
  }
  if (!command.starts_with(kBegin)) return std::nullopt;
  const auto close = command.find(kEnd);
  if (close == std::string_view::npos) return std::nullopt;
  const auto text = command.substr(kBegin.size(), close - kBegin.size());
  auto words = parameter_words(command.substr(close + kEnd.size()));
  if (words.empty()) return std::nullopt;
  if (!last_ || text != last_text_) {
    const auto script = decoded_base64(text);
    if (!script) unknown("its base64 is damaged");
    last_ = std::make_shared<const Script>(read_script(*script, runner::kShortNames));
    last_text_ = text;
  }
  return Command{last_, std::move(words)};
}

}  // namespace gleaner::wrapper
