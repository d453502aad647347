#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/decisions/decision.hpp"

/// Figures and half sentences, of which the reasons and bounds of explain.cpp are made.
namespace gleaner::decisions {

/// 8, 2.5, 0.33: two decimals at most.
[[nodiscard]] std::string figure(double value);
/// `1 job`, `2 jobs`
[[nodiscard]] std::string counted(std::int64_t count, std::string_view thing);
[[nodiscard]] std::string utc(grid::Instant time);
[[nodiscard]] std::string until(const Brake& brake);
/// The condition for the next trial with one job.
[[nodiscard]] std::string before_trial(int failures, const std::string& brake);
[[nodiscard]] std::string campaigns(const Takers& takers);
/// The parts of an offer.
[[nodiscard]] std::string offer(const OfferParts& parts);
/// Whether a job would fit if there were no unknown launches.
[[nodiscard]] bool is_kept_by_unknown(const OfferParts& parts, double job_resources);
/// `alpha, beta`
[[nodiscard]] std::string list_of(const std::vector<std::string>& texts);
/// "limit 7 (user ada)"
[[nodiscard]] std::string name_of(const LimitInForce& limit);
/// "limit 7 (user ada): at most 10 jobs at once, 10 now"; of a consumable also which campaigns hold it, and what a job needs if it is more
/// than one, or more than what is left of an unused one.
[[nodiscard]] std::string text_of(const LimitInForce& limit);
/// When more jobs start: `when jobs end, or with a larger limit …`.
[[nodiscard]] std::string remedy_of(const LimitInForce& limit);
/// "the file server of alpha (shared home 'site') bears 200 MB/s, live jobs read and write 190 MB/s, and a job of the campaign 12.5 MB/s"
[[nodiscard]] std::string text_of(const FileServerLoad& server, std::string_view where);
/// When more jobs start.
[[nodiscard]] std::string remedy_of(const FileServerLoad& server);
/// Empty for an empty note.
[[nodiscard]] std::string in_brackets(const std::string& note);

}  // namespace gleaner::decisions
