#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/call.hpp"
#include "lib/grid/input_files.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/inputs.hpp"

namespace gleaner::api {

/// The answer to a campaign file whose input files cannot be taken on this grid, or whose list of them makes no sense; empty: it can go on.
[[nodiscard]] std::optional<http::Response> wrong_inputs(const Call& call, const jdl::CampaignFile& file);

/// The answer to a campaign whose input_from names a campaign that is not there, or whose outputs are not the caller's to read; empty: none
/// does. The files are those that its user uploaded, as the outputs were at that time.
[[nodiscard]] std::optional<http::Response> wrong_sources(const Call& call, const jdl::CampaignFile& file);

/// The input files of a campaign that is submitted: those of its manifest, which its user has uploaded.
class CampaignInputs {
 public:
  /// Errors: answers that name a file that was not uploaded, or what is wrong with the manifest.
  [[nodiscard]] static Asked<CampaignInputs> of(const Call& call, const jdl::CampaignFile& file);
  /// For its tasks, which are checked and noted; empty: it has no input files.
  [[nodiscard]] std::optional<jdl::KnownInputs> known() const;
  /// A new campaign, whose tasks were noted.
  struct Owner {
    grid::CampaignId campaign;
    std::int64_t tasks;
    const jdl::CampaignFile& file;
    const jdl::KnownInputs* inputs;  ///< null: it has none
  };
  /// Stores them with the new campaign. Errors: answers.
  [[nodiscard]] Asked<void> attach(const Call& call, store::Transaction& transaction, const Owner& owner) const;

 private:
  std::vector<std::string> patterns_;
  std::vector<grid::CampaignId> sources_;
  std::string manifest_;
  std::vector<grid::InputFile> files_;
  std::int64_t bytes_ = 0;
};

}  // namespace gleaner::api
