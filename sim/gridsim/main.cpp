#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "lib/jdl/problem.hpp"
#include "lib/process/run.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/output.hpp"
#include "lib/text/numbers.hpp"
#include "sim/gridsim/csv.hpp"
#include "sim/gridsim/engine/scenario_file.hpp"
#include "sim/gridsim/engine/settings.hpp"
#include "sim/gridsim/plot.hpp"
#include "sim/gridsim/report.hpp"

namespace {

using namespace gleaner;
using namespace gleaner::gridsim;
using process::Error;
using process::ExitCode;

/// Splits `key=value`. Throws an error of usage.
std::pair<std::string, std::string> setting(std::string_view option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) throw Error{ExitCode::usage, fmt::format("--{} {}: write KEY=VALUE", option, text)};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void apply(Scenario& scenario, std::string_view option, const std::string& key, const std::string& value) {
  if (const auto done = set(scenario, key, value); !done)
    throw Error{ExitCode::usage, fmt::format("--{} {}={}: {}", option, key, value, done.error())};
}

Scenario load(const std::string& name) {
  const std::filesystem::path file{name};
  std::ifstream input{file, std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{input}, {}};
  if (!input) throw Error{ExitCode::not_found, fmt::format("{}: it cannot be read", name)};
  auto scenario = read_scenario(text, file.parent_path());
  if (scenario) return *std::move(scenario);
  auto problems = jdl::render(scenario.error(), name);
  while (!problems.empty() && problems.back() == '\n') problems.pop_back();
  throw Error{ExitCode::usage, problems};
}

Scenario asked(const process::Arguments& arguments, const std::string& file) {
  auto scenario = load(file);
  if (const auto seed = arguments.value("seed")) {
    const auto number = text::whole_number<int>(*seed, 0);
    if (!number) throw Error{ExitCode::usage, fmt::format("--seed {}: write a whole number from 0 on", *seed)};
    scenario.seed = static_cast<std::uint64_t>(*number);
  }
  for (const auto& text : arguments.all("set")) {
    const auto [key, value] = setting("set", text);
    apply(scenario, "set", key, value);
  }
  return scenario;
}

Variant run_variant(std::string name, Scenario scenario) {
  auto outcome = simulate(scenario);
  auto metrics = measure(scenario, outcome);
  return {std::move(name), std::move(scenario), std::move(outcome), std::move(metrics)};
}

struct Results {
  std::string key;  ///< the setting that varies; empty: none
  std::vector<Variant> variants;
};

Results run_one(const process::Arguments& arguments, const std::string& file) {
  if (arguments.has("vary")) throw Error{ExitCode::usage, "--vary belongs to `gridsim compare`"};
  Results results;
  results.variants.push_back(run_variant("", asked(arguments, file)));
  return results;
}

Results compare(const process::Arguments& arguments, const std::string& file) {
  const auto texts = arguments.all("vary");
  if (texts.size() != 1) throw Error{ExitCode::usage, "gridsim compare needs one --vary KEY=VALUE,VALUE…"};
  Results results;
  const auto [key, list] = setting("vary", texts.front());
  const auto values = process::split_list(list);
  if (values.size() < 2)
    throw Error{ExitCode::usage,
                fmt::format("--vary {}: there is nothing to compare; write two values or more, with commas between them", texts.front())};
  const auto scenario = asked(arguments, file);
  std::vector<Scenario> scenarios;  // all are checked before the first one is simulated
  for (const auto& value : values) apply(scenarios.emplace_back(scenario), "vary", key, value);
  for (std::size_t i = 0; i < values.size(); ++i) results.variants.push_back(run_variant(values[i], std::move(scenarios[i])));
  results.key = key;
  return results;
}

process::Outcome act(const process::Context& context) {
  const auto& arguments = context.arguments;
  if (arguments.positional.size() != 2) throw Error{ExitCode::usage, "run or compare, and one scenario are needed (see --help)"};
  const auto& what = arguments.positional.front();
  const auto& file = arguments.positional.back();
  if (what != "run" && what != "compare") throw Error{ExitCode::usage, fmt::format("'{}' is neither run nor compare", what)};
  const auto results = what == "run" ? run_one(arguments, file) : compare(arguments, file);
  const auto output = terminal::make_output(arguments.has("json") ? terminal::Form::json : terminal::Form::human);
  terminal::Answer answer;
  answer.text = results.key.empty() ? describe(results.variants.front(), output->screen())
                                    : describe_all(results.key, results.variants, output->screen());
  answer.json = to_json(results.key, results.variants);
  output->show(answer);
  if (const auto folder = arguments.value("csv")) write_csv(*folder, results.variants);
  if (const auto picture = arguments.value("plot")) draw(*picture, results.variants);
  return ExitCode::ok;
}

}  // namespace

int main(int argc, char** argv) {
  const process::Program program{
      .name = "gridsim",
      .purpose = "The planner and the predictor on a virtual clock: what a scenario's campaigns would do on its clusters.",
      .keys = {},
      .options = {{"vary", "KEY=VALUE,VALUE…", "compare: a key of the configuration, and the values to compare"},
                  {"set", "KEY=VALUE", "a key of the configuration (several times); goes before the scenario's"},
                  {"seed", "NUMBER", "the seed of what is drawn; goes before the scenario's"},
                  {"json", "", "the figures as JSON"},
                  {"csv", "DIRECTORY", "write jobs.csv and cycles.csv there"},
                  {"plot", "FILE.svg", "draw the clusters' use over time (needs gnuplot)"}},
      .positional = "run|compare SCENARIO.json",
      .interruption = process::Interruption::ends_program,
      .notes = "Scenarios and figures: docs/simulator.md. Examples: examples/shared-clusters.json.",
      .configuration = process::Program::Configuration::ignored};
  return process::run(program, argc, argv, act);
}
