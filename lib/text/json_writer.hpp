#pragma once
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gleaner::text {

/// Writes one JSON document, value by value. Instants are as utc() writes them, durations numbers of
/// seconds, ids their numbers; empty optionals and numbers that are
/// not finite become null. Strings keep their bytes: invalid UTF-8 makes an invalid document.
class JsonWriter {
 public:
  JsonWriter();
  ~JsonWriter();
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  template <std::invocable Members>
  JsonWriter& object(Members&& members) {
    begin_object();
    members();
    return end_object();
  }
  template <class Items, class Write>
  JsonWriter& array(const Items& items, Write&& write) {
    begin_array();
    for (const auto& item : items) write(item);
    return end_array();
  }
  /// An array of the items' values.
  template <class Items>
  JsonWriter& array(const Items& items) {
    return array(items, [this](const auto& item) { this->value(item); });
  }
  /// An array with an object for each item that `wanted` accepts.
  template <class Items, class Write, class Wanted>
  JsonWriter& object_list(const Items& items, Write&& write, Wanted&& wanted) {
    begin_array();
    for (const auto& item : items) {
      if (wanted(item)) object([&] { write(item); });
    }
    return end_array();
  }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const std::string& text) { return value(std::string_view{text}); }
  JsonWriter& value(const char* text) { return value(std::string_view{text}); }
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(int number) { return value(std::int64_t{number}); }
  JsonWriter& value(double number);
  JsonWriter& value(std::same_as<bool> auto truth) { return boolean(truth); }
  JsonWriter& value(std::chrono::sys_time<std::chrono::microseconds> instant);
  JsonWriter& value(std::chrono::seconds seconds) { return value(std::int64_t{seconds.count()}); }
  template <class Id>
  requires requires(const Id& id) {
    { id.value() } -> std::same_as<std::int64_t>;
  }
  JsonWriter& value(const Id& id) { return value(id.value()); }
  template <class T>
  JsonWriter& value(const std::optional<T>& perhaps) {
    return perhaps ? value(*perhaps) : null();
  }
  JsonWriter& null();
  /// Adds a value that is JSON already.
  JsonWriter& raw(std::string_view json);

  template <class T>
  JsonWriter& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  /// Bytes written so far.
  [[nodiscard]] std::size_t size() const;
  /// The document so far.
  [[nodiscard]] std::string text() const;

 private:
  JsonWriter& boolean(bool truth);

  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// A string as a JSON literal, in quotes.
[[nodiscard]] std::string json_string(std::string_view text);

/// The same document, indented.
[[nodiscard]] std::string prettified(const std::string& json);

}  // namespace gleaner::text
