#include "api/campaign_inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <span>

#include "api/readership.hpp"
#include "lib/inputs/spool.hpp"
#include "lib/process/values.hpp"
#include "lib/store/inputs.hpp"
#include "lib/store/views.hpp"

namespace gleaner::api {
namespace {

http::Response wrong_key(std::string path, std::string message) {
  const jdl::Problem problem{{}, std::move(path), {}, std::move(message)};
  return error(problem.message, std::span{&problem, 1});
}

std::vector<std::string> contents_of(const std::vector<grid::InputFile>& files) {
  std::vector<std::string> contents;
  for (const auto& file : files) contents.push_back(file.sha256);
  return contents;
}

/// The first file whose content is not there; null: all are.
const grid::InputFile* missing_in(const std::vector<grid::InputFile>& files, const std::map<std::string, std::int64_t>& known) {
  for (const auto& file : files) {
    if (!known.contains(file.sha256)) return &file;
  }
  return nullptr;
}

std::map<std::string, std::int64_t> used(const Call& call, const std::vector<std::string>& contents) {
  return call.connections.write(
      [&](store::Transaction& transaction) { return store::use_inputs(transaction, call.caller.user, contents, call.now); });
}

/// Empty: there is none, or the caller may not read it, and learns nothing of it.
std::optional<store::views::Campaign> readable_campaign(const Call& call, grid::CampaignId id) {
  return call.connections.read([&](store::Transaction& transaction) -> std::optional<store::views::Campaign> {
    const auto owner = store::views::owner(transaction, {.campaign = id.value()});
    if (!owner || !readership_of(call, transaction).may_read(owner->user, owner->project)) return std::nullopt;
    return store::views::campaign(transaction, id);
  });
}

/// Error: the answer to a campaign whose files would have too many bytes, with those of its user's other campaigns.
Asked<void> allow_bytes(const Call& call, std::int64_t own, std::int64_t others) {
  const auto most = call.config.input_user_max;
  if (static_cast<std::uint64_t>(own) + static_cast<std::uint64_t>(others) <= most) return {};
  const auto with_others = others > 0 ? fmt::format(", and those of your other campaigns in treatment or paused {}",
                                                    process::format_size(static_cast<std::uint64_t>(others)))
                                      : std::string{};
  return tl::unexpected{
      error(Code::too_large,
            fmt::format(
                "the campaign's input files have {}{}: more than {} (input_user_max); nothing was stored; fetch large files in a prologue, "
                "from where the clusters can reach them{}",
                process::format_size(static_cast<std::uint64_t>(own)), with_others, process::format_size(most),
                others > 0 ? ", or wait until a campaign ends" : ""))};
}

}  // namespace

std::optional<http::Response> wrong_inputs(const Call& call, const jdl::CampaignFile& file) {
  if (file.input_files.empty()) {
    if (file.input_manifest.empty()) return std::nullopt;
    return wrong_key("input_manifest", "there is a list of input files, and the campaign file has no input_files");
  }
  if (!call.config.input_spool.empty()) return std::nullopt;
  return wrong_key(
      "input_files",
      "this grid takes no input files (its administrator would set input_spool): fetch them in a prologue, or copy them to the "
      "clusters first");
}

std::optional<http::Response> wrong_sources(const Call& call, const jdl::CampaignFile& file) {
  for (const auto id : file.input_from) {
    const auto source = readable_campaign(call, id);
    if (!source) return wrong_key("input_from", fmt::format("there is no campaign {} whose outputs could be input files", id.value()));
    if (!may_change(call, source->user))
      return wrong_key("input_from", fmt::format("campaign {} is not yours: only {} may read its outputs", id.value(), source->user));
  }
  return std::nullopt;
}

Asked<CampaignInputs> CampaignInputs::of(const Call& call, const jdl::CampaignFile& file) {
  CampaignInputs inputs;
  if (file.input_files.empty()) return inputs;
  inputs.patterns_ = file.input_files;
  inputs.sources_ = file.input_from;
  inputs.manifest_ = file.input_manifest;
  if (inputs.manifest_.empty())
    return tl::unexpected{
        wrong_key("input_files",
                  "the list of the input files is missing: gridsub sends it; with another client, upload the files and their list, with "
                  "lines 'SHA256 MODE PATH', by PUT /v1/inputs/SHA256, and name it as input_manifest")};
  const auto not_uploaded = [](std::string_view what, std::string_view sha256) {
    return tl::unexpected{wrong_key(
        "input_files", fmt::format("{} ({}) is not among the contents that you have uploaded: PUT /v1/inputs/{}", what, sha256, sha256))};
  };
  if (used(call, {inputs.manifest_}).empty()) return not_uploaded("the list of the input files", inputs.manifest_);
  const auto text = inputs::Spool{call.config.input_spool}.read(inputs.manifest_, grid::kLongestManifest);
  if (!text) return tl::unexpected{wrong_key("input_files", fmt::format("the list of the input files cannot be read: {}", text.error()))};
  auto files = grid::read_manifest(*text);
  if (!files) return tl::unexpected{wrong_key("input_files", fmt::format("the list of the input files: {}", files.error()))};
  inputs.files_ = std::move(*files);
  const auto known = used(call, contents_of(inputs.files_));
  if (const auto* missing = missing_in(inputs.files_, known)) return not_uploaded(fmt::format("'{}'", missing->path), missing->sha256);
  for (auto& one : inputs.files_) one.bytes = known.at(one.sha256);
  for (const auto& one : inputs.files_) inputs.bytes_ += one.bytes;
  if (auto allowed = allow_bytes(call, inputs.bytes_, 0); !allowed) return tl::unexpected{std::move(allowed.error())};
  return inputs;
}

std::optional<jdl::KnownInputs> CampaignInputs::known() const {
  return patterns_.empty() ? std::nullopt : std::optional{jdl::KnownInputs{files_}};
}

Asked<void> CampaignInputs::attach(const Call& call, store::Transaction& transaction, const Owner& owner) const {
  if (owner.file.input_files != patterns_ || owner.file.input_from != sources_)
    return tl::unexpected{
        error(Code::wrong_state, fmt::format("an admission rule changes {}, whose files were uploaded before: it may only refuse",
                                             owner.file.input_files != patterns_ ? "input_files" : "input_from"))};
  if (patterns_.empty()) return {};
  // Their rows are locked from here on, so that nobody forgets them before the campaign is there.
  const auto known = store::use_inputs(transaction, call.caller.user, contents_of(files_), call.now);
  if (const auto* missing = missing_in(files_, known))
    return tl::unexpected{
        error(Code::changed_meanwhile, fmt::format("the content of '{}' was removed just now: submit the campaign again", missing->path))};
  // The campaign has none so far.
  if (auto allowed = allow_bytes(call, bytes_, store::input_bytes_of_user(transaction, call.caller.user)); !allowed) return allowed;
  auto files = files_;
  for (auto& one : files) one.readers = owner.inputs->readers_of(one.path);
  grid::place_inputs(files);
  store::attach_inputs(transaction, owner.campaign, fmt::format("{}", fmt::join(patterns_, "\n")), files, owner.tasks);
  return {};
}

}  // namespace gleaner::api
