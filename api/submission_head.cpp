#include "api/submission_head.hpp"

#include <array>

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "lib/grid/input_files.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/problem.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::api {
namespace {

constexpr std::array<std::string_view, 7> kHeadKeys{"jdl", "type", "source", "dry_run", "nb_jobs", "strict", "input_manifest"};
using jdl::kMostTasks;

/// Takes the members as the reader finds them; false stops the reading.
class HeadReader {
 public:
  bool StartObject() { return started_ ? nested() : (started_ = true); }
  bool EndObject(rapidjson::SizeType) { return true; }
  bool StartArray() { return nested(); }
  bool EndArray(rapidjson::SizeType) { return false; }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    key_.assign(text, size);
    for (const auto known : kHeadKeys) {
      if (key_ == known) return true;
    }
    return wrong(fmt::format("'{}' is not a key of it{}", jdl::excerpt(key_), text::did_you_mean(key_, kHeadKeys)));
  }

  bool String(const char* text, rapidjson::SizeType size, bool) {
    if (!started_) return false;
    if (key_ == "jdl" || key_ == "source") {
      (key_ == "jdl" ? head_.jdl : head_.source).assign(text, size);
      has_jdl_ = has_jdl_ || key_ == "jdl";
      return true;
    }
    if (key_ == "input_manifest") {
      head_.input_manifest.assign(text, size);
      return grid::is_sha256(head_.input_manifest) ? true : wrong("'input_manifest' is not a SHA-256, 64 digits 0-9 and a-f");
    }
    if (key_ == "type") head_.type = grid::campaign_type({text, size});
    return key_ == "type" && head_.type ? true : wrong_kind();
  }
  bool Int64(std::int64_t number) {
    if (!started_ || key_ != "nb_jobs" || number < 1 || number > kMostTasks) return wrong_kind();
    head_.nb_jobs = number;
    return true;
  }
  bool Int(int number) { return Int64(number); }
  bool Uint(unsigned number) { return Int64(number); }
  bool Uint64(std::uint64_t) { return wrong_kind(); }
  bool Double(double) { return wrong_kind(); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return wrong_kind(); }
  bool Bool(bool truth) {
    if (!started_ || (key_ != "dry_run" && key_ != "strict")) return wrong_kind();
    if (key_ == "strict") head_.doubts = truth ? jdl::Doubts::refused : jdl::Doubts::reported;
    else head_.mode = truth ? SubmissionMode::check_only : SubmissionMode::store;
    return true;
  }
  bool Null() { return started_ && (key_ == "type" || key_ == "nb_jobs") ? true : wrong_kind(); }

  /// Why the members stopped the reading, if they did.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] bool is_object() const { return started_; }
  [[nodiscard]] bool has_jdl() const { return has_jdl_; }
  [[nodiscard]] SubmissionHead take() { return std::move(head_); }

 private:
  bool wrong(std::string what) {
    wrong_ = std::move(what);
    return false;
  }
  bool wrong_kind() {
    if (!started_) return false;
    if (key_ == "type") return wrong("'type' is neither \"default\" nor \"test\"");
    if (key_ == "nb_jobs") return wrong(fmt::format("'nb_jobs' is not a whole number from 1 to {}", kMostTasks));
    if (key_ == "dry_run" || key_ == "strict") return wrong(fmt::format("'{}' is neither true nor false", key_));
    return wrong(fmt::format("'{}' is not a string", key_));
  }
  bool nested() { return wrong_kind(); }

  SubmissionHead head_;
  std::string key_;
  std::string wrong_;
  bool started_ = false;
  bool has_jdl_ = false;
};

}  // namespace

tl::expected<SubmissionHead, std::string> read_head(std::string_view line) {
  constexpr auto kFlags =
      static_cast<unsigned>(rapidjson::kParseIterativeFlag) | static_cast<unsigned>(rapidjson::kParseValidateEncodingFlag);
  rapidjson::MemoryStream stream{line.data(), line.size()};
  rapidjson::Reader reader;
  HeadReader members;
  const auto result = reader.Parse<kFlags>(stream, members);
  if (!members.wrong().empty()) return tl::unexpected{"the first line: " + members.wrong()};
  if (result.IsError() && result.Code() != rapidjson::kParseErrorTermination)
    return tl::unexpected{
        fmt::format("the first line is not JSON: {} (byte {})", rapidjson::GetParseError_En(result.Code()), result.Offset() + 1)};
  if (result.IsError() || !members.is_object())
    return tl::unexpected{std::string{"the first line is not a JSON object with the key 'jdl'"}};
  if (!members.has_jdl()) return tl::unexpected{std::string{"the first line has no 'jdl', the text of the campaign file"}};
  return members.take();
}

}  // namespace gleaner::api
