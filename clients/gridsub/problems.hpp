#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "clients/api_client.hpp"
#include "lib/jdl/problem.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/terminal/output.hpp"

/// Errors in a user's input, found here or by the grid.
namespace gleaner::gridsub {

inline constexpr std::string_view kNothingSubmitted = "nothing was submitted";

/// The error of a wrong input, a line for each problem.
class WrongInput : public process::Error {
 public:
  /// @param nothing  kNothingSubmitted, or the like
  WrongInput(std::string_view nothing, std::string problems);
  /// The lines alone.
  [[nodiscard]] const std::string& problems() const { return problems_; }

 private:
  std::string problems_;
};

/// The error that shows the problems of a campaign file or of parameters.
/// @param nothing  what was not done: "nothing was submitted"
[[nodiscard]] WrongInput wrong_input(const std::vector<jdl::Problem>& problems, const std::string& source, std::string_view nothing);

/// The problems of an answer of the API.
[[nodiscard]] std::vector<jdl::Problem> problems_of(const clients::Json& answer);

/// Shows the warnings of an answer as notes.
void show_warnings(const clients::Reply& reply, terminal::Output& output);

}  // namespace gleaner::gridsub
