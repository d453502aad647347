#include "lib/oar/failure.hpp"

#include <fmt/format.h>

#include "lib/text/clean.hpp"

namespace gleaner::oar {
namespace {

struct Describe {
  std::string operator()(const NotSent& failure) const { return fmt::format("not sent: {}", failure.what); }
  std::string operator()(const NoAnswer& failure) const { return fmt::format("no valid answer: {}", failure.what); }
  std::string operator()(const Refused& failure) const {
    return failure.status == 0 ? fmt::format("refused before it was sent: {}", failure.message)
                               : fmt::format("refused ({}): {}", failure.status, failure.message);
  }
  std::string operator()(const ServerError& failure) const { return fmt::format("server error ({}): {}", failure.status, failure.message); }
};

}  // namespace

std::string describe(const Failure& failure) { return text::clean_text(std::visit(Describe{}, failure)); }

bool outcome_unknown(const Failure& failure) {
  return std::holds_alternative<NoAnswer>(failure) || std::holds_alternative<ServerError>(failure);
}

}  // namespace gleaner::oar
