#include "lib/http/message.hpp"

#include <strings.h>

#include <algorithm>
#include <array>

namespace gleaner::http {

namespace {
constexpr std::size_t kReadSize = 64 * 1024;

bool same_name(std::string_view a, std::string_view b) { return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0; }
}  // namespace

std::optional<std::string_view> Headers::find(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const auto& field) { return same_name(field.first, name); });
  if (found == fields_.end()) return std::nullopt;
  return std::string_view{found->second};
}

std::optional<std::string> Headers::list(std::string_view name) const {
  std::optional<std::string> all;
  for (const auto& [key, value] : fields_) {
    if (!same_name(key, name)) continue;
    all = all ? *all + ", " + value : value;
  }
  return all;
}

std::optional<std::string_view> Request::parameter(std::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(), [&](const auto& field) { return field.first == name; });
  if (found == query.end()) return std::nullopt;
  return std::string_view{found->second};
}

std::string_view describe(BodyError error) {
  switch (error) {
    case BodyError::too_large: return "the body is too large";
    case BodyError::broken: return "the body is broken off";
    case BodyError::timed_out: return "the body did not arrive in time";
  }
  return "";
}

tl::expected<std::string, BodyError> Body::read_all(std::size_t limit) {
  std::string out = std::exchange(pending_, {});
  scanned_ = 0;
  std::vector<char> buffer(kReadSize);
  while (true) {
    if (out.size() > limit) return tl::unexpected{BodyError::too_large};
    const auto got = read(buffer);
    if (!got) return tl::unexpected{got.error()};
    if (*got == 0) return out;
    out.append(buffer.data(), *got);
  }
}

tl::expected<std::optional<std::string>, BodyError> Body::read_line(std::size_t limit) {
  while (true) {
    const auto end = pending_.find('\n', scanned_);
    if (end != std::string::npos && end - scanned_ <= limit) {
      std::optional<std::string> line{pending_.substr(scanned_, end - scanned_)};
      scanned_ = end + 1;
      return line;
    }
    if (pending_.size() - scanned_ > limit) return tl::unexpected{BodyError::too_large};
    pending_.erase(0, std::exchange(scanned_, 0));
    if (ended_) {
      if (pending_.empty()) return std::optional<std::string>{};
      return std::optional<std::string>{std::exchange(pending_, {})};
    }
    const auto before = pending_.size();
    pending_.resize(before + kReadSize);
    const auto got = read(std::span{pending_}.subspan(before));
    pending_.resize(before + got.value_or(0));
    if (!got) return tl::unexpected{got.error()};
    ended_ = *got == 0;
  }
}

}  // namespace gleaner::http
