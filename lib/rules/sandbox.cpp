#include "lib/rules/sandbox.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/process/child.hpp"
#include "lib/process/helper.hpp"
#include "lib/text/json_depth.hpp"
#include "lib/text/json_value.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::rules {
namespace {

constexpr auto kFlags = static_cast<unsigned>(rapidjson::kParseFullPrecisionFlag) | static_cast<unsigned>(rapidjson::kParseIterativeFlag) |
                        static_cast<unsigned>(rapidjson::kParseValidateEncodingFlag);
/// In addition to the rules' own processor time: on a busy machine this takes long.
constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kDeepestAnswer = text::kDeepestJson + 16;  // a rule's campaign is within it (ruby/values.cpp)

std::string question_text(std::string_view action, const std::vector<std::string>& texts, const Question* question, const Limits& limits) {
  text::JsonWriter json;
  json.begin_object();
  json.field("action", action)
      .field("time_ms", std::int64_t{limits.time.count()})
      .field("memory", static_cast<std::int64_t>(limits.memory));
  json.key("rules").array(texts);
  if (question != nullptr) {
    json.key("jdl").raw(question->jdl);
    json.field("user", question->user).field("tasks", question->tasks);
    json.key("clusters").raw(question->clusters);
  }
  return json.end_object().text();
}

/// An anonymous file, which a child opens by its descriptor.
class MemoryFile {
 public:
  MemoryFile() : descriptor_{::memfd_create("admission", MFD_CLOEXEC)} {}
  ~MemoryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] bool write(std::string_view text) const {
    while (descriptor_ >= 0 && !text.empty()) {
      const auto written = ::write(descriptor_, text.data(), text.size());
      if (written < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return descriptor_ >= 0;
  }
  [[nodiscard]] std::string content() const {
    struct stat status {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) return {};
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    for (std::size_t at = 0; at < text.size();) {
      const auto got = ::pread(descriptor_, text.data() + at, text.size() - at, static_cast<off_t>(at));
      if (got <= 0) return {};
      at += static_cast<std::size_t>(got);
    }
    return text;
  }
  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

std::string text_of(const rapidjson::Value& object, const char* name) {
  const auto found = object.FindMember(name);
  return found != object.MemberEnd() && found->value.IsString() ? std::string{found->value.GetString(), found->value.GetStringLength()}
                                                                : std::string{};
}

int line_of(const rapidjson::Value& object) {
  const auto found = object.FindMember("line");
  return found != object.MemberEnd() && found->value.IsInt() ? found->value.GetInt() : 0;
}

Ran stopped(const std::string& why, int line, const Limits& limits) {
  const auto message =
      why == "time" ? fmt::format("it was stopped: it ran for more than {:.3g} s", std::chrono::duration<double>(limits.time).count())
                    : fmt::format("it was stopped: it took more than {} MiB of memory", limits.memory >> 20);
  return Ran{Effect::failed, {}, message, line};
}

/// One line of the answer; empty: the line is invalid.
std::optional<Ran> read_line(std::string_view line, const Limits& limits) {
  if (text::is_nested_deeper(line, kDeepestAnswer)) return {};
  rapidjson::Document document;
  document.Parse<kFlags>(line.data(), line.size());
  if (document.HasParseError() || !document.IsObject()) return {};
  if (document.HasMember("stopped")) return stopped(text_of(document, "stopped"), line_of(document), limits);
  Ran ran{.message = text_of(document, "message"), .line = line_of(document)};
  const auto outcome = text_of(document, "outcome");
  for (const auto effect : {Effect::unchanged, Effect::changed, Effect::refused, Effect::failed}) {
    if (name_of(effect) == outcome) ran.effect = effect;
  }
  if (const auto notes = document.FindMember("notes"); notes != document.MemberEnd() && notes->value.IsArray()) {
    for (const auto& note : notes->value.GetArray()) {
      if (note.IsString()) ran.notes.emplace_back(note.GetString(), note.GetStringLength());
    }
  }
  if (const auto jdl = document.FindMember("jdl"); jdl != document.MemberEnd()) ran.jdl = text::json_text(jdl->value);
  return ran;
}

std::vector<Ran> read_lines(std::string_view text, const Limits& limits) {
  std::vector<Ran> all;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    auto ran = read_line(text.substr(0, end), limits);
    if (!ran) break;
    all.push_back(std::move(*ran));
    text.remove_prefix(end + 1);
  }
  return all;
}

bool is_end(const Ran& ran) { return ran.effect == Effect::refused || ran.effect == Effect::failed; }

}  // namespace

std::string_view name_of(Effect effect) {
  switch (effect) {
    case Effect::unchanged: return "unchanged";
    case Effect::changed: return "changed";
    case Effect::refused: return "refused";
    case Effect::failed: break;
  }
  return "failed";
}

tl::expected<std::vector<Ran>, std::string> Sandbox::run(const std::vector<std::string>& texts, const Question& question) {
  if (texts.empty()) return std::vector<Ran>{};
  return ask(question_text("run", texts, &question, limits_), texts.size());
}

tl::expected<std::optional<Ran>, std::string> Sandbox::check(const std::string& text) {
  auto answer = ask(question_text("check", {text}, nullptr, limits_), 1);
  if (!answer) return tl::unexpected{std::move(answer.error())};
  auto& ran = answer->at(0);
  return ran.effect == Effect::failed ? std::optional{std::move(ran)} : std::nullopt;
}

tl::expected<std::vector<Ran>, std::string> Sandbox::ask(const std::string& question, std::size_t rules) {
  const MemoryFile input;
  const MemoryFile output;
  if (!input.write(question)) return tl::unexpected{fmt::format("no memory for the admission rules: {}", std::strerror(errno))};
  free_.acquire();
  auto child = process::Child::start({.arguments = {program_.string()}, .input = input.path(), .output = output.path()});
  const auto end = child ? child->wait(limits_.time * static_cast<int>(rules) + kPatience) : std::nullopt;
  if (child && !end) static_cast<void>(child->stop(process::Duration{0}));
  free_.release();
  if (!child) return tl::unexpected{child.error()};
  const auto said = output.content();
  auto all = read_lines(said, limits_);
  if (all.size() == rules || (!all.empty() && is_end(all.back()))) return all;
  // The process ended during a rule.
  if (end && end->signal == 0) return tl::unexpected{fmt::format("{}: {}: {}", program_.string(), end->text(), said.substr(0, 200))};
  all.push_back(Ran{Effect::failed,
                    {},
                    end ? fmt::format("it brought the interpreter down ({})", end->text())
                        : fmt::format("it did not end within {} s: is this machine too busy?", kPatience.count())});
  return all;
}

std::filesystem::path interpreter_program() { return process::helper_program("admission"); }

}  // namespace gleaner::rules
