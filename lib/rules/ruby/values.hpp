#pragma once
#include <mruby.h>
#include <rapidjson/document.h>

#include <string>

#include <tl/expected.hpp>

/// JSON's values as ruby's, and back. A number of ruby has 63 bits, or about 15 digits: what it cannot
/// hold comes back as it was, where the rule has left it in its place.
namespace gleaner::rules::ruby {

/// Never raises: mruby's memory is limited by ending the process, not by exceptions.
[[nodiscard]] mrb_value to_ruby(mrb_state* mrb, const rapidjson::Value& value);

/// The error says what is no JSON and where: `jdl["clusters"][:alpha]: the key is a Symbol, …`.
/// @param original  what `to_ruby` was given for this value; null: nothing
/// @param path      how the value is called in the error
[[nodiscard]] tl::expected<rapidjson::Value, std::string> from_ruby(mrb_state* mrb, mrb_value value, const rapidjson::Value* original,
                                                                    const std::string& path, rapidjson::Document::AllocatorType& allocator);

}  // namespace gleaner::rules::ruby
