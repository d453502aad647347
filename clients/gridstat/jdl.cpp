// Shows campaigns as campaign files that can be submitted again.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "clients/gridstat/gridstat.hpp"

namespace gleaner::gridstat {
namespace {

using clients::Json;

/// The parameters of all tasks, in their order: lines, or lists of arguments.
std::vector<Json> parameters_of(const Run& run, std::int64_t id) {
  constexpr int kPageOfParameters = 10000;  // the server may allow fewer
  std::vector<Json> parameters;
  for (std::int64_t after = -1;;) {
    const auto page = run.api.get(fmt::format("/campaigns/{}/jobs?limit={}&after={}", id, kPageOfParameters, after)).json;
    for (const auto& task : page["items"].items()) {
      parameters.push_back(task["arguments"].is_null() ? task["parameters"] : task["arguments"]);
      after = task["id"].integer();
    }
    const auto& links = page["links"].items();
    if (page["items"].items().empty() || std::ranges::none_of(links, [](const Json& link) { return link["rel"].text() == "next"; }))
      return parameters;
  }
}

Json load_jdl(const Run& run, std::int64_t id) {
  const auto jdl = run.api.get(fmt::format("/campaigns/{}/jdl", id)).json;
  const auto tasks = run.api.get(fmt::format("/campaigns/{}", id)).json["total_jobs"];
  // Tasks that were appended, or a test, have other parameters than the numbers.
  if (jdl["nb_jobs"].whole() == tasks.whole()) return jdl;
  std::vector<Json::Member> members;
  for (const auto& member : jdl.members()) {
    if (member.first != "nb_jobs") members.push_back(member);
  }
  members.emplace_back("params", Json::of(parameters_of(run, id)));
  return Json::of(std::move(members));
}

}  // namespace

void show_jdl(const Run& run, const std::vector<std::int64_t>& ids) {
  for (const auto id : ids) {
    const auto jdl = load_jdl(run, id);
    run.output.show({.text = clients::dump(jdl, clients::Layout::indented) + "\n", .json = run.document(jdl)});
  }
}

}  // namespace gleaner::gridstat
