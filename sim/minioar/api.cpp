#include "sim/minioar/api.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "lib/text/percent.hpp"
#include "sim/minioar/pages.hpp"

namespace gleaner::minioar {

namespace {

std::string decode_base64(std::string_view text) {
  std::string out(text.size(), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) return {};
  const auto padding = text.size() - text.find_last_not_of('=') - 1;
  out.resize(static_cast<std::size_t>(size) - padding);
  return out;
}

/// The characters of a name that OAR's \w+ keeps.
std::string word_of(std::string_view text) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  std::string word;
  for (const char c : text) {
    if (is_word(static_cast<unsigned char>(c))) {
      word += c;
    } else if (!word.empty()) {
      break;
    }
  }
  return word;
}

std::string identity(const http::Request& request) {
  auto value = request.headers.find("X_REMOTE_IDENT");
  if (!value) value = request.headers.find("X-REMOTE-IDENT");
  if (!value || *value == "unknown" || *value == "(null)") return {};
  return word_of(*value);
}

/// The media type without its parameters.
std::string_view bare(std::string_view type) {
  type = type.substr(0, type.find(';'));
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  return type;
}

bool known_format(std::string_view type) {
  for (const auto* known :
       {"text/yaml", "text/html", "application/octet-stream", "multipart/form-data", "application/json", "application/x-gzip"}) {
    if (bare(type) == known) return true;
  }
  return false;
}

/// OAR requires a format: an extension, else an Accept or a Content-Type that it knows literally.
std::optional<ApiError> format_problem(const http::Request& request, const std::string& path_info) {
  for (const auto* extension : {".yaml", ".json", ".html", ".tgz", ".tar.gz"}) {
    if (path_info.ends_with(extension)) return std::nullopt;
  }
  const auto accept = request.headers.find("Accept");
  const auto type = request.headers.find("Content-Type");
  if ((accept && known_format(*accept)) || (type && known_format(*type))) return std::nullopt;
  std::string title = "Invalid content type ";
  if (!accept && type) title += *type;
  if (accept && !type) title = fmt::format("Invalid content type required {}", *accept);
  return ApiError{406, title, "Valid types are text/yaml, application/json or text/html"};
}

std::string without_extension(const std::string& path) {
  for (const std::string_view extension : {".json", ".yaml", ".html"}) {
    if (path.ends_with(extension)) return path.substr(0, path.size() - extension.size());
  }
  return path;
}

/// The text that a fault is matched with: "GET /jobs/table?state=Running&limit=500".
std::string signature_of(const http::Request& request, const std::string& path_info) {
  auto text = request.method + " " + without_extension(path_info);
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    text += fmt::format("{}{}={}", separator, name, value);
    separator = '&';
  }
  return text;
}

/// "/jobs/3/details": {"jobs", "3", "details"}
std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at != std::string::npos && at < path.size();) {
    const auto end = path.find('/', at + 1);
    parts.push_back(path.substr(at + 1, end == std::string::npos ? end : end - at - 1));
    at = end;
  }
  return parts;
}

