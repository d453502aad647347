#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/decisions/catalogue.hpp"
#include "lib/text/json_writer.hpp"
#include "tests/source_tree.hpp"

/// The catalogue of reasons against the API's document, whose schemas DecisionReason and DecisionFigures come from it.
namespace gleaner::decisions {
namespace {

template <class T>
constexpr bool kHasRows = std::tuple_size_v<std::remove_const_t<decltype(kFigures<T>)>> > 0;

/// A schema of the document: its members in their order, each as JSON.
using Schema = std::vector<std::pair<std::string, std::string>>;

std::string json_of(const Schema& schema) {
  std::vector<std::string> members;
  for (const auto& [name, json] : schema) members.push_back(text::json_string(name) + ": " + json);
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}
std::string list_of(const std::vector<std::string>& words) {
  std::vector<std::string> texts;
  for (const auto& word : words) texts.push_back(text::json_string(word));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

template <class T>
struct Of {};

class Figures {
 public:
  /// Adds the figures of a struct; those that are there already have the same schema.
  template <class T>
  void add() {
    std::apply([&](const auto&... row) { (this->row(row), ...); }, kFigures<T>);
  }
  template <class... All>
  void add_all(std::type_identity<std::variant<All...>>) {
    (add<All>(), ...);
  }
  void add(std::string_view name, Schema schema) {
    const auto [found, is_new] = schemas_.emplace(name, schema);
    EXPECT_EQ(json_of(found->second), json_of(schema)) << name << " has two types";
  }
  [[nodiscard]] std::map<std::string, Schema>& schemas() { return schemas_; }
  [[nodiscard]] std::string json() const {
    Schema properties;
    for (const auto& [name, schema] : schemas_) properties.emplace_back(name, json_of(schema));
    return json_of({{"type", "\"object\""}, {"properties", json_of(properties)}});
  }

 private:
  template <class Struct, class Value>
  void row(const Figure<Struct, Value>& figure) {
    add(figure.name, schema_of(Of<Value>{}));
  }
  template <class Struct, class Value>
  void row(const Part<Struct, Value>&) {
    add<Value>();
  }
  template <class Struct, class Value>
  void row(const Choice<Struct, Value>& choice) {
    add_choice(choice.name, Of<Value>{});
  }
  template <class... All>
  void add_choice(std::string_view name, Of<std::variant<All...>>) {
    add(name, {{"type", "\"string\""}, {"enum", list_of({std::string{All::kName}...})}});
    (add<All>(), ...);
  }

  template <class T>
  static Schema schema_of(Of<std::optional<T>>) {
    auto schema = schema_of(Of<T>{});
    schema.emplace_back("nullable", "true");
    return schema;
  }
  template <class T>
  static Schema schema_of(Of<std::vector<T>>) {
    return {{"type", "\"array\""}, {"items", json_of(schema_of(Of<T>{}))}};
  }
  template <class... All>
  static Schema schema_of(Of<std::variant<All...>>) {
    Figures own;
    own.add_choice(kOrder, Of<std::variant<All...>>{});
    return object_of(own);
  }
  static Schema object_of(const Figures& own) {
    Schema properties;
    for (const auto& [name, schema] : own.schemas_) properties.emplace_back(name, json_of(schema));
    return {{"type", "\"object\""}, {"properties", json_of(properties)}};
  }
  template <class Tag>
  static Schema schema_of(Of<grid::Id<Tag>>) {
    return {{"type", "\"integer\""}};
  }
  template <class T>
  static Schema schema_of(Of<T>) {
    if constexpr (kHasRows<T>) {
      Figures own;
      own.add<T>();
      return object_of(own);
    } else if constexpr (std::is_enum_v<T>) {
      std::vector<std::string> words;
      for (const auto one : kWords<T>) words.emplace_back(word_of(one));
      return {{"type", "\"string\""}, {"enum", list_of(words)}};
    } else if constexpr (std::is_same_v<T, bool>) {
      return {{"type", "\"boolean\""}};
    } else if constexpr (std::is_integral_v<T>) {
      return {{"type", "\"integer\""}};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {{"type", "\"number\""}};
    } else if constexpr (std::is_same_v<T, grid::Instant>) {
      return {{"type", "\"string\""}, {"format", "\"date-time\""}};
    } else if constexpr (std::is_same_v<T, Takers>) {
      return {{"type", "\"array\""}, {"items", json_of({{"type", "\"integer\""}})}};
    } else {
      return {{"type", "\"string\""}};
    }
  }

  std::map<std::string, Schema> schemas_;
};

Figures all_figures() {
  Figures all;
  all.add_all(std::type_identity<Reason>{});
  all.add<Standing>();
  return all;
}

std::string figures_schema() {
  auto all = all_figures();
  for (const auto& [name, meaning] : kFigureMeanings) {
    const auto found = all.schemas().find(std::string{name});
    if (found != all.schemas().end()) found->second.emplace_back("description", text::json_string(meaning));
  }
  all.add("sentence", {{"type", "\"string\""},
                       {"description", text::json_string("of a decision from before figures were stored: its sentence, the only figure")}});
  Schema properties;
  for (const auto& [name, schema] : all.schemas()) properties.emplace_back(name, json_of(schema));
  return json_of(
      {{"type", "\"object\""},
       {"description",
        text::json_string("The figures of a reason (DecisionReason says which it has); those of a launch also depend on `bound`. "
                          "Figures of a name mean the same in all reasons.")},
       {"properties", json_of(properties)}});
}

template <class T>
std::string line_of() {
  Figures own;
  if constexpr (std::is_same_v<T, reason::Launched>) return "bound, and those of the bound";
  own.add<T>();
  std::vector<std::string> names;
  for (const auto& [name, schema] : own.schemas()) names.push_back(fmt::format("`{}`", name));
  return names.empty() ? std::string{"none"} : fmt::format("{}", fmt::join(names, ", "));
}
template <class... All>
std::vector<std::pair<std::string_view, std::string>> lines_of(std::type_identity<std::variant<All...>>) {
  return {{All::kName, line_of<All>()}...};
}

std::string reason_schema() {
  std::string text = "Why it was decided so. A later version may have further reasons. Each with its figures:\n";
  auto lines = lines_of(std::type_identity<Reason>{});
  lines.emplace_back(Standing::kName, line_of<Standing>());
  for (const auto& [name, figures] : lines) {
    const auto meaning = std::ranges::find(kReasonMeanings, name, &Meaning::name);
    text += fmt::format("\n- `{}`: {}. Figures: {}", name, meaning == kReasonMeanings.end() ? "?" : meaning->meaning, figures);
  }
  text += "\n\nThe bounds of a launch, each with its figures:\n";
  for (const auto& [name, figures] : lines_of(std::type_identity<Bound>{})) text += fmt::format("\n- `{}`: {}", name, figures);
  return json_of({{"type", "\"string\""}, {"description", text::json_string(text)}});
}

/// JSON as the document is written: one space a level, below two levels.
std::string as_written(const std::string& json) {
  rapidjson::Document document;
  document.Parse(json.c_str());
  EXPECT_FALSE(document.HasParseError()) << json;
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter writer{buffer};
  writer.SetIndent(' ', 1);
  document.Accept(writer);
  std::string text;
  for (const char c : std::string{buffer.GetString(), buffer.GetSize()}) text += c == '\n' ? "\n   " : std::string{c};
  return text;
}

TEST(DecisionCatalogue, EveryReasonAndEveryFigure_HasItsMeaning_AndNoOther) {
  std::set<std::string_view> reasons{Standing::kName}, meanings;
  for (const auto& [name, figures] : lines_of(std::type_identity<Reason>{})) reasons.insert(name);
  for (const auto& [name, meaning] : kReasonMeanings) EXPECT_TRUE(meanings.insert(name).second) << name << " is there twice";
  EXPECT_EQ(reasons, meanings);
  std::set<std::string, std::less<>> names, explained;
  auto all = all_figures();
  for (const auto& [name, schema] : all.schemas()) names.insert(name);
  for (const auto& [name, meaning] : kFigureMeanings) EXPECT_TRUE(explained.emplace(name).second) << name << " is there twice";
  // The figures of a bound that no other reason has are among them.
  EXPECT_THAT(names, testing::ContainerEq(explained));
}

TEST(DecisionCatalogue, IsInTheApisDocument) {
  const auto path = tests::source_tree() / "api/openapi.json";
  auto document = tests::source_text("api/openapi.json");
  const std::map<std::string, std::string> wanted{{"DecisionReason", reason_schema()}, {"DecisionFigures", figures_schema()}};
  for (const auto& [name, json] : wanted) {
    const auto head = fmt::format("\n   \"{}\": ", name);
    const auto begin = document.find(head);
    ASSERT_NE(begin, std::string::npos) << name;
    const auto end = document.find("\n   }", begin);
    ASSERT_NE(end, std::string::npos) << name;
    const auto there = document.substr(begin + head.size(), end + 5 - begin - head.size());
    const auto made = as_written(json);
    if (std::getenv("GLEANER_WRITE_DOCUMENTS") != nullptr) document.replace(begin + head.size(), there.size(), made);
    else EXPECT_EQ(there, made) << "GLEANER_WRITE_DOCUMENTS=1 writes it";
  }
  if (std::getenv("GLEANER_WRITE_DOCUMENTS") != nullptr) std::ofstream{path} << document;
}

}  // namespace
}  // namespace gleaner::decisions
