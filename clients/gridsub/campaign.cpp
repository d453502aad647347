#include "clients/gridsub/campaign.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

#include "clients/asked.hpp"
#include "clients/gridsub/chain.hpp"
#include "clients/gridsub/inputs.hpp"
#include "clients/gridsub/problems.hpp"
#include "clients/gridsub/rerun.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/jdl/several.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/process/values.hpp"
#include "lib/text/json_writer.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::gridsub {
namespace {

using process::Error;
using process::ExitCode;

WrongInput wrong(const std::vector<jdl::Problem>& problems, const std::string& source) {
  return wrong_input(problems, source, kNothingSubmitted);
}

/// Each problem once, in the order of the text.
std::vector<jdl::Problem> united(std::vector<jdl::Problem> problems, const std::vector<jdl::Problem>& others) {
  for (const auto& other : others) {
    if (std::ranges::find(problems, other) == problems.end()) problems.push_back(other);
  }
  std::ranges::stable_sort(problems, {}, &jdl::Problem::place);
  return problems;
}

std::string read_all(std::istream& stream) { return {std::istreambuf_iterator<char>{stream}, {}}; }

struct Given {
  std::string source;
  std::string text;
  std::string path;  ///< empty: not from a file
};

Given read_file(const std::string& path) {
  if (path == "-") return {"standard input", read_all(std::cin), {}};
  if (std::error_code error; std::filesystem::is_directory(path, error))
    throw Error{ExitCode::not_found, fmt::format("{} is a folder, and not a campaign file", path)};
  std::ifstream file{path, std::ios::binary};
  if (!file) throw Error{ExitCode::not_found, fmt::format("the campaign file {} cannot be read: {}", path, std::strerror(errno))};
  return {path, read_all(file), path};
}

/// One for each campaign of the text.
void add(std::vector<Given>& given, Given text) {
  const auto campaigns = jdl::several_campaigns(text.text);
  if (!campaigns) return given.push_back(std::move(text));
  if (campaigns->size() > jdl::kMostCampaigns)
    throw Error{ExitCode::usage,
                fmt::format("{}: it has more than {} campaigns: submit them in several files, or as tasks of one campaign; "
                            "nothing was submitted",
                            text.source, jdl::kMostCampaigns)};
  for (const auto& campaign : *campaigns) given.push_back({text.source, campaign, text.path});
}

std::vector<Given> given_campaigns(const process::Arguments& arguments) {
  std::vector<Given> given;
  for (const auto& path : arguments.all("file")) add(given, read_file(path));
  for (const auto& text : arguments.all("json")) {
    if (std::error_code error; std::filesystem::is_regular_file(text, error))
      throw Error{ExitCode::usage, fmt::format("-j takes a campaign's JSON, and '{0}' is a file: gridsub -f {0}", text)};
    add(given, {"-j", text, {}});
  }
  if (given.empty())
    throw Error{ExitCode::usage, "a campaign is needed: gridsub -f FILE, gridsub -f - (standard input) or gridsub -j JSON (see --help)"};
  return given;
}

std::optional<grid::CampaignType> asked_type(const process::Arguments& arguments) {
  const auto given = arguments.value("type");
  if (!given) return std::nullopt;
  constexpr std::array<std::string_view, 2> kKnown{"default", "test"};
  const auto type = grid::campaign_type(*given);
  if (!type) throw Error{ExitCode::usage, fmt::format("--type={}: must be default or test{}", *given, text::did_you_mean(*given, kKnown))};
  return type;
}

bool in_the_file(const jdl::CampaignFile& file) {
  return std::holds_alternative<jdl::Params>(file.parameters) || std::holds_alternative<jdl::Count>(file.parameters);
}

/// The parameter file, `-` for standard input. Empty: the parameters are in the campaign file.
std::optional<std::string> parameter_source(const process::Arguments& arguments, const Campaign& campaign, const Given& given) {
  const auto option = arguments.value("param-file");
  const bool elsewhere = option.has_value() || campaign.nb_jobs.has_value();
  if (option && campaign.nb_jobs) throw Error{ExitCode::usage, "the parameters are given twice: by --param-file and by --nb-jobs"};
  if (elsewhere && in_the_file(campaign.file))
    throw Error{ExitCode::usage,
                fmt::format("the parameters are given twice: by {} and in {}", option ? "--param-file" : "--nb-jobs", given.source)};
  if (option) return *option == "-" ? *option : process::expand_home(*option).string();
  if (campaign.nb_jobs || in_the_file(campaign.file)) return std::nullopt;
  if (const auto* file = std::get_if<jdl::ParamFile>(&campaign.file.parameters))
    return clients::parameter_path(file->path, given.path).string();
  if (given.source != "standard input" && ::isatty(STDIN_FILENO) == 0) return "-";
  throw Error{
      ExitCode::usage,
      fmt::format(
          "{} has no parameters: give them by params, param_file or nb_jobs in it, by --param-file or --nb-jobs, or on standard input",
          given.source)};
}

/// The campaign without the parameters of its file, in whose place there are others.
void take_parameters(Campaign& campaign, const Given& given, const jdl::Defaults& defaults, std::unique_ptr<ParameterFile>& parameters) {
  campaign.text = without_parameters(given.text);
  auto file = jdl::parse(campaign.text, defaults);
  if (!file) throw wrong(file.error(), given.source);
  campaign.file = std::move(*file);
  if (in_the_file(campaign.file))
    throw Error{ExitCode::usage,
                fmt::format("{} has parameters of its own: take them out, for those of {}", given.source, parameters->name())};
  campaign.parameters = std::move(parameters);
}

/// @param parameters  instead of those of its file; null: the file's, or the command line's
Campaign read_campaign(const process::Arguments& arguments, const Given& given, const AskGrid& ask,
                       std::unique_ptr<ParameterFile>& parameters) {
  Campaign campaign;
  campaign.source = given.source;
  campaign.text = given.text;
  campaign.type = asked_type(arguments);
  if (arguments.has("nb-jobs")) campaign.nb_jobs = clients::number_of(arguments, "nb-jobs", 0, 1, jdl::kMostTasks);
  if (arguments.has("strict")) campaign.doubts = jdl::Doubts::refused;
  jdl::Defaults defaults;
  defaults.type = campaign.type;
  defaults.doubts = campaign.doubts;
  auto file = jdl::parse(given.text, defaults);
  if (!file) throw wrong(united(file.error(), ask(campaign)), given.source);
  campaign.file = std::move(*file);
  if (parameters) {
    take_parameters(campaign, given, defaults, parameters);
  } else if (const auto source = parameter_source(arguments, campaign, given)) {
    if (*source == "-" && given.source == "standard input")
      throw Error{ExitCode::usage, "standard input cannot be the campaign and its parameters at once"};
    campaign.parameters = std::make_unique<ParameterFile>(*source);
  }
  if (campaign.parameters) {
    const auto tasks = check_parameters(*campaign.parameters);
    if (!tasks) throw wrong(tasks.error(), campaign.parameters->name());
    campaign.tasks = *tasks;
  } else if (campaign.nb_jobs) {
    campaign.tasks = *campaign.nb_jobs;
  } else if (const auto* count = std::get_if<jdl::Count>(&campaign.file.parameters)) {
    campaign.tasks = count->tasks;
  } else {
    campaign.tasks = static_cast<std::int64_t>(std::get<jdl::Params>(campaign.file.parameters).values.size());
  }
  campaign.folder = given.path.empty() ? std::filesystem::path{"."} : std::filesystem::path{given.path}.parent_path();
  find_inputs(campaign);
  return campaign;
}

}  // namespace

