#pragma once
#include <string>

#include <tl/expected.hpp>

namespace gleaner::administration {

/// Why a declaration is not made. The message says where, the value, and what would be right.
struct Refusal {
  enum class Kind { wrong_value, no_cluster, no_campaign, no_limit, no_share };
  Kind kind = Kind::wrong_value;
  std::string message;
};

template <class T>
using Declared = tl::expected<T, Refusal>;

}  // namespace gleaner::administration
