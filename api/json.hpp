#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"

namespace gleaner::api {

/// Writes one JSON document. Instants become seconds since 1970, empty optionals null.
class Json {
 public:
  Json();
  ~Json();
  Json(const Json&) = delete;
  Json& operator=(const Json&) = delete;

  template <std::invocable Members>
  void object(Members&& members) {
    begin_object();
    members();
    end_object();
  }
  template <class Items, class Write>
  void array(const Items& items, Write&& write) {
    begin_array();
    for (const auto& item : items) write(item);
    end_array();
  }
  /// An object for each item that is wanted.
  template <class Items, class Write, class Wanted>
  void object_list(const Items& items, Write&& write, Wanted&& wanted) {
    begin_array();
    for (const auto& item : items) {
      if (wanted(item)) object([&] { write(item); });
    }
    end_array();
  }
  Json& key(std::string_view name);

  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view{text}); }
  void value(const char* text) { value(std::string_view{text}); }
  void value(std::int64_t number);
  void value(int number) { value(std::int64_t{number}); }
  void value(double number);
  void value(std::same_as<bool> auto truth) { boolean(truth); }
  void value(grid::Instant instant) { value(grid::to_unix(instant)); }
  void value(grid::Seconds seconds) { value(std::int64_t{seconds.count()}); }
  template <class Tag>
  void value(grid::Id<Tag> id) {
    value(id.value());
  }
  template <class T>
  void value(const std::optional<T>& perhaps) {
    if (perhaps) {
      value(*perhaps);
    } else {
      null();
    }
  }
  void null();
  /// A value that is JSON already.
  void raw(std::string_view json);

  template <class T>
  void field(std::string_view name, const T& content) {
    key(name).value(content);
  }

  /// Bytes that are written so far.
  [[nodiscard]] std::size_t size() const;
  /// The document.
  [[nodiscard]] std::string text() const;

 private:
  void begin_object();
  void end_object();
  void begin_array();
  void end_array();
  void boolean(bool truth);

  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The same document, indented.
[[nodiscard]] std::string prettified(const std::string& json);

}  // namespace gleaner::api
