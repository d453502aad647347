#include "sim/minioar/posted_options.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

namespace gleaner::minioar {

namespace {

/// Options that are dropped if they are empty.
constexpr std::array<std::string_view, 22> kWithValue{"resource",
                                                      "name",
                                                      "property",
                                                      "type",
                                                      "reservation",
                                                      "directory",
                                                      "project",
                                                      "connect",
                                                      "array",
                                                      "array-param-file",
                                                      "queue",
                                                      "checkpoint",
                                                      "signal",
                                                      "anterior",
                                                      "notify",
                                                      "resubmit",
                                                      "stdout",
                                                      "stderr",
                                                      "stagein",
                                                      "stagein-md5sum",
                                                      "import-job-key-inline",
                                                      "export-job-key-to-file"};
constexpr std::array<std::string_view, 3> kFlags{"use-job-key", "scanscript", "hold"};
constexpr std::array<std::string_view, 6> kIgnored{"dumper", "xml", "yaml", "json", "help", "version"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string scalar(const rapidjson::Value& value) {
  if (value.IsString()) return {value.GetString(), value.GetStringLength()};
  if (value.IsInt64()) return std::to_string(value.GetInt64());
  if (value.IsNumber()) return fmt::format("{}", value.GetDouble());
  if (value.IsBool()) return value.GetBool() ? "1" : "0";
  if (value.IsArray()) return "ARRAY(0x55e8dc8a63d8)";
  if (value.IsObject()) return "HASH(0x558c11bb1368)";
  return {};
}

tl::unexpected<ApiError> not_understood(const rapidjson::Document& document, const std::string& json) {
  const auto at = document.GetErrorOffset();
  return tl::unexpected{
      ApiError{400, "JSON data not understood",
               fmt::format("{}, at character offset {} (before \"{}\")\n", rapidjson::GetParseError_En(document.GetParseError()), at,
                           at >= json.size() ? "(end of string)" : json.substr(at, 20))}};
}

void add_option(PostedOptions& posted, const std::string& name, const rapidjson::Value& value) {
  if (value.IsArray()) {
    for (const auto& item : value.GetArray()) posted.options.emplace_back(name, scalar(item));
    return;
  }
  auto text = scalar(value);
  if (among(kFlags, name)) {
    if (text == "0" || value.IsNull()) return;
    text.clear();
  } else if (text.empty() && among(kWithValue, name)) {
    return;
  }
  posted.options.emplace_back(name, std::move(text));
}

}  // namespace

std::string latin1_when_possible(const std::string& utf8) {
  std::string out;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    if (byte < 0x80) {
      out += utf8[i];
    } else if ((byte == 0xC2 || byte == 0xC3) && i + 1 < utf8.size()) {
      const auto next = static_cast<unsigned char>(utf8[++i]);
      out += static_cast<char>(((byte & 0x03U) << 6U) | (next & 0x3FU));
    } else {
      return utf8;
    }
  }
  return out;
}

tl::expected<std::string, ApiError> read_mode(const std::string& json) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  if (document.HasParseError()) return not_understood(document, json);
  if (document.IsObject() && document.HasMember("mode")) {
    if (auto mode = scalar(document["mode"]); !mode.empty()) return mode;
  }
  return tl::unexpected{ApiError{400, "Missing Required Field", "Chmod query must have a mode field"}};
}

tl::expected<PostedOptions, ApiError> read_posted_job(const std::string& json) {
  rapidjson::Document document;
  constexpr auto kParseFlags =
      static_cast<unsigned>(rapidjson::kParseIterativeFlag) | static_cast<unsigned>(rapidjson::kParseValidateEncodingFlag);
  document.Parse<kParseFlags>(json.data(), json.size());
  if (document.HasParseError()) return not_understood(document, json);
  if (!document.IsObject()) return tl::unexpected{ApiError{500, "", ""}};
  PostedOptions posted;
  bool reservation = false;
  for (const auto& [key, value] : document.GetObject()) {
    std::string name{key.GetString(), key.GetStringLength()};
    if (name == "resources") name = "resource";
    if (among(kIgnored, name)) continue;
    if (name == "interactive") {
      return tl::unexpected{ApiError{400, "The API cannot manage interactive jobs", "The API cannot manage interactive jobs"}};
    }
    if (name == "command" || name == "script_path") {
      if (auto text = scalar(value); !text.empty()) posted.command = std::move(text);
    } else if (name == "script") {
      if (auto text = scalar(value); !text.empty()) posted.script = latin1_when_possible(text);
    } else if (name == "param_file") {
      posted.param_file = latin1_when_possible(scalar(value));
    } else if (name == "workdir") {
      posted.workdir = scalar(value);
    } else {
      reservation = reservation || name == "reservation";
      add_option(posted, name, value);
    }
  }
  if (!posted.command && !posted.script && !reservation) {
    return tl::unexpected{
        ApiError{400, "Missing Required Field", "A job must have a script, a command (script_path) or must be a reservation!"}};
  }
  return posted;
}

}  // namespace gleaner::minioar
