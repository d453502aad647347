#include "lib/intake/request_freed.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lib/intake/rows.hpp"
#include "lib/jdl/inputs.hpp"
#include "lib/jdl/parameter.hpp"
#include "lib/store/changes.hpp"
#include "lib/store/inputs.hpp"

namespace gleaner::intake {
namespace {

/// The numbers of all tasks that a task comes after.
tl::expected<grid::Given, std::string> all_given(const std::vector<std::string>& notes) {
  grid::Given all;
  for (const auto& note : notes) {
    auto given = grid::read_given(note);
    if (!given) return tl::unexpected{fmt::format("the task that it comes after: {}", given.error())};
    all.merge(*given);
  }
  return all;
}

/// The numbers that the campaign takes, as they were given.
std::string taken(const jdl::CampaignFile& file, const grid::Given& given) {
  std::vector<std::string> words;
  for (const auto& [name, assumed] : file.given) {
    const auto found = given.find(name);
    words.push_back(found == given.end() ? fmt::format("no {} was given, so {:g}", name, assumed)
                                         : fmt::format("{}={:g} was given", name, found->second));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

store::FreedRequests request_freed(store::Transaction& transaction, grid::CampaignId campaign, const std::vector<store::FreedTask>& tasks) {
  const auto stored = store::submitted_campaign(transaction, campaign);
  if (!stored) return {};
  const auto file = jdl::from_json(stored->jdl);
  if (!file) throw std::runtime_error{file.error()};
  auto requests = jdl::Requests::of(*file, limits_of(*file, load_limits(transaction)));
  if (!requests) throw std::runtime_error{requests.error().message};
  store::FreedRequests found;
  if (!*requests) return found;
  std::optional<jdl::KnownInputs> inputs;
  if (!file->input_files.empty()) (*requests)->know_inputs(inputs.emplace(store::inputs_of(transaction, campaign)));
  (*requests)->resume(known_requests(transaction, campaign, *file));
  for (const auto& task : tasks) {
    const auto given = all_given(task.given);
    if (!given) {
      found.withheld.emplace_back(task.number, given.error());
      continue;
    }
    const auto request = (*requests)->request_of(task.number.value(), parameter_of(task.form, task.parameter), *given);
    if (request) found.tasks.emplace_back(task.number, *request);
    else found.withheld.emplace_back(task.number, fmt::format("{} ({})", request.error(), taken(*file, *given)));
  }
  found.added = stored_requests(*file, **requests);
  return found;
}

}  // namespace gleaner::intake
