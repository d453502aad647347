#pragma once
#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/grid/walltime.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/text/json_writer.hpp"

/// The stored form of campaigns: of single values, and of the keys that are one member. For lib/jdl only.
namespace gleaner::jdl::stored {

/// A text as an argument of a template.
template <std::size_t Size>
struct FixedText {
  char bytes[Size];
  constexpr FixedText(const char (&text)[Size]) { std::copy_n(text, Size, bytes); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] constexpr std::string_view view() const { return {bytes, Size - 1}; }
};

/// The stored form is invalid; from_json returns it as an error.
struct Malformed {
  std::string what;
};

inline const rapidjson::Value& member(const rapidjson::Value& object, const char* name) {
  const auto found = object.FindMember(name);
  if (found == object.MemberEnd()) throw Malformed{fmt::format("'{}' is missing", name)};
  return found->value;
}

inline std::string text(const rapidjson::Value& value, std::string_view name) {
  if (!value.IsString()) throw Malformed{fmt::format("'{}' is not a string", name)};
  return {value.GetString(), value.GetStringLength()};
}

inline std::string text_member(const rapidjson::Value& object, const char* name) { return text(member(object, name), name); }
inline int integer(const rapidjson::Value& value, std::string_view name) {
  if (!value.IsInt()) throw Malformed{fmt::format("'{}' is not a whole number", name)};
  return value.GetInt();
}

inline double number(const rapidjson::Value& value, std::string_view name) {
  if (!value.IsNumber()) throw Malformed{fmt::format("'{}' is not a number", name)};
  return value.GetDouble();
}

template <class T>
T known(std::optional<T> value, std::string_view name, std::string_view said) {
  if (!value) throw Malformed{fmt::format("'{}' of '{}' is unknown", said, name)};
  return *std::move(value);
}

// How values of each type are stored.

void read_value(const rapidjson::Value& value, std::string_view name, grid::Needs& into);
void read_value(const rapidjson::Value& value, std::string_view name, grid::Given& into);
void read_value(const rapidjson::Value& value, std::string_view name, grid::Checkpointing& into);
template <class T>
void read_value(const rapidjson::Value& value, std::string_view name, T& into) {
  if constexpr (std::is_same_v<T, std::string>) into = text(value, name);
  else if constexpr (std::is_same_v<T, int>) into = integer(value, name);
  else if constexpr (std::is_same_v<T, double>) into = number(value, name);
  else if constexpr (std::is_same_v<T, bool>) into = value.IsTrue();
  else if constexpr (std::is_same_v<T, grid::Seconds>) into = grid::Seconds{integer(value, name)};
  else if constexpr (std::is_same_v<T, grid::Grouping>) into = known(grid::grouping(text(value, name)), name, text(value, name));
  else into = known(job_kind(text(value, name)), name, text(value, name));
}
template <class T>
void read_value(const rapidjson::Value& value, std::string_view name, std::optional<T>& into) {
  read_value(value, name, into.emplace());
}
template <class T>
void read_value(const rapidjson::Value& value, std::string_view name, std::vector<T>& into) {
  if (!value.IsArray()) throw Malformed{fmt::format("'{}' is not an array", name)};
  for (const auto& element : value.GetArray()) read_value(element, name, into.emplace_back());
}

template <class T>
void write_value(text::JsonWriter& json, const T& value) {
  if constexpr (requires { name_of(value); }) json.value(name_of(value));
  else if constexpr (!std::is_same_v<T, double>) json.value(value);
  else if (value < 1 && value > 0) json.value(value);
  else json.value(static_cast<std::int64_t>(value));  // without a point
}
void write_value(text::JsonWriter& json, const grid::Needs& needs);
void write_value(text::JsonWriter& json, const grid::Given& given);
void write_value(text::JsonWriter& json, const grid::Checkpointing& checkpoint);
template <class T>
void write_value(text::JsonWriter& json, const std::optional<T>& value) {
  write_value(json, *value);
}
template <class T>
void write_value(text::JsonWriter& json, const std::vector<T>& values) {
  json.array(values, [&](const T& value) { write_value(json, value); });
}

/// As its type is stored.
struct OfItsType {
  static void write(text::JsonWriter& json, const auto& value) { write_value(json, value); }
  static void read(const rapidjson::Value& value, std::string_view name, auto& into) { read_value(value, name, into); }
};
/// A time as h:m:s.
struct Walltime {
  static void write(text::JsonWriter& json, const std::optional<grid::Seconds>& time) { json.value(grid::format_walltime(*time)); }
  static void read(const rapidjson::Value& value, std::string_view name, std::optional<grid::Seconds>& into) {
    into = known(grid::parse_walltime(text(value, name)), name, text(value, name));
  }
};
/// A switch as a word, which means that it is on.
template <FixedText On>
struct Word {
  static void write(text::JsonWriter& json, bool) { json.value(On.view()); }
  static void read(const rapidjson::Value& value, std::string_view name, bool& into) { into = text(value, name) == On.view(); }
};

/// The stored form of a key, as a member of an object.
template <class Struct>
struct StoredForm {
  void (*write)(text::JsonWriter& json, std::string_view name, const Struct& from) = nullptr;
  void (*read)(const rapidjson::Value& value, std::string_view name, Struct& into) = nullptr;
  bool (*is_stated)(const Struct& from) = nullptr;  ///< null: it is always stored; otherwise only if this is true
};

/// The member of a section, of a campaign, or of its scheduling keys.
template <auto Member>
auto& value_of(auto& holder) {
  if constexpr (requires { holder.*Member; }) return holder.*Member;
  else return holder.scheduling.*Member;
}

/// The form of one member.
template <auto Member, class How, bool IsAlways>
struct MemberForm {
  template <class Struct>
  constexpr operator StoredForm<Struct>() const {  // NOLINT(google-explicit-constructor): a row of the table takes it as its form
    StoredForm<Struct> form{
        .write = [](text::JsonWriter& json, std::string_view name,
                    const Struct& from) { How::write(json.key(name), value_of<Member>(from)); },
        .read = [](const rapidjson::Value& value, std::string_view name, Struct& into) { How::read(value, name, value_of<Member>(into)); }};
    if constexpr (!IsAlways) form.is_stated = [](const Struct& from) { return value_of<Member>(from) != unstated<Struct>(); };
    return form;
  }

 private:
  template <class Struct>
  static const auto& unstated() {
    static const Struct unstated{};
    return value_of<Member>(unstated);
  }
};
template <auto Member, class How = OfItsType>
inline constexpr MemberForm<Member, How, true> always;
/// Stored unless it has the value that it has without being stated.
template <auto Member, class How = OfItsType>
inline constexpr MemberForm<Member, How, false> where_stated;

}  // namespace gleaner::jdl::stored
