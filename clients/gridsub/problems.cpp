#include "clients/gridsub/problems.hpp"

#include <fmt/format.h>

#include "lib/terminal/text.hpp"

namespace gleaner::gridsub {

WrongInput::WrongInput(std::string_view nothing, std::string problems)
    : Error{process::ExitCode::usage, fmt::format("{}:\n{}", nothing, problems)}, problems_{std::move(problems)} {}

WrongInput wrong_input(const std::vector<jdl::Problem>& problems, const std::string& source, std::string_view nothing) {
  auto text = jdl::render(problems, source);
  if (text.ends_with('\n')) text.pop_back();
  return {nothing, std::move(text)};
}

std::vector<jdl::Problem> problems_of(const clients::Json& answer) {
  std::vector<jdl::Problem> problems;
  for (const auto& item : answer["problems"].items())
    problems.push_back({{static_cast<std::size_t>(item["line"].integer()), static_cast<std::size_t>(item["column"].integer())},
                        item["path"].text(),
                        item["value"].text(),
                        item["message"].text()});
  return problems;
}

void show_warnings(const clients::Reply& reply, terminal::Output& output) {
  for (const auto& warning : reply.json["warnings"].items())
    output.report(fmt::format("gridsub: note: {}", terminal::printable(warning.text())));
}

}  // namespace gleaner::gridsub
