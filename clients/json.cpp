#include "clients/json.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "lib/text/json_depth.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::clients {

class JsonReader {
 public:
  static Json read(const rapidjson::Value& from) {
    Json json;
    if (from.IsBool()) json.value_ = from.GetBool();
    if (from.IsInt64()) {
      json.value_ = from.GetInt64();
    } else if (from.IsNumber()) {
      json.value_ = from.GetDouble();
    }
    if (from.IsString()) json.value_ = std::string{from.GetString(), from.GetStringLength()};
    if (from.IsArray()) {
      std::vector<Json> items;
      items.reserve(from.Size());
      for (const auto& item : from.GetArray()) items.push_back(read(item));
      json.value_ = std::move(items);
    }
    if (from.IsObject()) {
      std::vector<Json::Member> members;
      for (const auto& member : from.GetObject())
        members.emplace_back(std::string{member.name.GetString(), member.name.GetStringLength()}, read(member.value));
      json.value_ = std::move(members);
    }
    return json;
  }
};

class JsonWriter {
 public:
  template <class Writer>
  static void write(const Json& json, Writer& writer) {
    if (const auto* number = std::get_if<double>(&json.value_)) {
      writer.Double(*number);
    } else if (const auto* text = std::get_if<std::string>(&json.value_)) {
      write_text(*text, writer);
    } else if (const auto* is = std::get_if<bool>(&json.value_)) {
      writer.Bool(*is);
    } else if (const auto whole = json.whole()) {
      writer.Int64(*whole);
    } else {
      write_nested(json, writer);
    }
  }

 private:
  template <class Writer>
  static void write_text(const std::string& text, Writer& writer) {
    writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }

  template <class Writer>
  static void write_nested(const Json& json, Writer& writer) {
    if (std::holds_alternative<std::vector<Json>>(json.value_)) {
      writer.StartArray();
      for (const auto& item : json.items()) write(item, writer);
      writer.EndArray();
    } else if (std::holds_alternative<std::vector<Json::Member>>(json.value_)) {
      writer.StartObject();
      for (const auto& [key, value] : json.members()) {
        write_text(key, writer);
        write(value, writer);
      }
      writer.EndObject();
    } else {
      writer.Null();
    }
  }
};

std::string dump(const Json& json, Layout layout) {
  rapidjson::StringBuffer buffer;
  if (layout == Layout::indented) {
    rapidjson::PrettyWriter<rapidjson::StringBuffer> writer{buffer};
    writer.SetIndent(' ', 2);
    JsonWriter::write(json, writer);
  } else {
    rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
    JsonWriter::write(json, writer);
  }
  return {buffer.GetString(), buffer.GetSize()};
}

Json Json::of(std::int64_t number) {
  Json json;
  json.value_ = number;
  return json;
}

Json Json::of(std::string text) {
  Json json;
  json.value_ = std::move(text);
  return json;
}

Json Json::of(std::vector<Json> items) {
  Json json;
  json.value_ = std::move(items);
  return json;
}

Json Json::of(std::vector<Member> members) {
  Json json;
  json.value_ = std::move(members);
  return json;
}

void Json::add(std::string key, Json value) {
  if (auto* members = std::get_if<std::vector<Member>>(&value_)) members->emplace_back(std::move(key), std::move(value));
}

tl::expected<Json, std::string> Json::parse(std::string_view text) {
  // The reader and its callers recurse, so the depth is limited.
  if (text::is_nested_deeper(text)) return tl::unexpected{fmt::format("it is nested deeper than {} levels", text::kDeepestJson)};
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (document.HasParseError())
    return tl::unexpected{fmt::format("{} at byte {}", rapidjson::GetParseError_En(document.GetParseError()), document.GetErrorOffset())};
  return JsonReader::read(document);
}

const Json& Json::operator[](std::string_view key) const {
  static const Json kNull;
  for (const auto& [name, value] : members()) {
    if (name == key) return value;
  }
  return kNull;
}

const std::vector<Json>& Json::items() const {
  static const std::vector<Json> kNone;
  const auto* items = std::get_if<std::vector<Json>>(&value_);
  return items != nullptr ? *items : kNone;
}

const std::vector<Json::Member>& Json::members() const {
  static const std::vector<Member> kNone;
  const auto* members = std::get_if<std::vector<Member>>(&value_);
  return members != nullptr ? *members : kNone;
}

bool Json::is_true() const {
  const auto* is = std::get_if<bool>(&value_);
  return is != nullptr && *is;
}

std::string Json::text() const {
  const auto* text = std::get_if<std::string>(&value_);
  return text != nullptr ? *text : std::string{};
}

std::optional<std::int64_t> Json::whole() const {
  const auto* number = std::get_if<std::int64_t>(&value_);
  return number != nullptr ? std::optional{*number} : std::nullopt;
}

std::optional<std::int64_t> Json::time() const {
  const auto* written = std::get_if<std::string>(&value_);
  const auto instant = written != nullptr ? text::read_utc(*written) : std::nullopt;
  return instant ? std::optional<std::int64_t>{instant->time_since_epoch().count()} : std::nullopt;
}

std::optional<double> Json::number() const {
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  if (const auto integer = whole()) return static_cast<double>(*integer);
  return std::nullopt;
}

}  // namespace gleaner::clients
