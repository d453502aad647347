#include "lib/oar/request_text.hpp"

#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>

#include "lib/text/percent.hpp"

namespace gleaner::oar {
namespace {

bool is_digit_or_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
}

/// A line of a parameter file that OAR drops makes no job, and would shift all ids after it.
std::optional<std::string> wrong_line(const std::string& line) {
  const auto first = line.find_first_not_of(" \t\r\f\v");
  if (first == std::string::npos) {
    return "a parameter line is blank: OAR would make no job of it";
  }
  if (line[first] == '#') {
    return "a parameter line starts with #: OAR would make no job of it";
  }
  if (line.find('\n') != std::string::npos) {
    return "a parameter line holds a newline: OAR would make two jobs of it";
  }
  return std::nullopt;
}

std::string param_file(const std::vector<std::string>& lines) { return fmt::format("{}\n", fmt::join(lines, "\n")); }

class Body {
 public:
  Body() { writer_.StartObject(); }
  void add(const char* name, const std::string& value) {
    if (!value.empty()) {
      writer_.Key(name);
      writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
    }
  }
  void add(const char* name, const std::vector<std::string>& values) {
    if (values.empty()) {
      return;
    }
    writer_.Key(name);
    writer_.StartArray();
    for (const auto& value : values) {
      writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
    }
    writer_.EndArray();
  }
  std::string finish() {
    writer_.EndObject();
    return {buffer_.GetString(), buffer_.GetSize()};
  }

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::ASCII<>> writer_{buffer_};
};

}  // namespace

std::optional<std::string> wrong_user(std::string_view user) {
  if (user.empty()) {
    return "no user is named";
  }
  const auto wrong = std::ranges::find_if_not(user, [](char letter) { return is_digit_or_letter(letter) || letter == '_'; });
  if (wrong == user.end()) {
    return std::nullopt;
  }
  return fmt::format("OAR takes letters, digits and _ only in the name of a user, and would cut '{}' to '{}'", user,
                     user.substr(0, static_cast<std::size_t>(wrong - user.begin())));
}

std::optional<std::string> wrong_request(const SubmitRequest& request) {
  if (auto wrong = wrong_user(request.user)) {
    return wrong;
  }
  if (request.command.empty()) {
    return "a submission needs a command";
  }
  for (const auto& line : request.lines) {
    if (auto wrong = wrong_line(line)) {
      return wrong;
    }
  }
  return std::nullopt;
}

std::size_t jobs_of(const SubmitRequest& request) { return std::max<std::size_t>(request.lines.size(), 1); }

std::string submission_body(const SubmitRequest& request) {
  Body body;
  const std::string separator = request.resources.empty() || request.walltime.empty() ? "" : ",";
  body.add("resource", request.resources + (request.walltime.empty() ? "" : separator + "walltime=" + request.walltime));
  body.add("command", request.command);
  if (!request.lines.empty()) {
    body.add("param_file", param_file(request.lines));
  }
  body.add("name", request.name);
  body.add("type", request.types);
  body.add("property", request.properties);
  body.add("project", request.project);
  body.add("stdout", request.stdout_file);
  body.add("stderr", request.stderr_file);
  if (request.checkpoint) {
    body.add("signal", std::to_string(request.checkpoint->signal));
    body.add("checkpoint", std::to_string(request.checkpoint->before_end.count()));
  }
  return body.finish();
}

std::vector<std::string> id_chunks(std::span<const grid::RemoteJobId> ids, std::size_t bytes) {
  std::vector<grid::RemoteJobId> sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::unique(sorted);
  sorted.erase(repeated.begin(), repeated.end());
  std::vector<std::string> chunks;
  for (const auto id : sorted) {
    const auto text = std::to_string(id.value());
    if (chunks.empty() || chunks.back().size() + 1 + text.size() > bytes) {
      chunks.push_back(text);
    } else {
      chunks.back() += ':' + text;
    }
  }
  return chunks;
}

