#pragma once
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "lib/oar/bearer.hpp"
#include "lib/oar/token.hpp"
#include "lib/oar/traffic.hpp"

namespace gleaner::oar {

/// The dialect of a cluster's REST API (lib/oar/dialects): that of OAR 2.5 and 2.6, that of OAR 3, or Grid'5000's API of one site.
enum class Api { oar2, oar3, g5k };

/// Whether files can be written there, and folders listed: lists of pools, programs of jobs, names of evidence.
[[nodiscard]] constexpr bool takes_files(Api api) { return api == Api::oar2; }

/// With `token`, each request carries the token of the user in whose name it is made, and no identity header; with `signed_token`, one that
/// the site's key signs for that user.
enum class Authentication { none, basic, certificate, token, signed_token };
enum class Verification { full, off };

/// How one cluster's REST API is reached, and with which identity.
struct Access {
  std::string name;  ///< the cluster's name, for messages
  std::string url;   ///< `https://host/oarapi-priv`, with or without a slash at its end
  Authentication authentication = Authentication::none;
  std::string login;   ///< basic: the grid's login
  std::string secret;  ///< basic: its password; signed_token: the site's key. Never in a log or a message
  Api api = Api::oar2;
  std::map<std::string, Token, std::less<>> tokens = {};  ///< token: by the user that each is of; never in a log or a message
  std::map<std::string, std::string, std::less<>> unusable_tokens = {};  ///< token: by user, why there is one that is not in `tokens`
  std::shared_ptr<TokenUse> token_use = {};                              ///< which tokens the cluster takes; null: not noted
  std::string homes = "/home/%u";  ///< where users have their homes, `%u` being the user, for an API that does not expand `~`
  std::string identity_header = "X_REMOTE_IDENT";
  std::string reader;            ///< the user for reads; empty: none, which OAR allows for lists
  std::string ca_file;           ///< trusted authorities; empty: the system's
  std::string certificate_file;  ///< certificate: the grid's own, PEM
  std::string key_file;          ///< its key, PEM
  Verification verification = Verification::full;
  std::shared_ptr<Traffic> traffic = {};  ///< where all requests are counted; null: nowhere
};

/// Limits of a client's requests to a cluster.
struct Limits {
  std::chrono::milliseconds connect{3000};
  std::chrono::milliseconds read{10000};    ///< for the whole answer to a GET
  std::chrono::milliseconds submit{30000};  ///< for the whole answer to a POST or a DELETE
  int page{1000};                           ///< items in one request of a list
  std::size_t url_bytes{7000};              ///< a longer list of ids is split into several requests (Apache accepts 8 kB)
  int parallel{4};                          ///< requests in flight
  std::size_t answer_bytes{std::size_t{64} << 20};
};

}  // namespace gleaner::oar
