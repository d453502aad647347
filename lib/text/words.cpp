#include "lib/text/words.hpp"

#include <algorithm>
#include <optional>

namespace gleaner::text {
namespace {

bool separates(char letter) { return letter == ' ' || letter == '\t' || letter == '\n'; }

enum class Form { read, written };

/// Reads one line, character by character; `word_` is empty between words.
class Splitter {
 public:
  Splitter(std::string_view line, Form form) : line_{line}, form_{form} {}

  tl::expected<std::vector<std::string>, WordError> split() {
    while (at_ < line_.size() && !error_) {
      step();
    }
    if (error_) {
      return tl::unexpected(*error_);
    }
    finish_word();
    return std::move(words_);
  }

 private:
  void step() {
    const char letter = line_[at_];
    if (!word_) {
      begin_ = at_;
    }
    if (separates(letter)) {
      finish_word();
      ++at_;
    } else if (letter == '\'') {
      single_quotes();
    } else if (letter == '"') {
      double_quotes();
    } else if (letter == '\\') {
      backslash();
    } else {
      add(letter);
      ++at_;
    }
  }

  void single_quotes() {
    const std::size_t open = at_;
    const std::size_t close = line_.find('\'', open + 1);
    if (close == std::string_view::npos) {
      fail(open, "this single quote is never closed");
      return;
    }
    word().append(line_.substr(open + 1, close - open - 1));
    at_ = close + 1;
  }

  void double_quotes() {
    const std::size_t open = at_++;
    word();
    while (at_ < line_.size() && line_[at_] != '"') {
      if (line_[at_] == '\\' && at_ + 1 < line_.size()) {
        escaped_in_double_quotes(line_[at_ + 1]);
        at_ += 2;
      } else {
        add(line_[at_++]);
      }
    }
    if (at_ >= line_.size()) {
      fail(open, "this double quote is never closed");
      return;
    }
    ++at_;
  }

  void escaped_in_double_quotes(char letter) {
    constexpr std::string_view kEscapable{"$`\"\\"};
    if (letter == '\n') {
      return;  // a continued line
    }
    if (kEscapable.find(letter) == std::string_view::npos) {
      add('\\');
    }
    add(letter);
  }

  void backslash() {
    if (at_ + 1 == line_.size()) {
      fail(at_, "this backslash has nothing after it");
      return;
    }
    if (line_[at_ + 1] != '\n') {
      add(line_[at_ + 1]);
    }
    at_ += 2;
  }

  std::string& word() { return word_ ? *word_ : word_.emplace(); }
  void add(char letter) { word().push_back(letter); }
  void finish_word() {
    if (word_) {
      words_.push_back(form_ == Form::read ? std::move(*word_) : std::string{line_.substr(begin_, at_ - begin_)});
      word_.reset();
    }
  }
  void fail(std::size_t position, std::string what) { error_ = WordError{position, std::move(what)}; }

  std::string_view line_;
  Form form_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  ///< of the present word
  std::optional<std::string> word_;
  std::vector<std::string> words_;
  std::optional<WordError> error_;
};

bool is_plain(char letter) {
  constexpr std::string_view kPlain{"@%+=:,./-_"};
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         kPlain.find(letter) != std::string_view::npos;
}

}  // namespace

tl::expected<std::vector<std::string>, WordError> split_words(std::string_view line) { return Splitter{line, Form::read}.split(); }

tl::expected<std::vector<std::string>, WordError> split_written_words(std::string_view line) {
  return Splitter{line, Form::written}.split();
}

std::string quote(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) {
    return std::string{word};
  }
  std::string quoted{"'"};
  for (const char letter : word) {
    if (letter == '\'') {
      quoted += R"('\'')";
    } else {
      quoted += letter;
    }
  }
  return quoted += '\'';
}

}  // namespace gleaner::text
