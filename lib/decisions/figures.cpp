#include "lib/decisions/figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/document.h>

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/decisions/catalogue.hpp"
#include "lib/text/json_depth.hpp"
#include "lib/text/json_value.hpp"
#include "lib/text/json_writer.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::decisions {
namespace {

template <class T>
constexpr bool kHasFigures = std::tuple_size_v<std::remove_const_t<decltype(kFigures<T>)>> > 0;
template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;
template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
constexpr bool kIsVariant = false;
template <class... T>
constexpr bool kIsVariant<std::variant<T...>> = true;

// Writing.

/// Whether sparse figures that are 0 are written.
enum class Zeros { written, left_out };

template <class T>
void write_members(text::JsonWriter& json, const T& value, Zeros zeros);

template <class T>
void write_value(text::JsonWriter& json, const T& value, Zeros zeros) {
  if constexpr (kIsOptional<T>) {
    if (value) write_value(json, *value, zeros);
    else json.null();
  } else if constexpr (kIsList<T>) {
    json.array(value, [&](const auto& one) { write_value(json, one, zeros); });
  } else if constexpr (kIsVariant<T>) {
    std::visit(
        [&](const auto& one) {
          json.object([&] {
            json.field(kOrder, one.kName);
            write_members(json, one, zeros);
          });
        },
        value);
  } else if constexpr (kHasFigures<T>) {
    json.object([&] { write_members(json, value, zeros); });
  } else if constexpr (std::is_same_v<T, Takers>) {
    json.begin_array();
    for (int i = 0; i < value.count; ++i) json.value(value.ids.at(static_cast<std::size_t>(i)));
    json.end_array();
  } else if constexpr (std::is_enum_v<T>) {
    json.value(word_of(value));
  } else {
    json.value(value);
  }
}

struct Write {
  text::JsonWriter& json;
  Zeros zeros;

  template <class Struct, class Value>
  void operator()(const Struct& value, const Figure<Struct, Value>& figure) const {
    if constexpr (std::is_arithmetic_v<Value>) {
      if (figure.sparse && zeros == Zeros::left_out && value.*figure.member == Value{}) return;
    }
    json.key(figure.name);
    write_value(json, value.*figure.member, zeros);
  }
  template <class Struct, class Value>
  void operator()(const Struct& value, const Part<Struct, Value>& part) const {
    write_members(json, value.*part.member, zeros);
  }
  template <class Struct, class Value>
  void operator()(const Struct& value, const Choice<Struct, Value>& choice) const {
    std::visit(
        [&](const auto& one) {
          json.field(choice.name, one.kName);
          write_members(json, one, zeros);
        },
        value.*choice.member);
  }
};

template <class T>
void write_members(text::JsonWriter& json, const T& value, Zeros zeros) {
  std::apply([&](const auto&... row) { (Write{json, zeros}(value, row), ...); }, kFigures<T>);
}

// Reading. Each function returns false, and sets the error, at the first figure that is wrong.

/// Constructs a value before it is read; ids have no default.
template <class T>
T blank() {
  if constexpr (std::is_constructible_v<T, std::int64_t> && !std::is_default_constructible_v<T>) return T{0};
  else return T{};
}

class Reader {
 public:
  [[nodiscard]] const std::string& error() const { return error_; }

  template <class T>
  bool members(const rapidjson::Value& object, T& value) {
    return std::apply([&](const auto&... row) { return (this->row(object, value, row) && ...); }, kFigures<T>);
  }

 private:
  template <class Struct, class Value>
  bool row(const rapidjson::Value& object, Struct& value, const Figure<Struct, Value>& figure) {
    name_ = figure.name;
    if (figure.sparse && !object.HasMember(rapidjson::StringRef(figure.name.data(), figure.name.size()))) return true;
    const auto* found = member(object, figure.name);
    return found != nullptr && this->value(*found, value.*figure.member);
  }
  template <class Struct, class Value>
  bool row(const rapidjson::Value& object, Struct& value, const Part<Struct, Value>& part) {
    return members(object, value.*part.member);
  }
  template <class Struct, class Value>
  bool row(const rapidjson::Value& object, Struct& value, const Choice<Struct, Value>& choice) {
    return alternative(object, choice.name, value.*choice.member);
  }

  template <class... All>
  bool alternative(const rapidjson::Value& object, std::string_view name, std::variant<All...>& value) {
    name_ = name;
    const auto* found = member(object, name);
    if (found == nullptr) return false;
    const auto chosen = found->IsString() ? std::string_view{found->GetString(), found->GetStringLength()} : std::string_view{};
    bool known = false, read = false;
    const auto consider = [&]<class One>(std::type_identity<One>) {
      if (known || One::kName != chosen) return;
      known = true;
      auto one = blank<One>();
      read = members(object, one);
      value = std::move(one);
    };
    (consider(std::type_identity<All>{}), ...);
    return known ? read : wrong(*found, fmt::format("one of {}", fmt::join(std::array{All::kName...}, ", ")));
  }

  template <class T>
  bool value(const rapidjson::Value& json, T& value) {
    if constexpr (kIsOptional<T>) {
      if (json.IsNull()) return true;
      value = blank<typename T::value_type>();
      return this->value(json, *value);
    } else if constexpr (kIsList<T>) {
      return list(json, value);
    } else if constexpr (kIsVariant<T>) {
      return json.IsObject() ? alternative(json, kOrder, value) : wrong(json, "an object");
    } else if constexpr (kHasFigures<T>) {
      return json.IsObject() ? members(json, value) : wrong(json, "an object");
    } else if constexpr (std::is_enum_v<T>) {
      return word(json, value);
    } else {
      return single(json, value);
    }
  }

