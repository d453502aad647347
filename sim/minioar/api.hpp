#pragma once
#include <atomic>
#include <set>
#include <string>

#include "lib/http/message.hpp"
#include "sim/minioar/call.hpp"
#include "sim/minioar/engine.hpp"
#include "sim/minioar/faults.hpp"
#include "sim/minioar/job_json.hpp"

namespace gleaner::minioar {

class AdminBody;

/// The target of an action: one job, or an array of jobs.
enum class Scope { job, array };
enum class Users { listed, any };
enum class Admin { refused, allowed };
/// The REST API that it has: that of OAR 2, in the dialect of the engine, that of OAR 3 (api3.cpp), or Grid'5000's of one site
/// (api_g5k.cpp).
enum class RestApi { oar2, oar3, g5k };

struct ApiOptions {
  std::string prefix = "/oarapi-grid";
  std::string login;  ///< empty: no password is required
  std::string password;
  std::set<std::string> users;  ///< users of the cluster
  Users accept = Users::listed;
  std::string token_key;                    ///< OAR 3: signs tokens; empty: any signature is taken
  std::chrono::minutes token_life{524160};  ///< OAR 3: of a token that it gives
  RestApi rest_api = RestApi::oar2;
  Admin admin = Admin::refused;  ///< whether the routes of api_admin.cpp are allowed
};

/// The REST API of OAR, over an engine. Thread-safe.
class Api {
 public:
  Api(Engine& engine, ApiOptions options) : engine_{engine}, options_{std::move(options)} {}
  /// Over a driven engine, nothing is waited for: the delay of a fault is a part of the answer's.
  [[nodiscard]] http::Response handle(const http::Request& request);
  void set_latency(std::chrono::milliseconds latency) { faults_.set_latency(latency); }
  /// Ends the delays of faults.
  void stop() { faults_.stop(); }

 private:
  [[nodiscard]] http::Response answer(const http::Request& request, const std::string& path_info);
  [[nodiscard]] http::Response route(const Call& call);
  [[nodiscard]] std::optional<http::Response> route_read(const Call& call);
  [[nodiscard]] std::optional<http::Response> route_write(const Call& call);
  [[nodiscard]] bool password_is_right(const http::Request& request) const;
  /// `LOGIN:PASSWORD` of basic authentication; empty: there is none.
  [[nodiscard]] static std::string credentials_of(const http::Request& request);
  [[nodiscard]] bool knows(const std::string& user) const;

  // api_jobs.cpp
  [[nodiscard]] http::Response list_jobs(const Call& call, std::string_view kind);
  [[nodiscard]] http::Response show_job(const Call& call, JobNumber id, Detail detail);
  [[nodiscard]] http::Response show_job_items(const Call& call, JobNumber id, std::string_view kind);
  // api_actions.cpp
  [[nodiscard]] http::Response post_job(const Call& call);
  [[nodiscard]] http::Response delete_job(const Call& call, JobNumber id);
  [[nodiscard]] http::Response act(const Call& call, Scope scope, JobNumber id, const std::string& action);
  [[nodiscard]] http::Response send_signal(const Call& call, JobNumber id, int signal);
  // api_resources.cpp
  [[nodiscard]] http::Response root(const Call& call);
  [[nodiscard]] http::Response small_facts(const Call& call, const std::string& which);
  [[nodiscard]] http::Response list_resources(const Call& call, std::string_view kind);
  [[nodiscard]] http::Response show_resource(const Call& call, std::int64_t id);
  [[nodiscard]] http::Response select_all(const Call& call);
  [[nodiscard]] http::Response held_by_node(const Call& call);
  [[nodiscard]] http::Response free_by_node(const Call& call);
  [[nodiscard]] http::Response node_resources(const Call& call, const std::string& node);
  [[nodiscard]] http::Response jobs_on(const Call& call, const std::string& node, std::int64_t resource);
  // api_media.cpp
  [[nodiscard]] http::Response media(const Call& call);
  [[nodiscard]] http::Response media_read(const Call& call, const std::string& file);
  [[nodiscard]] http::Response media_list(const Call& call, const std::string& path);
  [[nodiscard]] http::Response media_write(const Call& call, const std::string& file, std::string_view force);
  [[nodiscard]] http::Response media_chmod(const Call& call, const std::string& file);
  [[nodiscard]] http::Response media_delete(const std::string& file, const Call& call);
  [[nodiscard]] std::string file_of(const Call& call, std::string_view path) const;
  [[nodiscard]] bool may(const std::string& user, const std::string& file, int others_bit) const;
  // api3.cpp
  [[nodiscard]] std::string user_of_token(const http::Request& request);
  [[nodiscard]] std::optional<http::Response> about_token(const Call& call, bool has_token) const;
  [[nodiscard]] http::Response answer3(const http::Request& request, const std::string& path_info);
  [[nodiscard]] http::Response route3(const Call& call);
  [[nodiscard]] http::Response list_jobs3(const Call& call);
  [[nodiscard]] http::Response list_resources3(const Call& call);
  [[nodiscard]] http::Response post_job3(const Call& call);
  [[nodiscard]] http::Response delete_jobs3(const Call& call, JobNumber id);
  [[nodiscard]] static http::Response act3(JobNumber id, const Done& done, int wrong_state);
  [[nodiscard]] http::Response media3(const Call& call);
  // api_g5k.cpp
  [[nodiscard]] http::Response answer_g5k(const http::Request& request, const std::string& path_info);
  [[nodiscard]] http::Response list_jobs_g5k(const Call& call);
  [[nodiscard]] http::Response show_job_g5k(const Call& call, JobNumber id, unsigned status);
  [[nodiscard]] http::Response post_job_g5k(const Call& call);
  [[nodiscard]] http::Response delete_job_g5k(const Call& call, JobNumber id);
  [[nodiscard]] http::Response status_g5k();
  // api_admin.cpp
  [[nodiscard]] http::Response admin(const http::Request& request, const std::string& path);
  [[nodiscard]] std::optional<std::string> administer(const std::string& path, const AdminBody& body);

  Engine& engine_;
  const ApiOptions options_;
  Faults faults_;
  std::mutex stress_mutex_;
  std::string stress_ = "0";
  std::mutex tokens_mutex_;
  std::set<std::string> revoked_;             ///< OAR 3: users whose tokens are refused
  std::atomic<bool> session_broken_ = false;  ///< OAR 3: its database session
  std::atomic<int> in_flight_ = 0;            ///< OAR 3: requests that use it now
};

}  // namespace gleaner::minioar
