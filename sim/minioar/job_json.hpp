#pragma once
#include <string>

#include "sim/minioar/call.hpp"
#include "sim/minioar/ledger.hpp"

namespace gleaner::minioar {

/// A job as in GET /jobs.
void write_listed_job(text::JsonWriter& json, const Call& call, const Job& job);
/// A job as in GET /jobs/table.
void write_table_job(text::JsonWriter& json, const Call& call, const Job& job);

enum class Detail {
  plain,           ///< GET /jobs/ID
  with_resources,  ///< GET /jobs/ID/details
  in_list          ///< GET /jobs/details, where OAR leaves some fields null
};
void write_full_job(text::JsonWriter& json, const Call& call, const Ledger& ledger, const Job& job, Detail detail);

/// A JSON array of the resources of a job, or of its nodes, and its size.
struct Items {
  std::string json;
  std::int64_t count;
};
[[nodiscard]] Items job_resources(const Call& call, const Ledger& ledger, const Job& job);
[[nodiscard]] Items job_nodes(const Call& call, const Ledger& ledger, const Job& job);

/// The links to a job and its subresources.
void write_job_links(text::JsonWriter& json, const Call& call, JobNumber id);

/// A resource with all its properties; `status` is that of a job's resource, else empty.
void write_resource(text::JsonWriter& json, const Call& call, const Resource& resource, std::string_view status = {});
/// A resource as in GET /resources.
void write_listed_resource(text::JsonWriter& json, const Call& call, const Resource& resource);

}  // namespace gleaner::minioar
