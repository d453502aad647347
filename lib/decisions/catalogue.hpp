#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "lib/decisions/decision.hpp"
#include "lib/decisions/figure.hpp"
#include "lib/text/members.hpp"

/// The catalogue of reasons: each with its meaning and its figures. The code that stores figures and reads them back follows it, and tests
/// compare the API's document with it. A figure has the same name, meaning and type in all reasons that have it.
namespace gleaner::decisions {

/// The figures of a struct. A reason that is not below has none.
template <class Struct>
inline constexpr std::tuple<> kFigures{};

// Parts of several reasons.

template <>
inline constexpr auto kFigures<grid::Brake> = std::tuple{figure("brake", &grid::Brake::reason), figure("until", &grid::Brake::until)};

template <>
inline constexpr auto kFigures<grid::Awaited> = std::tuple{figure("awaited_campaign", &grid::Awaited::campaign),
                                                           figure("dependency", &grid::Awaited::kind),
                                                           figure("awaited_state", &grid::Awaited::state),
                                                           figure("awaited_tasks", &grid::Awaited::tasks),
                                                           figure("awaited_tasks_left", &grid::Awaited::left),
                                                           figure("awaited_tasks_failed", &grid::Awaited::failed),
                                                           figure("awaited_tasks_cancelled", &grid::Awaited::cancelled),
                                                           figure("first_failed_task", &grid::Awaited::first_failed)};

template <>
inline constexpr auto kFigures<grid::OutOfUse> =
    std::tuple{figure("suspected_resources", &grid::OutOfUse::suspected_resources),
               figure("absent_resources", &grid::OutOfUse::absent_resources), figure("dead_resources", &grid::OutOfUse::dead_resources)};

template <>
inline constexpr auto kFigures<OfferParts> = std::tuple{figure("max_resources", &OfferParts::max_resources),
                                                        figure("free_resources", &OfferParts::free_resources),
                                                        sparse("kept_resources", &OfferParts::kept_resources),
                                                        sparse("busy_resources", &OfferParts::busy_resources),
                                                        sparse("asleep_resources", &OfferParts::asleep_resources),
                                                        sparse("asleep_nodes", &OfferParts::asleep_nodes),
                                                        sparse("unnamed_nodes", &OfferParts::unnamed_nodes),
                                                        sparse("kept_for_others", &OfferParts::kept_for_others),
                                                        figure("flood_resources", &OfferParts::flood_resources),
                                                        sparse("waiting_resources", &OfferParts::waiting_resources),
                                                        sparse("unaccounted_resources", &OfferParts::unaccounted_resources),
                                                        sparse("unknown_resources", &OfferParts::unknown_resources),
                                                        sparse("unknown_jobs", &OfferParts::unknown_jobs),
                                                        sparse("unknown_launches", &OfferParts::unknown_launches)};

template <>
inline constexpr auto kFigures<Holder> = std::tuple{figure("campaign", &Holder::campaign), figure("used", &Holder::used)};

template <>
inline constexpr auto kFigures<LimitTarget> = std::tuple{figure("limit_consumable", &LimitTarget::consumable),
                                                         figure("limit_user", &LimitTarget::user),
                                                         figure("limit_group", &LimitTarget::group),
                                                         figure("limit_project", &LimitTarget::project),
                                                         figure("limit_campaign", &LimitTarget::campaign),
                                                         figure("limit_each", &LimitTarget::each),
                                                         figure("limit_on_this_cluster", &LimitTarget::this_cluster)};

template <>
inline constexpr auto kFigures<LimitInForce> = std::tuple{figure("limit", &LimitInForce::id),
                                                          figure("limit_kind", &LimitInForce::kind),
                                                          part(&LimitInForce::target),
                                                          figure("limit_most", &LimitInForce::most),
                                                          figure("limit_used", &LimitInForce::used),
                                                          figure("job_needs", &LimitInForce::job_needs),
                                                          figure("fits_one_job", &LimitInForce::fits_one_job),
                                                          figure("window_days", &LimitInForce::window_days),
                                                          figure("holders", &LimitInForce::holders),
                                                          figure("used_by_others", &LimitInForce::used_by_others)};

template <>
inline constexpr auto kFigures<FileServerLoad> =
    std::tuple{figure("file_server_mb_s", &FileServerLoad::bears), figure("shared_home", &FileServerLoad::home),
               figure("file_server_load_mb_s", &FileServerLoad::load), figure("job_mb_s", &FileServerLoad::of_job)};

// The bounds of a launch.

template <>
inline constexpr auto kFigures<bound::Offer> =
    std::tuple{figure("offered_resources", &bound::Offer::offered_resources), part(&bound::Offer::parts)};
template <>
inline constexpr auto kFigures<bound::MaxJobs> = std::tuple{figure("max_jobs", &bound::MaxJobs::max_jobs)};
template <>
inline constexpr auto kFigures<bound::Limit> = std::tuple{part(&bound::Limit::limit)};
template <>
inline constexpr auto kFigures<bound::Stress> =
    std::tuple{figure("job_limit", &bound::Stress::job_limit), figure("stress_signals", &bound::Stress::signals)};
template <>
inline constexpr auto kFigures<bound::FileServer> = std::tuple{part(&bound::FileServer::server)};
template <>
inline constexpr auto kFigures<bound::Trial> =
    std::tuple{figure("failures_in_a_row", &bound::Trial::failures), figure("last_brake", &bound::Trial::brake)};
template <>
inline constexpr auto kFigures<bound::Matching> = std::tuple{figure("matching_resources", &bound::Matching::matching_resources),
                                                             figure("max_resources", &bound::Matching::max_resources)};

// The reasons.

template <>
inline constexpr auto kFigures<reason::Launched> = std::tuple{choice("bound", &reason::Launched::bound)};
template <>
inline constexpr auto kFigures<reason::CampaignBraked> = std::tuple{part(&reason::CampaignBraked::brake)};
template <>
inline constexpr auto kFigures<reason::BagEmpty> =
    std::tuple{figure("live_jobs", &reason::BagEmpty::live_jobs), figure("unsettled_tasks", &reason::BagEmpty::unsettled_tasks),
               sparse("may_replicate", &reason::BagEmpty::may_replicate), sparse("withheld_tasks", &reason::BagEmpty::withheld_tasks)};
template <>
inline constexpr auto kFigures<reason::Awaits> = std::tuple{part(&reason::Awaits::awaited)};
template <>
inline constexpr auto kFigures<reason::AwaitsTasks> =
    std::tuple{part(&reason::AwaitsTasks::awaited), figure("tasks", &reason::AwaitsTasks::tasks),
               figure("live_jobs", &reason::AwaitsTasks::live_jobs)};
template <>
inline constexpr auto kFigures<grid::Hold> = std::tuple{figure("held_by", &grid::Hold::by), figure("held_since", &grid::Hold::since)};
template <>
inline constexpr auto kFigures<reason::TasksHeld> = std::tuple{figure("tasks", &reason::TasksHeld::tasks), part(&reason::TasksHeld::hold),
                                                               figure("live_jobs", &reason::TasksHeld::live_jobs)};
template <>
inline constexpr auto kFigures<reason::EpiloguesLeft> =
    std::tuple{figure("clusters", &reason::EpiloguesLeft::clusters), figure("obstacles", &reason::EpiloguesLeft::obstacles)};
template <>
inline constexpr auto kFigures<reason::Frozen> = std::tuple{figure("frozen_jobs", &reason::Frozen::frozen_jobs)};
template <>
inline constexpr auto kFigures<reason::ClusterBraked> = std::tuple{part(&reason::ClusterBraked::brake)};
template <>
inline constexpr auto kFigures<reason::NoResources> =
    std::tuple{part(&reason::NoResources::out), figure("no_resources_since", &reason::NoResources::since)};
template <>
inline constexpr auto kFigures<reason::PairBraked> = std::tuple{part(&reason::PairBraked::brake)};
template <>
inline constexpr auto kFigures<reason::NotMapped> = std::tuple{figure("user", &reason::NotMapped::user)};
template <>
inline constexpr auto kFigures<reason::NoToken> = std::tuple{
    figure("user", &reason::NoToken::user), figure("token", &reason::NoToken::fault), figure("token_since", &reason::NoToken::since)};
template <>
inline constexpr auto kFigures<reason::TooBig> =
    std::tuple{figure("resources_per_job", &reason::TooBig::resources_per_job), figure("max_resources", &reason::TooBig::max_resources),
               figure("kept_resources", &reason::TooBig::kept_resources), part(&reason::TooBig::out),
               figure("most_resources_per_job", &reason::TooBig::room_of_all)};
template <>
inline constexpr auto kFigures<reason::NoTaskFits> = std::tuple{figure("tasks", &reason::NoTaskFits::tasks)};
template <>
inline constexpr auto kFigures<reason::ScriptFirst> = std::tuple{figure("preparation", &reason::ScriptFirst::preparation)};
template <>
inline constexpr auto kFigures<reason::InputsFirst> =
    std::tuple{figure("missing_bytes", &reason::InputsFirst::bytes), figure("transfer_mb_s", &reason::InputsFirst::mb_s)};
template <>
inline constexpr auto kFigures<reason::TestAlreadyGiven> = std::tuple{figure("live_jobs", &reason::TestAlreadyGiven::live_jobs),
                                                                      figure("concluded_jobs", &reason::TestAlreadyGiven::concluded_jobs)};
template <>
inline constexpr auto kFigures<reason::MaxJobsReached> =
    std::tuple{figure("live_jobs", &reason::MaxJobsReached::live_jobs), figure("frozen_jobs", &reason::MaxJobsReached::frozen_jobs),
               figure("max_jobs", &reason::MaxJobsReached::max_jobs)};
template <>
inline constexpr auto kFigures<reason::LimitReached> = std::tuple{part(&reason::LimitReached::limit)};
template <>
inline constexpr auto kFigures<reason::UnderStress> =
    std::tuple{figure("grid_jobs", &reason::UnderStress::our_jobs), figure("job_limit", &reason::UnderStress::job_limit),
               figure("stress_signals", &reason::UnderStress::signals)};
template <>
inline constexpr auto kFigures<reason::FileServerFull> =
    std::tuple{part(&reason::FileServerFull::server), figure("live_jobs", &reason::FileServerFull::live_jobs),
               figure("probe_jobs", &reason::FileServerFull::probe_jobs)};
template <>
inline constexpr auto kFigures<reason::Probing> =
    std::tuple{figure("live_jobs", &reason::Probing::live_jobs), figure("probe_jobs", &reason::Probing::probe_jobs)};
template <>
inline constexpr auto kFigures<reason::Unjudged> =
    std::tuple{figure("live_jobs", &reason::Unjudged::live_jobs), figure("done_tasks", &reason::Unjudged::done),
               figure("mean_duration_s", &reason::Unjudged::mean_duration)};
template <>
inline constexpr auto kFigures<reason::OnTrial> =
    std::tuple{figure("live_jobs", &reason::OnTrial::live_jobs), figure("failures_in_a_row", &reason::OnTrial::failures),
               figure("last_brake", &reason::OnTrial::brake)};
template <>
inline constexpr auto kFigures<reason::FewMatch> = std::tuple{
    figure("matching_resources", &reason::FewMatch::matching_resources), figure("max_resources", &reason::FewMatch::max_resources),
    figure("live_jobs", &reason::FewMatch::live_jobs), figure("job_resources", &reason::FewMatch::job_resources)};
template <>
inline constexpr auto kFigures<reason::WidthUnknown> = std::tuple{figure("live_jobs", &reason::WidthUnknown::live_jobs)};
template <>
inline constexpr auto kFigures<reason::NoFreeResources> =
    std::tuple{figure("job_resources", &reason::NoFreeResources::job_resources), part(&reason::NoFreeResources::parts)};
template <>
inline constexpr auto kFigures<reason::KeptForLocal> =
    std::tuple{figure("job_resources", &reason::KeptForLocal::job_resources), part(&reason::KeptForLocal::parts)};
template <>
inline constexpr auto kFigures<KeptFor> = std::tuple{figure("keep", &KeptFor::name), figure("kept", &KeptFor::resources),
                                                     figure("kept_for", &KeptFor::whom), figure("until", &KeptFor::until)};
template <>
inline constexpr auto kFigures<reason::KeptForOthers> = std::tuple{
    figure("job_resources", &reason::KeptForOthers::job_resources), sparse("leaves_too_few", &reason::KeptForOthers::leaves_too_few),
    figure("keeps", &reason::KeptForOthers::keeps), part(&reason::KeptForOthers::parts)};
template <>
inline constexpr auto kFigures<reason::ReservedInOar> = std::tuple{
    figure("job_resources", &reason::ReservedInOar::job_resources),   figure("oar_reserves", &reason::ReservedInOar::reserved_resources),
    figure("needed_before_s", &reason::ReservedInOar::needed_before), figure("oar_reserves_from", &reason::ReservedInOar::from),
    figure("oar_reserves_until", &reason::ReservedInOar::until),      part(&reason::ReservedInOar::parts)};
template <>
inline constexpr auto kFigures<reason::NodesAsleep> =
    std::tuple{figure("job_resources", &reason::NodesAsleep::job_resources), figure("wake_minutes", &reason::NodesAsleep::wake_minutes),
               figure("wakes_at", &reason::NodesAsleep::at), part(&reason::NodesAsleep::parts)};
template <>
inline constexpr auto kFigures<reason::BusyWithoutJob> =
    std::tuple{figure("job_resources", &reason::BusyWithoutJob::job_resources), part(&reason::BusyWithoutJob::parts)};
template <>
inline constexpr auto kFigures<reason::NotEnoughResources> =
    std::tuple{figure("job_resources", &reason::NotEnoughResources::job_resources),
               figure("offered_resources", &reason::NotEnoughResources::offered_resources), part(&reason::NotEnoughResources::parts)};
template <>
inline constexpr auto kFigures<reason::NoNodeFree> =
    std::tuple{figure("job_resources", &reason::NoNodeFree::job_resources), figure("nodes_per_job", &reason::NoNodeFree::nodes),
               part(&reason::NoNodeFree::parts)};
template <>
inline constexpr auto kFigures<reason::Reserved> =
    std::tuple{figure("job_resources", &reason::Reserved::job_resources), figure("forecast_start", &reason::Reserved::at),
               part(&reason::Reserved::parts)};
template <>
inline constexpr auto kFigures<reason::HeldForReservation> = std::tuple{
    figure("free_resources", &reason::HeldForReservation::free_resources),
    figure("max_resources", &reason::HeldForReservation::max_resources), figure("holding_campaign", &reason::HeldForReservation::holder),
    figure("held_resources", &reason::HeldForReservation::held_resources)};
template <>
inline constexpr auto kFigures<reason::Preempting> = std::tuple{part(&reason::Preempting::parts)};
template <>
inline constexpr auto kFigures<reason::PreemptingForFirst> =
    std::tuple{figure("part_resources", &reason::PreemptingForFirst::part_resources), figure("users", &reason::PreemptingForFirst::users),
               part(&reason::PreemptingForFirst::parts)};
template <>
inline constexpr auto kFigures<reason::EarlierCampaigns> = std::tuple{
    figure("job_resources", &reason::EarlierCampaigns::job_resources),
    figure("offered_resources", &reason::EarlierCampaigns::offered_resources),
    figure("taken_resources", &reason::EarlierCampaigns::taken_resources), figure("earlier_campaigns", &reason::EarlierCampaigns::takers)};
template <>
inline constexpr auto kFigures<reason::TasksReserved> = std::tuple{figure("tasks", &reason::TasksReserved::tasks)};
template <>
inline constexpr auto kFigures<reason::TasksKept> =
    std::tuple{figure("tasks", &reason::TasksKept::tasks), figure("clusters", &reason::TasksKept::clusters),
               figure("returned_tasks", &reason::TasksKept::others)};
template <>
inline constexpr auto kFigures<reason::TasksFollow> =
    std::tuple{figure("tasks", &reason::TasksFollow::tasks), figure("clusters", &reason::TasksFollow::clusters),
               figure("returned_tasks", &reason::TasksFollow::others)};
template <>
inline constexpr auto kFigures<reason::EndsUnread> = std::tuple{figure("tasks", &reason::EndsUnread::tasks)};
template <>
inline constexpr auto kFigures<reason::PoolsUnderWay> = std::tuple{figure("live_jobs", &reason::PoolsUnderWay::live_jobs)};

// The place in the order. Its parts are objects of their own, as their figures share names.

template <>
inline constexpr auto kFigures<place::FairBranch> =
    std::tuple{figure("name", &place::FairBranch::name), figure("order_priority", &place::FairBranch::priority),
               figure("share", &place::FairBranch::share), figure("usage", &place::FairBranch::usage)};
template <>
inline constexpr auto kFigures<place::FairShare> = std::tuple{figure("user", &place::FairShare::user),
                                                              figure("order_priority", &place::FairShare::priority),
                                                              figure("share", &place::FairShare::share),
                                                              figure("usage", &place::FairShare::usage),
                                                              figure("usage_by_share", &place::FairShare::by_share),
                                                              sparse("branches", &place::FairShare::branches)};
template <>
inline constexpr auto kFigures<place::TreeNode> = std::tuple{
    figure("name", &place::TreeNode::name), figure("shares", &place::TreeNode::shares), figure("usage", &place::TreeNode::usage)};
template <>
inline constexpr auto kFigures<place::FairTree> =
    std::tuple{figure("user", &place::FairTree::user), figure("user_rank", &place::FairTree::rank),
               figure("users", &place::FairTree::users), figure("path", &place::FairTree::path)};
template <>
inline constexpr auto kFigures<place::Factor> =
    std::tuple{figure("factor", &place::Factor::value), figure("weight", &place::Factor::weight)};
template <>
inline constexpr auto kFigures<place::Multifactor> = std::tuple{figure("order_priority", &place::Multifactor::priority),
                                                                figure("age", &place::Multifactor::age),
                                                                figure("fairshare", &place::Multifactor::fairshare),
                                                                figure("size", &place::Multifactor::size),
                                                                figure("priority", &place::Multifactor::campaign_priority),
                                                                figure("affinity", &place::Multifactor::affinity),
                                                                sparse("project", &place::Multifactor::project),
                                                                sparse("early", &place::Multifactor::early),
                                                                sparse("project_priority", &place::Multifactor::project_priority),
                                                                sparse("group_priority", &place::Multifactor::group_priority)};
template <>
inline constexpr auto kFigures<place::DrawnNode> =
    std::tuple{figure("name", &place::DrawnNode::name), figure("shares", &place::DrawnNode::shares),
               figure("of_shares", &place::DrawnNode::of_shares)};
template <>
inline constexpr auto kFigures<place::Tickets> = std::tuple{figure("tickets", &place::Tickets::tickets),
                                                            figure("rankings", &place::Tickets::rankings),
                                                            figure("ranking", &place::Tickets::ranking),
                                                            figure("ranking_of_user_priority", &place::Tickets::user_priority),
                                                            figure("ranking_of_priority", &place::Tickets::campaign_priority),
                                                            figure("ranking_of_wall_clock", &place::Tickets::wall_clock),
                                                            figure("ranking_of_cpu_time", &place::Tickets::cpu_time),
                                                            figure("ranking_of_resources", &place::Tickets::resources),
                                                            figure("ranking_of_creation", &place::Tickets::creation),
                                                            figure("ranking_of_power", &place::Tickets::power),
                                                            sparse("ranking_of_project_priority", &place::Tickets::project_priority),
                                                            sparse("ranking_of_group_priority", &place::Tickets::group_priority),
                                                            sparse("drawn_path", &place::Tickets::path),
                                                            sparse("comes_last", &place::Tickets::comes_last)};
template <>
inline constexpr auto kFigures<PriorityEffect> =
    std::tuple{figure("campaign_priority", &PriorityEffect::campaign_priority), figure("campaign_order", &PriorityEffect::campaign_order),
               figure("multifactor_weights", &PriorityEffect::multifactor_weights), figure("simultaneous", &PriorityEffect::simultaneous)};
template <>
inline constexpr auto kFigures<GivenPriority> = std::tuple{
    figure("holder", &GivenPriority::holder), figure("name", &GivenPriority::name), figure("given_priority", &GivenPriority::priority),
    figure("campaign_order", &GivenPriority::campaign_order), figure("multifactor_weights", &GivenPriority::multifactor_weights)};
template <>
inline constexpr auto kFigures<ScarceMemory> =
    std::tuple{figure("cluster_name", &ScarceMemory::cluster), figure("taken_mb", &ScarceMemory::taken_mb),
               figure("share_mb", &ScarceMemory::share_mb), figure("node_mb", &ScarceMemory::node_mb)};
template <>
inline constexpr auto kFigures<HeadStart> =
    std::tuple{figure("begun_tasks", &HeadStart::begun_tasks),      figure("first_tasks", &HeadStart::first_tasks),
               figure("granted_tasks", &HeadStart::granted_tasks),  figure("user_jobs", &HeadStart::user_jobs),
               figure("most_jobs", &HeadStart::most_jobs),          figure("user_resources", &HeadStart::user_resources),
               figure("most_resources", &HeadStart::most_resources)};
template <>
inline constexpr auto kFigures<Standing> = std::tuple{figure("place", &Standing::place),
                                                      figure("elsewhere", &Standing::elsewhere),
                                                      figure("priority_effect", &Standing::priority),
                                                      sparse("head_start", &Standing::head_start),
                                                      sparse("given_priorities", &Standing::given_priorities),
                                                      sparse("scarce_memory", &Standing::scarce_memory)};

/// The figure that names the alternative of a place.
inline constexpr std::string_view kOrder = "order";

/// A name with its meaning, for the API's document.
struct Meaning {
  std::string_view name;
  std::string_view meaning;
};

inline constexpr std::array kReasonMeanings{
    Meaning{reason::Launched::kName, "it got jobs in this cycle, as many as `bound` allowed"},
    Meaning{reason::Paused::kName, "its user paused the campaign"},
    Meaning{reason::CampaignBraked::kName, "the campaign is braked"},
    Meaning{reason::Awaits::kName, "another campaign comes first"},
    Meaning{reason::AwaitsTasks::kName, "none of its tasks is in the bag: each waits for one of another campaign"},
    Meaning{reason::TasksHeld::kName, "none of its tasks is in the bag: a user holds those that are left"},
    Meaning{reason::BagEmpty::kName, "no task is left in its bag"},
    Meaning{reason::NoCluster::kName, "none of the campaign's clusters is in the grid"},
    Meaning{reason::Frozen::kName, "what is left depends on launches whose fate is unknown"},
    Meaning{reason::ClusterDisabled::kName, "an administrator disabled the cluster"},
    Meaning{reason::ClusterRetired::kName, "an administrator retired the cluster"},
    Meaning{reason::Unreachable::kName, "the cluster's API does not answer"},
    Meaning{reason::StaleStatus::kName, "the cluster's status is too old to plan on"},
    Meaning{reason::NoResources::kName, "OAR starts no job on any resource of the cluster"},
    Meaning{reason::ClusterBraked::kName, "the cluster is braked for all campaigns"},
    Meaning{reason::PairBraked::kName, "the campaign is braked on the cluster"},
    Meaning{reason::NotMapped::kName, "the campaign's user has no account on the cluster"},
    Meaning{reason::NoToken::kName, "the cluster wants a token of each user, and that of the campaign's user is no use"},
    Meaning{reason::TooBig::kName, "one job needs more resources than the cluster has, or has in use"},
    Meaning{reason::ScriptFirst::kName, "the campaign's prologue or epilogue there is not over"},
    Meaning{reason::InputsFirst::kName, "input files of the campaign are still to be brought there"},
    Meaning{reason::EpiloguesLeft::kName, "all its tasks are settled, and an epilogue is not over"},
    Meaning{reason::NoTaskFits::kName, "each of the waiting tasks needs more than the cluster has"},
    Meaning{reason::TestAlreadyGiven::kName, "a test campaign gets one job on each cluster"},
    Meaning{reason::MaxJobsReached::kName, "the JDL's max_jobs is reached there"},
    Meaning{reason::LimitReached::kName, "a limit of `gridctl limit set` is reached"},
    Meaning{reason::UnderStress::kName, "the cluster is under stress, and takes few jobs of the grid"},
    Meaning{reason::FileServerFull::kName, "the cluster's file server bears no more jobs of the campaign, or nothing shows yet how many"},
    Meaning{reason::Probing::kName, "the probe is out, which shows how long tasks take there"},
    Meaning{reason::Unjudged::kName, "the first tasks ended in almost no time, and nothing shows yet that this is right"},
    Meaning{reason::OnTrial::kName, "after a brake one job at a time is tried, and it is out"},
    Meaning{reason::FewMatch::kName, "few of the cluster's resources have the JDL's properties"},
    Meaning{reason::WidthUnknown::kName, "a limit counts resources, and the first job, which shows how many a job takes, is out"},
    Meaning{reason::NoFreeResources::kName, "the cluster is full, and its queue holds what the flood allows"},
    Meaning{reason::KeptForLocal::kName, "free resources are kept for local jobs (headroom)"},
    Meaning{reason::KeptForOthers::kName, "free resources are kept for other campaigns (`gridctl keep list`)"},
    Meaning{reason::ReservedInOar::kName,
            "OAR keeps free resources for advance reservations of local users, which begin too soon for a job"},
    Meaning{reason::NodesAsleep::kName, "nodes without jobs are left asleep: there is too little work to wake one"},
    Meaning{reason::BusyWithoutJob::kName, "free resources are busy without a job: their node reports load"},
    Meaning{reason::NotEnoughResources::kName, "something is free, but less than one job takes"},
    Meaning{reason::NoNodeFree::kName, "enough is free, but not on as few nodes as one job takes"},
    Meaning{reason::Reserved::kName, "freed resources are held back for this campaign's wide job"},
    Meaning{reason::HeldForReservation::kName, "free resources are held back for a wide job of another campaign"},
    Meaning{reason::Preempting::kName, "jobs of the lowest priority are being killed for it"},
    Meaning{reason::PreemptingForFirst::kName, "jobs of users who hold more than their part are being killed for its first tasks"},
    Meaning{reason::EarlierCampaigns::kName, "there was enough, and earlier campaigns of this cycle took it"},
    Meaning{reason::TasksElsewhere::kName, "the tasks left went to clusters that come first for this campaign"},
    Meaning{reason::TasksReserved::kName, "the tasks left were returned by another cluster, and wait for it"},
    Meaning{reason::TasksKept::kName, "the tasks left wait for another cluster, and may have checkpoints there"},
    Meaning{reason::TasksFollow::kName, "the tasks left wait for the clusters where the tasks before them left files"},
    Meaning{reason::PoolsUnderWay::kName, "the campaign's own pools use the cluster, and are soon over"},
    Meaning{reason::EndsUnread::kName,
            "jobs that took tasks one after the other are over, and the files with the tasks' ends are not read yet"},
    Meaning{Standing::kName, "the campaign's place in the order, beside its other decisions"},
};

inline constexpr std::array kFigureMeanings{
    Meaning{"absent_resources", "resources whose node is down, and which OAR does not wake"},
    Meaning{"asleep_nodes", "nodes without jobs that are left asleep"},
    Meaning{"asleep_resources", "resources of these nodes, which are free"},
    Meaning{"awaited_campaign", "the campaign that comes first"},
    Meaning{"awaited_state", "its state; null: it was deleted"},
    Meaning{"awaited_tasks", "all of its tasks"},
    Meaning{"awaited_tasks_cancelled", "its cancelled tasks"},
    Meaning{"awaited_tasks_failed", "its failed tasks"},
    Meaning{"awaited_tasks_left", "its tasks that are not settled"},
    Meaning{"bound", "what kept the launch from being bigger"},
    Meaning{"brake", "why it is braked"},
    Meaning{"busy_resources", "free resources that load makes unavailable"},
    Meaning{"clusters", "names of the clusters that are waited for"},
    Meaning{"concluded_jobs", "jobs done, or failed for good"},
    Meaning{"dead_resources", "resources whose node the site's administrators took out"},
    Meaning{"dependency", "the JDL key of the condition"},
    Meaning{"done_tasks", "tasks that ended without an error"},
    Meaning{"earlier_campaigns", "the first that took resources of the cluster in this cycle, three at most"},
    Meaning{"elsewhere", "where its user has no affinity, if `place` is where there is one; null: it has one place"},
    Meaning{"failures_in_a_row", "failed jobs, before the one that is tried"},
    Meaning{"file_server_load_mb_s",
            "MB/s that live jobs of all campaigns read and write on that server, by what their tasks were measured to"},
    Meaning{"file_server_mb_s", "MB/s that the cluster's file server bears, as an administrator declared"},
    Meaning{"first_failed_task", "the number of its first failed task; null: none failed"},
    Meaning{"fits_one_job", "false: one job needs more than the limit, however many end"},
    Meaning{"flood_resources", "resources for which jobs may wait in the queue"},
    Meaning{"forecast_start", "when enough resources are free, by the forecasts"},
    Meaning{"free_resources", "free ones, those that stay free or are busy without a job included"},
    Meaning{"frozen_jobs", "jobs of launches whose fate is unknown"},
    Meaning{"given_priorities", "what administrators gave to its project, or to a group of its user (`gridctl project priority`)"},
    Meaning{"grid_jobs", "live jobs of all campaigns there"},
    Meaning{"head_start", "its first tasks that may go before others' later ones; null: they have begun, or no order reads them"},
    Meaning{"held_by", "the user who holds the first of the held tasks"},
    Meaning{"held_resources", "resources that a job of that campaign needs"},
    Meaning{"held_since", "since when that one is held"},
    Meaning{"holders", "of a consumable: other campaigns, those that use most"},
    Meaning{"holding_campaign", "the campaign for which they are held back"},
    Meaning{"job_limit", "most live jobs of the grid, while the cluster is under stress"},
    Meaning{"job_mb_s", "MB/s that one job of the campaign reads and writes; null: not measured yet"},
    Meaning{"job_needs", "of one job, in the unit of the limit; null: one, or nothing is left of the limit"},
    Meaning{"job_resources", "resources of one job, from the JDL or by the job ratio"},
    Meaning{
        "keeps",
        "the keeps of the cluster (`gridctl keep list`) that are active and not for this campaign: name, resources, for whom in words, end"},
    Meaning{"kept_for_others", "resources that are kept for other campaigns, and that these do not use yet"},
    Meaning{"kept_resources", "resources that stay free for local jobs (headroom)"},
    Meaning{"last_brake", "why the campaign was braked there last; empty: that brake was lifted, or was set by hand"},
    Meaning{"leaves_too_few", "whether one job needs more than the keeps leave, however many end"},
    Meaning{"limit", "id of the limit (`gridctl limit list`)"},
    Meaning{"limit_campaign", "the campaign to which it applies; null: to any"},
    Meaning{"limit_consumable", "the consumable that it counts; null: none"},
    Meaning{"limit_each", "user, project or campaign, where each of them has such a limit; null: no"},
    Meaning{"limit_group", "the unix group of users to which it applies; null: to any"},
    Meaning{"limit_kind", "what it counts"},
    Meaning{"limit_most", "the limit itself"},
    Meaning{"limit_on_this_cluster", "whether it counts jobs of this cluster only"},
    Meaning{"limit_project", "the project to which it applies; null: to any"},
    Meaning{"limit_used", "present use"},
    Meaning{"limit_user", "the user to whom it applies; null: to any"},
    Meaning{"live_jobs", "the campaign's jobs that are planned, waiting or running, there or, for a whole campaign, anywhere"},
    Meaning{"matching_resources", "resources with the properties that the JDL requests"},
    Meaning{"max_jobs", "the JDL's"},
    Meaning{"max_resources", "resources that the grid may use there"},
    Meaning{"may_replicate", "whether a running task gets a replica, once, when resources for it are free elsewhere"},
    Meaning{"mean_duration_s", "mean duration of the done tasks, in seconds"},
    Meaning{"missing_bytes", "bytes of the input files that are still to be brought there"},
    Meaning{"most_resources_per_job", "most resources of one job, if none were out of use"},
    Meaning{
        "needed_before_s",
        "seconds that a job needs before the reservation begins: its walltime and `reservation_margin`; a best-effort job at least 310, as "
        "OAR starts none less than 300 s before"},
    Meaning{"no_resources_since", "since when the cluster has no live resources; null: not known"},
    Meaning{"nodes_per_job", "nodes of one job"},
    Meaning{"oar_reserves", "resources that OAR's advance reservations will hold at once while such a job would run"},
    Meaning{"oar_reserves_from", "when the first of these reservations begins"},
    Meaning{"oar_reserves_until", "when the last of these reservations ends"},
    Meaning{"obstacles", "why the epilogue does not run on some of them; empty: it does"},
    Meaning{"offered_resources", "resources offered to the campaign, the flood included"},
    Meaning{"part_resources", "resources of the cluster that are each user's part"},
    Meaning{"place", "the figures of its place; null: the order has none"},
    Meaning{"preparation", "the script that comes first"},
    Meaning{"priority_effect", "a priority that sorts less than its user may expect; null: it does what it says"},
    Meaning{"probe_jobs", "most jobs of the probe"},
    Meaning{"resources_per_job", "resources of one job"},
    Meaning{"returned_tasks", "further tasks, which another cluster returned and which wait for it"},
    Meaning{"scarce_memory", "clusters that come later, as tasks took more memory than goes with the cores of a job, three at most"},
    Meaning{"shared_home", "the home of several clusters whose file server it is; empty: that of this cluster alone"},
    Meaning{"stress_signals", "why the cluster is under stress"},
    Meaning{"suspected_resources", "resources on whose node OAR found a fault"},
    Meaning{"taken_resources", "resources that earlier campaigns took in this cycle"},
    Meaning{"tasks", "the tasks that the reason is about"},
    Meaning{"token", "what is wrong with the user's token"},
    Meaning{"token_since", "when it ended, or was refused; null: not known"},
    Meaning{"transfer_mb_s", "MB/s at which such files reached the cluster; 0: not known"},
    Meaning{"unaccounted_resources", "resources of launches that the cluster's status cannot show yet"},
    Meaning{"unknown_jobs", "jobs of launches whose fate is unknown, of all campaigns"},
    Meaning{"unknown_launches", "launches whose fate is unknown"},
    Meaning{"unknown_resources", "of the unaccounted ones, those of launches whose fate is unknown"},
    Meaning{"unnamed_nodes", "whether these nodes are too many to be named in a job's properties, so that OAR may wake them"},
    Meaning{"unsettled_tasks", "tasks that are not settled"},
    Meaning{"until", "when the brake expires; null: when somebody lifts it"},
    Meaning{"used_by_others", "of a consumable: by campaigns that are not among the holders, nor this one"},
    Meaning{"user", "the campaign's user"},
    Meaning{"users", "users among whom the cluster is divided: whose jobs run there, or whose first tasks wait for it"},
    Meaning{"wake_minutes", "minutes of work for each of its cores for which a node is woken"},
    Meaning{"wakes_at", "when it is woken for the campaign however little work there is, while none of its jobs runs"},
    Meaning{"waiting_resources", "resources for which jobs wait in the queue already"},
    Meaning{"window_days", "of a limit on resource_seconds: its window"},
    Meaning{"withheld_tasks",
            "of the tasks that are not settled, those whose requests cannot be computed from what others gave; counted to 1000"},
};

/// Every struct has as many rows as members.
template <class... All>
[[nodiscard]] consteval bool is_complete(std::type_identity<std::variant<All...>>) {
  return ((std::tuple_size_v<std::remove_const_t<decltype(kFigures<All>)>> == text::count_members<All>()) && ...);
}
static_assert(is_complete(std::type_identity<Reason>{}), "a reason has a figure that the catalogue does not list");
static_assert(is_complete(std::type_identity<Bound>{}), "a bound has a figure that the catalogue does not list");
static_assert(is_complete(std::type_identity<Place>{}), "a place has a figure that the catalogue does not list");
static_assert(
    is_complete(
        std::type_identity<std::variant<OfferParts, LimitTarget, LimitInForce, Holder, KeptFor, grid::Brake, grid::Awaited, grid::Hold,
                                        grid::OutOfUse, PriorityEffect, GivenPriority, ScarceMemory, HeadStart, Standing>>{}),
    "a part of reasons has a figure that the catalogue does not list");

}  // namespace gleaner::decisions
