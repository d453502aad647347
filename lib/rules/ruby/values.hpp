#pragma once
#include <mruby.h>
#include <rapidjson/document.h>

#include <string>

#include <tl/expected.hpp>

/// Converts JSON's values to ruby's, and back. A number of ruby has 63 bits, or about 15 digits: a number beyond that is restored if the
/// rule left it in its place.
namespace gleaner::rules::ruby {

/// Never raises: when mruby exceeds its memory, the process ends instead.
[[nodiscard]] mrb_value to_ruby(mrb_state* mrb, const rapidjson::Value& value);

/// The error names the value that is no JSON: `jdl["clusters"][:alpha]: the key is a Symbol, …`.
/// @param original  the value that was passed to `to_ruby`; null: none
/// @param path      the value's name in the error
[[nodiscard]] tl::expected<rapidjson::Value, std::string> from_ruby(mrb_state* mrb, mrb_value value, const rapidjson::Value* original,
                                                                    const std::string& path, rapidjson::Document::AllocatorType& allocator);

}  // namespace gleaner::rules::ruby
