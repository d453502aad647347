#pragma once
#include <stdexcept>

namespace gleaner::grid {

/// A service that the program needs (the database, the API) cannot be reached. The request itself is right: it may succeed later.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gleaner::grid
