#include "api/act.hpp"

#include <fmt/format.h>

#include "lib/text/json_writer.hpp"

namespace gleaner::api {

std::string message_of_act(const Call& call, std::string_view message) {
  return is_dry_run(call) ? fmt::format("If done now: {}", message) : std::string{message};
}

http::Response acted(const Call& call, std::string_view message, std::optional<std::int64_t> count, std::string next) {
  if (!is_dry_run(call)) return accepted(message, count, std::move(next));
  text::JsonWriter json;
  json.object([&] {
    json.field("dry_run", true);
    json.field("message", message_of_act(call, message));
    if (count) json.field("count", *count);
    if (!next.empty()) write_links(json, {{"next", std::move(next)}});
  });
  return answer(json);
}

void log_act(const Call& call, std::string_view event, process::log::Fields fields) {
  if (!is_dry_run(call)) process::log::info(event, fields);
}

}  // namespace gleaner::api
