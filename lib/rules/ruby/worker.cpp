#include "lib/rules/ruby/worker.hpp"

#include <rapidjson/document.h>

#include <stdexcept>

#include "lib/rules/ruby/confine.hpp"
#include "lib/rules/ruby/interpreter.hpp"
#include "lib/text/json_value.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::rules::ruby {
namespace {

using Write = std::function<void(std::string_view)>;

constexpr auto kFlags = static_cast<unsigned>(rapidjson::kParseFullPrecisionFlag) | static_cast<unsigned>(rapidjson::kParseIterativeFlag);

const rapidjson::Value& member(const rapidjson::Value& object, const char* name) {
  const auto found = object.FindMember(name);
  if (found == object.MemberEnd()) throw std::invalid_argument{name};
  return found->value;
}

std::string_view name_of(const Ending& ending, bool changed) {
  switch (ending.outcome) {
    case Outcome::refused: return "refused";
    case Outcome::failed: return "failed";
    case Outcome::ran: break;
  }
  return changed ? "changed" : "unchanged";
}

/// `jdl`: the changed JDL; null: unchanged.
std::string line_of(const Ending& ending, const rapidjson::Value* jdl) {
  text::JsonWriter json;
  json.begin_object();
  json.field("outcome", name_of(ending, jdl != nullptr)).field("message", ending.message).field("line", ending.line);
  json.key("notes").array(ending.notes);
  if (jdl != nullptr) json.key("jdl").raw(text::json_text(*jdl));
  return json.end_object().text() + "\n";
}

void check(const rapidjson::Value& rules, const Limits& limits, const Write& write_line) {
  for (const auto& rule : rules.GetArray())
    write_line(line_of(syntax_error({rule.GetString(), rule.GetStringLength()}, limits).value_or(Ending{}), nullptr));
}

void run_all(const rapidjson::Value& question, const Limits& limits, const Write& write_line) {
  const Facts facts{member(question, "user"), member(question, "tasks"), member(question, "clusters")};
  rapidjson::Document jdl;
  jdl.CopyFrom(member(question, "jdl"), jdl.GetAllocator());
  for (const auto& rule : member(question, "rules").GetArray()) {
    rapidjson::Document before;
    before.CopyFrom(jdl, before.GetAllocator());
    const auto ending = run({rule.GetString(), rule.GetStringLength()}, jdl, facts, limits);
    write_line(line_of(ending, ending.outcome == Outcome::ran && jdl != before ? &jdl : nullptr));
    if (ending.outcome != Outcome::ran) return;
  }
}

}  // namespace

void answer(std::string question, const Write& write_line) {
  rapidjson::Document document;
  document.Parse<kFlags>(question.data(), question.size());
  if (document.HasParseError() || !document.IsObject()) throw std::invalid_argument{"the question is not a JSON object"};
  const Limits limits{std::chrono::milliseconds{member(document, "time_ms").GetInt64()},
                      static_cast<std::size_t>(member(document, "memory").GetInt64())};
  const auto& rules = member(document, "rules");
  close_doors(limits.time * (rules.Size() + 1) + std::chrono::seconds{2}, limits.memory);
  if (std::string_view{member(document, "action").GetString()} == "check") check(rules, limits, write_line);
  else run_all(document, limits, write_line);
}

}  // namespace gleaner::rules::ruby
