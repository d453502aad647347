#include "sim/world/trace.hpp"

#include <fmt/format.h>

namespace gleaner::world {
namespace {

std::string without(std::string text, const std::string& root) {
  for (auto at = text.find(root); at != std::string::npos; at = text.find(root, at)) text.replace(at, root.size(), "/world");
  return text;
}

}  // namespace

Trace::Trace(const VirtualClock& clock, const std::string& file, std::string root) : clock_{clock}, root_{std::move(root)} {
  if (!file.empty()) file_.open(file);
}

void Trace::note(std::string_view what) {
  const auto line = fmt::format("{:.6f} {}\n", clock_.seconds(), without(std::string{what}, root_));
  digest_.add(line);
  ++lines_;
  if (file_.is_open()) file_ << line << std::flush;
}

std::string Trace::digest(std::string text) const {
  return fmt::format("{:016x}", text::Digest{}.add(without(std::move(text), root_)).value());
}

}  // namespace gleaner::world
