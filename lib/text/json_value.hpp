#pragma once
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <string>

namespace gleaner::text {

/// A parsed value, written as JSON.
[[nodiscard]] inline std::string json_text(const rapidjson::Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer writer{buffer};
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace gleaner::text
