#include "lib/text/json_writer.hpp"

#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>

#include "lib/text/utc.hpp"

namespace gleaner::text {

struct JsonWriter::Implementation {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
};

namespace {
rapidjson::SizeType size_of(std::string_view text) { return static_cast<rapidjson::SizeType>(text.size()); }
}  // namespace

JsonWriter::JsonWriter() : implementation_{std::make_unique<Implementation>()} {}
JsonWriter::~JsonWriter() = default;

JsonWriter& JsonWriter::begin_object() {
  implementation_->writer.StartObject();
  return *this;
}
JsonWriter& JsonWriter::end_object() {
  implementation_->writer.EndObject();
  return *this;
}
JsonWriter& JsonWriter::begin_array() {
  implementation_->writer.StartArray();
  return *this;
}
JsonWriter& JsonWriter::end_array() {
  implementation_->writer.EndArray();
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  implementation_->writer.Key(name.data(), size_of(name));
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  implementation_->writer.String(text.data(), size_of(text));
  return *this;
}
JsonWriter& JsonWriter::value(std::int64_t number) {
  implementation_->writer.Int64(number);
  return *this;
}
JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  implementation_->writer.Double(number);
  return *this;
}
JsonWriter& JsonWriter::value(std::chrono::sys_time<std::chrono::microseconds> instant) { return value(utc(instant)); }
JsonWriter& JsonWriter::boolean(bool truth) {
  implementation_->writer.Bool(truth);
  return *this;
}
JsonWriter& JsonWriter::null() {
  implementation_->writer.Null();
  return *this;
}
JsonWriter& JsonWriter::raw(std::string_view json) {
  implementation_->writer.RawValue(json.data(), json.size(), rapidjson::kObjectType);
  return *this;
}

std::size_t JsonWriter::size() const { return implementation_->buffer.GetSize(); }
std::string JsonWriter::text() const { return {implementation_->buffer.GetString(), implementation_->buffer.GetSize()}; }

std::string json_string(std::string_view text) { return JsonWriter{}.value(text).text(); }

std::string prettified(const std::string& json) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter writer{buffer};
  writer.SetIndent(' ', 2);
  rapidjson::StringStream stream{json.c_str()};
  constexpr auto kFlags = static_cast<unsigned>(rapidjson::kParseFullPrecisionFlag) | static_cast<unsigned>(rapidjson::kParseIterativeFlag);
  rapidjson::Reader{}.Parse<kFlags>(stream, writer);
  return std::string{buffer.GetString(), buffer.GetSize()} + "\n";
}

}  // namespace gleaner::text
