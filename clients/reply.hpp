#pragma once
#include <string>
#include <string_view>

#include "clients/json.hpp"

namespace gleaner::clients {

/// An answer of the API, of any status.
struct Reply {
  int status = 0;
  std::string body;
  Json json;              ///< null: the body is not JSON
  bool replayed = false;  ///< the campaign already existed under the submission's key
};

/// The message of an error.
[[nodiscard]] std::string message_of(const Reply& reply);

/// Throws the error of a failed request, a process::Error. `identity`: how we say who we are.
void refuse_errors(const Reply& reply, std::string_view identity);

/// The user's input is wrong, and the answer says where.
[[nodiscard]] bool has_problems(const Reply& reply);

/// An error of an admission rule remains until an administrator fixes it, so it is not retried.
[[nodiscard]] bool may_be_repeated(const Reply& reply);

}  // namespace gleaner::clients