std::optional<std::string> wrong_properties(std::string_view properties) {
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < properties.size(); ++i) {
    const char letter = properties[i];
    if (quote != '\0') {
      quote = letter == quote ? '\0' : quote;
    } else if (letter == '\'' || letter == '"') {
      quote = letter;
    } else if (letter == '(' || letter == ')') {
      depth += letter == '(' ? 1 : -1;
    } else if (letter == ';' || letter == '\0' || properties.substr(i).starts_with("--") || properties.substr(i).starts_with("/*")) {
      return fmt::format("'{}' is more than one condition", properties);
    }
    if (depth < 0) {
      break;
    }
  }
  return depth != 0 || quote != '\0' ? std::optional{fmt::format("a parenthesis or a quote of '{}' is not closed", properties)}
                                     : std::nullopt;
}

namespace {

std::string query_path(std::string_view limit, std::string_view query) {
  return fmt::format("/select_all?limit={}&query={}", limit, text::percent_encoded(query, {}));
}

}  // namespace

std::string held_path() {
  return query_path(
      "1000000",
      "FROM (SELECT r.network_address AS node, count(DISTINCT a.resource_id) AS held FROM assigned_resources a JOIN resources r "
      "ON r.resource_id = a.resource_id WHERE a.assigned_resource_index = 'CURRENT' AND r.type = 'default' GROUP BY r.network_address "
      "UNION ALL SELECT '', 0) AS held_by_node");
}

std::string free_path(grid::Instant now) {
  return query_path(
      "1000000",
      fmt::format(
          "FROM (SELECT r.network_address AS node, r.besteffort AS besteffort, count(DISTINCT r.resource_id) AS usable, "
          "count(DISTINCT CASE WHEN r.state = 'Absent' THEN r.resource_id END) AS asleep, count(DISTINCT a.resource_id) AS held FROM resources r LEFT JOIN assigned_resources a ON a.resource_id = r.resource_id AND "
          "a.assigned_resource_index = 'CURRENT' WHERE r.type = 'default' AND r.drain <> 'YES' AND (r.state = 'Alive' OR (r.state = 'Absent' "
          "AND r.available_upto > {})) GROUP BY r.network_address, r.besteffort UNION ALL SELECT '', 'YES', 0, 0, 0) AS free_by_node",
          grid::to_unix(now)));
}

std::string matching_path(std::string_view properties, Effort effort, grid::Instant now) {
  const auto query = fmt::format(
      "FROM (SELECT resource_id FROM resources WHERE type = 'default' AND (state = 'Alive' OR (state = 'Absent' AND available_upto > {}))"
      "{} AND ({}) UNION ALL SELECT 0) AS matching",
      grid::to_unix(now), effort == Effort::best ? " AND besteffort = 'YES'" : "", properties);
  return query_path("1", query);
}

std::optional<std::string> wrong_path(std::string_view path) {
  constexpr std::string_view kPlain{"/~-_.,:=@+%"};
  if (!path.starts_with("~/") && !path.starts_with('/')) {
    return fmt::format("'{}' is neither absolute nor under ~/", path);
  }
  const bool plain =
      std::ranges::all_of(path, [&](char letter) { return is_digit_or_letter(letter) || kPlain.find(letter) != std::string_view::npos; });
  return plain ? std::nullopt : std::optional{fmt::format("'{}' holds a letter that OAR would let a shell read", path)};
}

namespace {

std::string encoded(std::string_view base, std::string_view path) {
  return fmt::format("{}{}{}", base, path.starts_with('/') ? "" : "/", text::percent_encoded(path, "/~-_."));
}

}  // namespace

std::string media_path(std::string_view path) { return encoded("/media", path); }

std::string replacing_path(std::string_view path) { return encoded("/media/force", path); }

std::string listing_path(std::string_view path) { return encoded("/media/ls", path); }

}  // namespace gleaner::oar