/// Whether the parts of a path match. `#` is a number, `?` anything but a number or nothing.
bool matches(const std::vector<std::string>& parts, std::initializer_list<std::string_view> shape) {
  const auto number = [](const std::string& part) {
    return !part.empty() && part.size() < 16 && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  return std::equal(parts.begin(), parts.end(), shape.begin(), shape.end(), [&](const std::string& part, std::string_view wanted) {
    if (wanted == "#") return number(part);
    if (wanted == "?") return !part.empty() && !number(part);
    return part == wanted;
  });
}

bool is_action(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames{"checkpoints", "deletions", "holds", "rholds", "resumptions", "resubmissions"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

std::string Api::credentials_of(const http::Request& request) {
  constexpr std::string_view kScheme = "Basic ";
  const auto header = request.headers.find("Authorization");
  return header && header->starts_with(kScheme) ? decode_base64(header->substr(kScheme.size())) : std::string{};
}

bool Api::password_is_right(const http::Request& request) const {
  return options_.login.empty() || credentials_of(request) == options_.login + ":" + options_.password;
}

bool Api::knows(const std::string& user) const { return options_.accept == Users::any || user == "root" || options_.users.contains(user); }

http::Response Api::handle(const http::Request& request) {
  const auto decoded = text::percent_decoded(request.path);
  if (!decoded) return html_page(400, "Bad Request", "Your browser sent a request that this server could not understand.");
  if (decoded->starts_with("/_")) return admin(request, *decoded);
  if (*decoded != options_.prefix && !decoded->starts_with(options_.prefix + "/")) {
    return html_page(404, "Not Found", "The requested URL was not found on this server.");
  }
  const auto path_info = decoded->substr(options_.prefix.size());
  const auto asked = signature_of(request, path_info);
  const auto fault = faults_.take(asked);
  if (fault && !engine_.is_driven()) faults_.wait(*fault);
  auto response = !fault || carries_out(*fault) ? answer(request, path_info) : http::Response{};
  for (const auto& name : faults_.starts_after(asked)) engine_.release_starts(name);
  if (fault) response = spoil(*fault, std::move(response));
  if (fault && engine_.is_driven()) response.mishap.delay += fault->delay;
  response.mishap.delay += faults_.latency();
  return response;
}

http::Response Api::answer(const http::Request& request, const std::string& path_info) {
  if (options_.rest_api == RestApi::oar3) return answer3(request, path_info);
  if (options_.rest_api == RestApi::g5k) return answer_g5k(request, path_info);
  if (!password_is_right(request)) return password_page(fmt::format("OAR API of {} for the grid", engine_.options().shape.name));
  if (const auto problem = format_problem(request, path_info)) return error_answer(*problem);
  Call call{request, options_.prefix, path_info, without_extension(path_info), identity(request), engine_.date()};
  if (const auto structure = call.parameter("structure"); structure && *structure != "oar" && *structure != "simple") {
    const auto text = fmt::format("Unknown {} format", *structure);
    return error_answer({406, text, text + " for data structure"});
  }
  if (path_info.starts_with("/media/")) return media(call);
  return route(call);
}

http::Response Api::route(const Call& call) {
  auto response = call.http.method == "GET" ? route_read(call) : route_write(call);
  if (response) return std::move(*response);
  return error_answer({404, "Not found", "No way to handle your request " + call.path_info});
}

std::optional<http::Response> Api::route_read(const Call& call) {
  const auto parts = parts_of(call.path);
  const auto is = [&](std::initializer_list<std::string_view> shape) { return matches(parts, shape); };
  const auto id = [&] { return std::stoll(parts.at(1)); };
  if (call.path.empty() || call.path == "/") return root(call);
  if (is({"jobs"})) return list_jobs(call, "");
  if (is({"jobs", "details"}) || is({"jobs", "table"})) return list_jobs(call, parts[1]);
  if (is({"jobs", "#"})) return show_job(call, id(), Detail::plain);
  if (is({"jobs", "#", "details"})) return show_job(call, id(), Detail::with_resources);
  if (is({"jobs", "#", "resources"}) || is({"jobs", "#", "nodes"})) return show_job_items(call, id(), parts[2]);
  if (is({"resources"})) return list_resources(call, "");
  if (is({"resources", "full"}) || is({"resources", "details"})) return list_resources(call, parts[1]);
  if (is({"resources", "#"})) return show_resource(call, id());
  if (is({"resources", "#", "jobs"})) return jobs_on(call, {}, id());
  if (is({"resources", "nodes", "?"})) return node_resources(call, parts[2]);
  if (is({"resources", "nodes", "?", "jobs"})) return jobs_on(call, parts[2], 0);
  if (is({"resources", "?", "jobs"})) return jobs_on(call, parts[1], 0);
  if (is({"select_all"})) return select_all(call);
  if (is({"version"}) || is({"whoami"}) || is({"timezone"}) || is({"stress_factor"})) return small_facts(call, parts[0]);
  if (parts[0] == "admission_rules") return error_answer({401, "Permission denied", "Only the oar user can get admission rules"});
  if (parts[0] == "config") return error_answer({401, "Permission denied", "Only the oar user can get configuration parameters"});
  return std::nullopt;
}

std::optional<http::Response> Api::route_write(const Call& call) {
  const auto parts = parts_of(call.path);
  const auto& method = call.http.method;
  const auto is = [&](std::initializer_list<std::string_view> shape) { return matches(parts, shape); };
  if (method == "DELETE" && is({"jobs", "#"})) return delete_job(call, std::stoll(parts[1]));
  if (method != "POST") return std::nullopt;
  if (is({"jobs"})) return post_job(call);
  if (is({"jobs", "#", "?", "new"}) && is_action(parts[2])) return act(call, Scope::job, std::stoll(parts[1]), parts[2]);
  if (is({"jobs", "array", "#", "?", "new"}) && is_action(parts[3])) return act(call, Scope::array, std::stoll(parts[2]), parts[3]);
  if (is({"jobs", "#", "signals", "#"})) return send_signal(call, std::stoll(parts[1]), static_cast<int>(std::stoll(parts[3]) % 128));
  return std::nullopt;
}

}  // namespace gleaner::minioar
