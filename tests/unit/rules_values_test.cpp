// JSON into ruby and back.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mruby.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>
#include <limits>
#include <memory>

#include "lib/jdl/text.hpp"
#include "lib/rules/ruby/values.hpp"

namespace gleaner::rules::ruby {
namespace {

using rapidjson::Document;
using rapidjson::Value;

std::string text_of(const Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer writer{buffer};
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

Value text_value(Document& document) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(
      std::vector<std::string>{"a", "clusters", " ", "\"", "\\", "\n", std::string(1, '\0'), "\x01", "é", "€", "😀", "\u2028"}));
  std::string text;
  for (const auto& piece : pieces) text += piece;
  return Value{text.data(), static_cast<rapidjson::SizeType>(text.size()), document.GetAllocator()};
}

Value number_value() {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  switch (*rc::gen::inRange(0, 5)) {
    case 0: return Value{*rc::gen::arbitrary<std::int64_t>()};
    case 1:
      return Value{*rc::gen::elementOf(
          std::vector<std::int64_t>{kLeast, kLeast + 1, -1, 0, 1, (std::int64_t{1} << 62) - 1, std::int64_t{1} << 62, kMost - 1, kMost})};
    case 2:
      return Value{*rc::gen::elementOf(
          std::vector<std::uint64_t>{std::uint64_t{1} << 63, (std::uint64_t{1} << 63) + 1, std::numeric_limits<std::uint64_t>::max()})};
    case 3:
      return Value{
          *rc::gen::elementOf(std::vector<double>{0.1, -0.0, 1.0 / 3, 1e308, 5e-324, 0.1 + 0.2, 3.0, 1e22, 9007199254740993.0, -2.5e-10})};
    default: {
      const auto number = *rc::gen::arbitrary<double>();
      return Value{std::isfinite(number) ? number : 0.5};
    }
  }
}

Value any_value(Document& document, int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 7 : 5)) {
    case 0: return Value{};
    case 1: return Value{true};
    case 2: return Value{false};
    case 3: return number_value();
    case 4: return text_value(document);
    case 5: {
      Value array{rapidjson::kArrayType};
      for (int left = *rc::gen::inRange(0, 5); left > 0; --left) array.PushBack(any_value(document, depth - 1), document.GetAllocator());
      return array;
    }
    default: {
      Value object{rapidjson::kObjectType};
      for (int left = *rc::gen::inRange(0, 5); left > 0; --left) {
        auto key = text_value(document);
        if (!object.HasMember(key)) object.AddMember(key, any_value(document, depth - 1), document.GetAllocator());
      }
      return object;
    }
  }
}

std::shared_ptr<mrb_state> an_interpreter() { return {mrb_open(), mrb_close}; }

RC_GTEST_PROP(RulesValues, AnyJson_GoesIntoRubyAndBack_Unchanged, ()) {
  static const auto mrb = an_interpreter();
  Document document;
  const auto value = any_value(document, 4);
  const int arena = mrb_gc_arena_save(mrb.get());
  const auto back = from_ruby(mrb.get(), to_ruby(mrb.get(), value), &value, "jdl", document.GetAllocator());
  mrb_gc_arena_restore(mrb.get(), arena);
  RC_ASSERT(back.has_value());
  RC_ASSERT(text_of(*back) == text_of(value));
}

TEST(RulesValues, ANumberThatWasMoved_KeepsItsFifteenDigits_AndAnIntegerAllOfThem) {
  const auto mrb = an_interpreter();
  Document document;
  for (const auto* text : {"0.1", "-2.5", "1234567.12345678", "9223372036854775807", "-9223372036854775808", "4611686018427387904"}) {
    document.Parse(text);
    const auto back = from_ruby(mrb.get(), to_ruby(mrb.get(), document), nullptr, "x", document.GetAllocator());
    ASSERT_TRUE(back) << text;
    EXPECT_EQ(text_of(*back), text);
  }
}

}  // namespace
}  // namespace gleaner::rules::ruby
