#include "lib/text/json_depth.hpp"

namespace gleaner::text {

bool is_nested_deeper(std::string_view json, std::size_t most) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') in_string = !in_string;
    else if (c == '\\' && in_string) ++i;
    else if (in_string) continue;
    else if (c == '[' || c == '{') {
      if (++depth > most) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace gleaner::text
