#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "api/call.hpp"

namespace gleaner::api {

/// A text of 64 hexadecimal digits that nobody can guess.
[[nodiscard]] std::string new_secret();

/// The text in a body such as `{"token": "..."}`, of at most `most` bytes. No answer repeats a part of the body: a secret may stand in the
/// place of a key.
[[nodiscard]] Asked<std::string> secret_of_body(const Call& call, std::string_view name, std::size_t most);

}  // namespace gleaner::api
