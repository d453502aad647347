#pragma once
#include <chrono>
#include <cstddef>
#include <string>

namespace gleaner::oar {

enum class Authentication { none, basic, certificate };
enum class Verification { full, off };

/// How one cluster's REST API is reached, and as whom.
struct Access {
  std::string name;  ///< the cluster's name, for messages
  std::string url;   ///< `https://host/oarapi-priv`, with or without a slash at its end
  Authentication authentication = Authentication::none;
  std::string login;   ///< basic: the login of the grid
  std::string secret;  ///< basic: its password, never in a log or a message
  std::string identity_header = "X_REMOTE_IDENT";
  std::string reader;            ///< the user that reads are made as; empty: nobody, which OAR lets read lists
  std::string ca_file;           ///< whom to trust; empty: what the system trusts
  std::string certificate_file;  ///< certificate: who we are, PEM
  std::string key_file;          ///< its key, PEM
  Verification verification = Verification::full;
};

/// What a client may ask of a cluster at once, and how long it waits.
struct Limits {
  std::chrono::milliseconds connect{3000};
  std::chrono::milliseconds read{10000};    ///< a whole answer to a GET
  std::chrono::milliseconds submit{30000};  ///< a whole answer to a POST or a DELETE
  int page{1000};                           ///< items asked for in one request of a list
  std::size_t url_bytes{7000};              ///< a longer list of ids is asked for in pieces (Apache takes 8 kB)
  int parallel{4};                          ///< requests in flight
  std::size_t answer_bytes{std::size_t{64} << 20};
};

}  // namespace gleaner::oar