  template <class Enum>
  bool word(const rapidjson::Value& json, Enum& value) {
    const auto text = json.IsString() ? std::string_view{json.GetString(), json.GetStringLength()} : std::string_view{};
    std::vector<std::string_view> words;
    for (const auto one : kWords<Enum>) {
      words.push_back(word_of(one));
      if (words.back() != text) continue;
      value = one;
      return true;
    }
    return wrong(json, fmt::format("one of {}", fmt::join(words, ", ")));
  }

  template <class T>
  bool list(const rapidjson::Value& json, std::vector<T>& values) {
    if (!json.IsArray()) return wrong(json, "an array");
    for (const auto& one : json.GetArray()) {
      values.push_back(blank<T>());
      if (!value(one, values.back())) return false;
    }
    return true;
  }

  bool single(const rapidjson::Value& json, bool& truth) {
    if (!json.IsBool()) return wrong(json, "true or false");
    truth = json.GetBool();
    return true;
  }
  bool single(const rapidjson::Value& json, int& number) {
    if (!json.IsInt()) return wrong(json, "an integer");
    number = json.GetInt();
    return true;
  }
  bool single(const rapidjson::Value& json, std::int64_t& number) {
    if (!json.IsInt64()) return wrong(json, "an integer");
    number = json.GetInt64();
    return true;
  }
  bool single(const rapidjson::Value& json, double& number) {
    if (!json.IsNumber()) return wrong(json, "a number");
    number = json.GetDouble();
    return true;
  }
  bool single(const rapidjson::Value& json, std::string& text) {
    if (!json.IsString()) return wrong(json, "a string");
    text.assign(json.GetString(), json.GetStringLength());
    return true;
  }
  bool single(const rapidjson::Value& json, grid::Instant& time) {
    const auto read = json.IsString() ? text::read_utc({json.GetString(), json.GetStringLength()}) : std::nullopt;
    if (!read) return wrong(json, "a time, as 2026-11-20T18:14:56Z");
    time = *read;
    return true;
  }
  template <class Tag>
  bool single(const rapidjson::Value& json, grid::Id<Tag>& id) {
    std::int64_t number = 0;
    if (!single(json, number)) return false;
    id = grid::Id<Tag>{number};
    return true;
  }
  bool single(const rapidjson::Value& json, Takers& takers) {
    if (!json.IsArray() || json.Size() > takers.ids.size()) return wrong(json, fmt::format("at most {} campaigns", takers.ids.size()));
    for (const auto& one : json.GetArray()) {
      if (!single(one, takers.ids.at(static_cast<std::size_t>(takers.count)))) return false;
      ++takers.count;
    }
    return true;
  }

  const rapidjson::Value* member(const rapidjson::Value& object, std::string_view name) {
    const auto found = object.FindMember(rapidjson::StringRef(name.data(), name.size()));
    if (found != object.MemberEnd()) return &found->value;
    error_ = fmt::format("{} is missing", name);
    return nullptr;
  }
  bool wrong(const rapidjson::Value& json, std::string_view right) {
    constexpr std::size_t kShown = 60;
    auto shown = text::json_text(json);
    if (shown.size() > kShown) shown = "too long";
    error_ = fmt::format("{} is {}, and must be {}", name_, shown, right);
    return false;
  }

  std::string_view name_;  ///< of the figure that is read
  std::string error_;
};

template <class T>
std::string written(const T& value, Zeros zeros) {
  text::JsonWriter json;
  json.object([&] { write_members(json, value, zeros); });
  return json.text();
}

template <class... All>
tl::expected<Reason, std::string> read_one(std::string_view code, const rapidjson::Value& object,
                                           std::type_identity<std::variant<All...>>) {
  std::optional<Reason> found;
  Reader reader;
  bool read = false;
  const auto consider = [&]<class One>(std::type_identity<One>) {
    if (found || One::kName != code) return;
    auto one = blank<One>();
    read = reader.members(object, one);
    found = std::move(one);
  };
  (consider(std::type_identity<All>{}), ...);
  if (!found) return tl::unexpected{fmt::format("this version knows no reason '{}'", code)};
  if (!read) return tl::unexpected{reader.error()};
  return std::move(*found);
}

}  // namespace

std::string figures_of(const Reason& reason) {
  return std::visit([](const auto& one) { return written(one, Zeros::written); }, reason);
}

std::string stored_figures(const Reason& reason) {
  return std::visit([](const auto& one) { return written(one, Zeros::left_out); }, reason);
}

std::string figures_of(const Standing& standing) { return written(standing, Zeros::written); }

tl::expected<ReasonOrStanding, std::string> read_figures(std::string_view code, std::string_view json) {
  rapidjson::Document document;
  if (!text::is_nested_deeper(json)) document.Parse<rapidjson::kParseFullPrecisionFlag>(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) return tl::unexpected{std::string{"they are no JSON object"}};
  if (code == Standing::kName) {
    Standing standing;
    Reader reader;
    if (!reader.members(document, standing)) return tl::unexpected{reader.error()};
    return standing;
  }
  return read_one(code, document, std::type_identity<Reason>{}).map([](Reason reason) { return ReasonOrStanding{std::move(reason)}; });
}

}  // namespace gleaner::decisions
