#include "api/json.hpp"

#include <cmath>

#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace gleaner::api {

struct Json::Implementation {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
};

namespace {
rapidjson::SizeType size_of(std::string_view text) { return static_cast<rapidjson::SizeType>(text.size()); }
}  // namespace

Json::Json() : implementation_{std::make_unique<Implementation>()} {}
Json::~Json() = default;

void Json::begin_object() { implementation_->writer.StartObject(); }
void Json::end_object() { implementation_->writer.EndObject(); }
void Json::begin_array() { implementation_->writer.StartArray(); }
void Json::end_array() { implementation_->writer.EndArray(); }

Json& Json::key(std::string_view name) {
  implementation_->writer.Key(name.data(), size_of(name));
  return *this;
}

void Json::value(std::string_view text) { implementation_->writer.String(text.data(), size_of(text)); }
void Json::value(std::int64_t number) { implementation_->writer.Int64(number); }
void Json::value(double number) {
  if (std::isfinite(number)) {
    implementation_->writer.Double(number);
  } else {
    null();
  }
}
void Json::boolean(bool truth) { implementation_->writer.Bool(truth); }
void Json::null() { implementation_->writer.Null(); }
void Json::raw(std::string_view json) { implementation_->writer.RawValue(json.data(), json.size(), rapidjson::kObjectType); }

std::size_t Json::size() const { return implementation_->buffer.GetSize(); }
std::string Json::text() const { return {implementation_->buffer.GetString(), implementation_->buffer.GetSize()}; }

std::string prettified(const std::string& json) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter writer{buffer};
  writer.SetIndent(' ', 2);
  rapidjson::StringStream stream{json.c_str()};
  constexpr auto kFlags = static_cast<unsigned>(rapidjson::kParseFullPrecisionFlag) | static_cast<unsigned>(rapidjson::kParseIterativeFlag);
  rapidjson::Reader{}.Parse<kFlags>(stream, writer);
  return std::string{buffer.GetString(), buffer.GetSize()} + "\n";
}

}  // namespace gleaner::api
