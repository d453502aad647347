#include "sim/minioar/json_text.hpp"

#include <fmt/format.h>

namespace gleaner::minioar {

void JsonText::separate() {
  if (after_key_) {
    after_key_ = false;
  } else if (!first_) {
    text_ += ',';
  }
  first_ = false;
}

JsonText& JsonText::open(char mark) {
  separate();
  text_ += mark;
  first_ = true;
  return *this;
}

JsonText& JsonText::close(char mark) {
  text_ += mark;
  first_ = false;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  after_key_ = true;
  return *this;
}

JsonText& JsonText::value(std::string_view text) {
  separate();
  quote(text);
  return *this;
}

JsonText& JsonText::value(std::int64_t number) { return raw(std::to_string(number)); }

JsonText& JsonText::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

void JsonText::quote(std::string_view text) {
  text_ += '"';
  for (const char c : text) {
    switch (c) {
      case '"': text_ += "\\\""; break;
      case '\\': text_ += "\\\\"; break;
      case '\n': text_ += "\\n"; break;
      case '\t': text_ += "\\t"; break;
      case '\r': text_ += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          text_ += c;
        }
    }
  }
  text_ += '"';
}

}  // namespace gleaner::minioar
