#include "lib/grid/login.hpp"

#include <algorithm>
#include <cctype>

namespace gleaner::grid {

bool is_login(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

}  // namespace gleaner::grid
