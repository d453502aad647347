#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gleaner::minioar {

/// Writes JSON, the bytes of strings passed through as they are (OAR's are not always UTF-8).
class JsonText {
 public:
  JsonText& begin_object() { return open('{'); }
  JsonText& end_object() { return close('}'); }
  JsonText& begin_array() { return open('['); }
  JsonText& end_array() { return close(']'); }
  JsonText& key(std::string_view name);
  JsonText& value(std::string_view text);
  JsonText& value(const std::string& text) { return value(std::string_view{text}); }
  JsonText& value(const char* text) { return value(std::string_view{text}); }
  JsonText& value(std::int64_t number);
  JsonText& value(const std::optional<std::int64_t>& number) { return number ? value(*number) : null(); }
  JsonText& value(const std::optional<std::string>& text) { return text ? value(std::string_view{*text}) : null(); }
  JsonText& null() { return raw("null"); }
  /// A value that is JSON already.
  JsonText& raw(std::string_view json);
  template <class Value>
  JsonText& field(std::string_view name, const Value& content) {
    key(name);
    return value(content);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  JsonText& open(char mark);
  JsonText& close(char mark);
  void separate();
  void quote(std::string_view text);
  std::string text_;
  bool first_ = true;
  bool after_key_ = false;
};

}  // namespace gleaner::minioar
