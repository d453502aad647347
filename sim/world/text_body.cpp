#include "sim/world/text_body.hpp"

#include <algorithm>

namespace gleaner::world {
namespace {

class TextSink final : public http::Sink {
 public:
  explicit TextSink(std::string& text) : text_{text} {}
  [[nodiscard]] bool write(std::string_view data) override {
    text_ += data;
    return true;
  }

 private:
  std::string& text_;
};

}  // namespace

tl::expected<std::size_t, http::BodyError> TextBody::read(std::span<char> into) {
  const auto size = std::min(into.size(), rest_.size());
  std::copy_n(rest_.data(), size, into.data());
  rest_.remove_prefix(size);
  return size;
}

std::string text_of(const http::Response& response) {
  if (!response.stream) return response.body;
  std::string text;
  TextSink sink{text};
  static_cast<void>(response.stream(sink));
  return text;
}

}  // namespace gleaner::world
