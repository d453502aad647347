#include "lib/rules/ruby/values.hpp"

#include <mruby/array.h>
#include <mruby/class.h>
#include <mruby/hash.h>
#include <mruby/string.h>

#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "lib/jdl/problem.hpp"
#include "lib/jdl/text.hpp"
#include "lib/text/json_depth.hpp"

namespace gleaner::rules::ruby {
namespace {

using rapidjson::Value;

mrb_value text_to_ruby(mrb_state* mrb, const Value& text) { return mrb_str_new(mrb, text.GetString(), text.GetStringLength()); }

mrb_value number_to_ruby(mrb_state* mrb, const Value& number) {
  if (number.IsInt64()) return mrb_int_value(mrb, number.GetInt64());
  return mrb_float_value(mrb, number.GetDouble());
}

mrb_value array_to_ruby(mrb_state* mrb, const Value& array) {
  const auto result = mrb_ary_new_capa(mrb, static_cast<mrb_int>(array.Size()));
  for (const auto& element : array.GetArray()) {
    const int arena = mrb_gc_arena_save(mrb);
    mrb_ary_push(mrb, result, to_ruby(mrb, element));
    mrb_gc_arena_restore(mrb, arena);
  }
  return result;
}

mrb_value object_to_ruby(mrb_state* mrb, const Value& object) {
  const auto result = mrb_hash_new(mrb);
  for (const auto& member : object.GetObject()) {
    const int arena = mrb_gc_arena_save(mrb);
    mrb_hash_set(mrb, result, text_to_ruby(mrb, member.name), to_ruby(mrb, member.value));
    mrb_gc_arena_restore(mrb, arena);
  }
  return result;
}

/// Converts ruby's values to JSON's.
class Reader {
 public:
  using Read = tl::expected<Value, std::string>;

  Reader(mrb_state* mrb, rapidjson::Document::AllocatorType& allocator) : mrb_{mrb}, allocator_{allocator} {}

  Read read(mrb_value value, const Value* original, const std::string& path, std::size_t depth) {
    if (depth > text::kDeepestJson) return wrong(path, "it is nested too deeply, or holds itself");
    if (mrb_nil_p(value)) return Value{};
    switch (mrb_type(value)) {
      case MRB_TT_TRUE: return Value{true};
      case MRB_TT_FALSE: return Value{false};
      case MRB_TT_INTEGER: return Value{static_cast<std::int64_t>(mrb_integer(value))};
      case MRB_TT_FLOAT: return read_float(value, original, path);
      case MRB_TT_STRING: return read_text(value, path);
      case MRB_TT_ARRAY: return read_array(value, original, path, depth);
      case MRB_TT_HASH: return read_hash(value, original, path, depth);
      default:
        return wrong(path, fmt::format("it is a {}, and not a string, a number, true, false, nil, an array or a hash", class_of(value)));
    }
  }

 private:
  static tl::unexpected<std::string> wrong(const std::string& path, std::string_view what) {
    return tl::unexpected{fmt::format("{}: {}", path, what)};
  }

  std::string class_of(mrb_value value) { return mrb_obj_classname(mrb_, value); }

  /// mruby drops two bits of a double; an unchanged value gets them back.
  Read read_float(mrb_value value, const Value* original, const std::string& path) {
    const auto number = mrb_float(value);
    if (!std::isfinite(number)) return wrong(path, "it is a number without end (Infinity or NaN)");
    if (original != nullptr && original->IsNumber() && !original->IsInt64() &&
        mrb_float(mrb_float_value(mrb_, original->GetDouble())) == number)
      return Value{*original, allocator_};
    return Value{std::stod(fmt::format("{:.15g}", number))};
  }

  Read read_text(mrb_value value, const std::string& path) {
    const std::string_view text{RSTRING_PTR(value), static_cast<std::size_t>(RSTRING_LEN(value))};
    if (jdl::first_invalid_utf8(text) != std::string_view::npos)
      return wrong(path, fmt::format("'{}' is not UTF-8 (here a string is bytes: part of a character was cut off)", jdl::excerpt(text)));
    return Value{text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator_};
  }

  Read read_array(mrb_value array, const Value* original, const std::string& path, std::size_t depth) {
    Value result{rapidjson::kArrayType};
    for (mrb_int i = 0; i < RARRAY_LEN(array); ++i) {
      const auto at = static_cast<rapidjson::SizeType>(i);
      const auto* known = original != nullptr && original->IsArray() && at < original->Size() ? &(*original)[at] : nullptr;
      auto element = read(RARRAY_PTR(array)[i], known, fmt::format("{}[{}]", path, i), depth + 1);
      if (!element) return element;
      result.PushBack(*element, allocator_);
    }
    return result;
  }

  Read read_hash(mrb_value hash, const Value* original, const std::string& path, std::size_t depth) {
    Value result{rapidjson::kObjectType};
    for (const auto& [key, value] : members_of(hash)) {
      if (!mrb_string_p(key)) return wrong(path, fmt::format("a key is a {}: keys are strings, such as \"walltime\"", class_of(key)));
      auto name = read_text(key, path + "[...]");
      if (!name) return name;
      const Value* known = nullptr;
      if (original != nullptr && original->IsObject()) {
        if (const auto found = original->FindMember(*name); found != original->MemberEnd()) known = &found->value;
      }
      auto member =
          read(value, known, fmt::format("{}[\"{}\"]", path, jdl::excerpt({name->GetString(), name->GetStringLength()})), depth + 1);
      if (!member) return member;
      result.AddMember(*name, *member, allocator_);
    }
    return result;
  }

  using Members = std::vector<std::pair<mrb_value, mrb_value>>;
  Members members_of(mrb_value hash) {
    Members members;
    mrb_hash_foreach(
        mrb_, mrb_hash_ptr(hash),
        [](mrb_state*, mrb_value key, mrb_value value, void* into) {
          static_cast<Members*>(into)->emplace_back(key, value);
          return 0;
        },
        &members);
    return members;
  }

  mrb_state* mrb_;
  rapidjson::Document::AllocatorType& allocator_;
};

}  // namespace

mrb_value to_ruby(mrb_state* mrb, const rapidjson::Value& value) {
  switch (value.GetType()) {
    case rapidjson::kNullType: break;
    case rapidjson::kFalseType: return mrb_false_value();
    case rapidjson::kTrueType: return mrb_true_value();
    case rapidjson::kStringType: return text_to_ruby(mrb, value);
    case rapidjson::kNumberType: return number_to_ruby(mrb, value);
    case rapidjson::kArrayType: return array_to_ruby(mrb, value);
    case rapidjson::kObjectType: return object_to_ruby(mrb, value);
  }
  return mrb_nil_value();
}

tl::expected<rapidjson::Value, std::string> from_ruby(mrb_state* mrb, mrb_value value, const rapidjson::Value* original,
                                                      const std::string& path, rapidjson::Document::AllocatorType& allocator) {
  return Reader{mrb, allocator}.read(value, original, path, 0);
}

}  // namespace gleaner::rules::ruby
