#pragma once
#include <stdexcept>

namespace gleaner::grid {

/// A service that the program needs (the database, the API) cannot be reached. Nothing is wrong
/// with the request: the same one may succeed later.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gleaner::grid
