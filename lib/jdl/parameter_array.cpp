#include "lib/jdl/parameter_array.hpp"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <exception>
#include <optional>

#include "lib/jdl/text.hpp"

namespace gleaner::jdl {
namespace {

/// The longest text of one parameter: every byte of it as \u00NN, or every argument empty.
constexpr std::size_t kMostBytes = 6 * kMostParameterBytes + 1024;

/// A text that comes in pieces, in the form that RapidJSON reads. It ends early, with is_too_long(), after kMostBytes without a parameter.
class PieceStream {
 public:
  using Ch = char;
  explicit PieceStream(const std::function<std::string_view()>& next) : next_{next} {
    fill();
    if (piece_.starts_with(kByteOrderMark)) piece_.remove_prefix(kByteOrderMark.size());
  }
  [[nodiscard]] Ch Peek() {
    if (!is_too_long() && !piece_.empty()) return piece_.front();
    return '\0';
  }
  Ch Take() {
    const auto c = Peek();
    if (is_too_long() || piece_.empty()) return c;
    ++taken_;
    note(c);
    piece_.remove_prefix(1);
    if (piece_.empty()) fill();
    return c;
  }
  [[nodiscard]] std::size_t Tell() const { return taken_; }

  // Output functions are not called for an input stream, but RapidJSON requires their names.
  [[noreturn]] Ch* PutBegin() { std::terminate(); }
  [[noreturn]] void Put(Ch) { std::terminate(); }
  [[noreturn]] void Flush() { std::terminate(); }
  [[noreturn]] std::size_t PutEnd(Ch*) { std::terminate(); }

  void begin_parameter() { begun_ = taken_; }
  [[nodiscard]] bool is_too_long() const { return taken_ - begun_ > kMostBytes; }
  /// RapidJSON takes a NUL byte for the end.
  [[nodiscard]] bool is_at_nul() const { return !piece_.empty() && piece_.front() == '\0'; }
  [[nodiscard]] Position place() const { return place_; }

 private:
  void fill() {
    if (!ended_) piece_ = next_();
    ended_ = piece_.empty();
  }
  void note(char c) {
    if (c == '\n') place_ = {place_.line + 1, 1};
    else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++place_.column;  // not within a character
  }

  const std::function<std::string_view()>& next_;
  std::string_view piece_;
  bool ended_ = false;
  std::size_t taken_ = 0;
  std::size_t begun_ = 0;
  Position place_{1, 1};
};

/// Passes each element of the array to the sink. False ends the reading.
class ArrayReader {
 public:
  ArrayReader(PieceStream& stream, const std::function<bool(Parameter&&)>& sink) : stream_{stream}, sink_{sink} {}

  bool String(const char* text, rapidjson::SizeType size, bool) { return scalar({text, size}); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return scalar({text, size}); }
  bool StartArray() {
    if (level_ == 2) return wrong("an array within the arguments of a task");
    if (++level_ == 2) arguments_.clear();
    return true;
  }
  bool EndArray(rapidjson::SizeType) { return --level_ == 1 ? give(std::move(arguments_)) : true; }
  bool StartObject() { return wrong("an object"); }
  bool Key(const char*, rapidjson::SizeType, bool) { return false; }
  bool EndObject(rapidjson::SizeType) { return false; }
  bool Null() { return wrong("null"); }
  bool Bool(bool) { return wrong("true or false"); }
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

  [[nodiscard]] std::optional<Problem> problem() const { return problem_; }
  [[nodiscard]] bool is_stopped() const { return stopped_; }

 private:
  bool scalar(std::string_view text) {
    if (level_ == 0) return wrong("a single value");
    if (level_ == 1) return give(std::string{text});
    arguments_.emplace_back(text);
    return true;
  }
  bool give(Parameter&& parameter) {
    if (const auto checked = check(parameter); !checked) {
      const auto* line = std::get_if<std::string>(&parameter);
      problem_ = Problem{stream_.place(), "", line != nullptr ? excerpt(*line) : "[ … ]", checked.error().message};
      return false;
    }
    stopped_ = !sink_(std::move(parameter));
    stream_.begin_parameter();
    return !stopped_;
  }
  bool wrong(std::string_view what) {
    problem_ = Problem{stream_.place(), "", "",
                       level_ == 0 ? fmt::format("this is {}; write an array of parameters, e.g. [\"1 a\", \"2 b\"]", what)
                                   : fmt::format("this is {}; a parameter is a string, or an array of strings and numbers", what)};
    return false;
  }

  PieceStream& stream_;
  const std::function<bool(Parameter&&)>& sink_;
  int level_ = 0;
  Arguments arguments_;
  std::optional<Problem> problem_;
  bool stopped_ = false;
};

}  // namespace

tl::expected<void, Problem> read_parameter_array(const std::function<std::string_view()>& next,
                                                 const std::function<bool(Parameter&&)>& sink) {
  constexpr auto kFlags =
      static_cast<unsigned>(rapidjson::kParseIterativeFlag) | static_cast<unsigned>(rapidjson::kParseNumbersAsStringsFlag);
  PieceStream stream{next};
  ArrayReader handler{stream, sink};
  rapidjson::Reader reader;
  const auto result = reader.Parse<kFlags>(stream, handler);
  if (handler.is_stopped()) return {};
  if (handler.problem()) return tl::unexpected{*handler.problem()};
  if (stream.is_too_long())
    return tl::unexpected{Problem{stream.place(), "", "", fmt::format("this parameter is longer than {} kB", kMostParameterBytes / 1024)}};
  if (stream.is_at_nul()) return tl::unexpected{Problem{stream.place(), "", "", "there is a NUL byte here: this is not a text file"}};
  if (result.IsError())
    return tl::unexpected{Problem{stream.place(), "", "",
                                  fmt::format("this is not JSON: {} Write an array of parameters, e.g. [\"1 a\", [\"2\", \"b c\"]]",
                                              rapidjson::GetParseError_En(result.Code()))}};
  return {};
}

}  // namespace gleaner::jdl
