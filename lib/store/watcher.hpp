#pragma once

namespace gleaner::store {

/// For simulations alone: is called at the places where a program may die, or its database may go away. Its exceptions go to the caller;
/// Unavailable is what a database that is away causes.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void before_connection() = 0;
  virtual void before_transaction() = 0;
  virtual void before_commit() = 0;
  virtual void after_commit() = 0;
};

/// For every connection of this process; null: none. It is called from the threads that use them.
void watch(Watcher* watcher);

}  // namespace gleaner::store