std::vector<Campaign> read_campaigns(const process::Arguments& arguments, const AskGrid& ask, std::unique_ptr<ParameterFile> parameters) {
  std::vector<Campaign> campaigns;
  std::string problems;
  for (const auto& given : given_campaigns(arguments)) {
    try {
      campaigns.push_back(read_campaign(arguments, given, ask, parameters));
    } catch (const WrongInput& wrong) {
      problems += (problems.empty() ? "" : "\n") + wrong.problems();
    }
  }
  if (!problems.empty()) throw WrongInput{kNothingSubmitted, problems};
  put_in_order(campaigns);
  for (auto& campaign : campaigns) name_by_number(campaign, campaigns, {});
  return campaigns;
}

std::string head_of(const Campaign& campaign, SubmissionMode mode) {
  auto head = fmt::format(R"({{"jdl":{},"source":{})", text::json_string(campaign.sent.empty() ? campaign.text : campaign.sent),
                          text::json_string(campaign.source));
  if (campaign.type) head += fmt::format(R"(,"type":"{}")", grid::name_of(*campaign.type));
  if (campaign.nb_jobs) head += fmt::format(R"(,"nb_jobs":{})", *campaign.nb_jobs);
  if (campaign.doubts == jdl::Doubts::refused) head += R"(,"strict":true)";
  if (!campaign.input_manifest.empty()) head += fmt::format(R"(,"input_manifest":"{}")", campaign.input_manifest);
  if (mode == SubmissionMode::check_only) head += R"(,"dry_run":true)";
  return head + "}";
}

}  // namespace gleaner::gridsub
