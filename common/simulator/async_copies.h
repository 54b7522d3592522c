// The cp.async copies of one thread, and the groups they are gathered in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simulator/instructions.h"
#include "common/simulator/ledger.h"
#include "common/simulator/source_watch.h"

namespace simulator {

// A copy under way.
struct AsyncCopy {
  uint32_t destination;
  const void* source;
  int bytes;
  CallSite site;
  CopyId id;  // in the ledger
  SourceWatch::Id source_id;
  int64_t group = 0;  // set when it is issued
};

// (PTX ISA, "cp.async.commit_group", "cp.async.wait_group")
class AsyncCopies {
 public:
  // The number of the group that the next copy belongs to: as many groups were committed before it.
  int64_t open_group() const { return open_group_; }
  void issue(AsyncCopy copy) {
    copy.group = open_group_;
    copies_.push_back(copy);
  }
  void commit() { ++open_group_; }

  // wait_group N: all but the youngest `pending_groups` of the committed groups are complete after it; `finish` is
  // called for each of their copies, the oldest first. Copies that were not committed do not count.
  template <typename Finish>
  void wait(int pending_groups, Finish finish) {
    const int64_t end = open_group_ - pending_groups;
    for (; first_ < copies_.size() && copies_[first_].group < end; ++first_) finish(copies_[first_]);
    if (2 * first_ >= copies_.size()) {
      copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
  }

  // Those that no wait has collected, the oldest first.
  const AsyncCopy* begin() const { return copies_.data() + first_; }
  const AsyncCopy* end() const { return copies_.data() + copies_.size(); }

  void clear() {
    copies_.clear();
    first_ = 0;
    open_group_ = 0;
  }

 private:
  std::vector<AsyncCopy> copies_;
  std::size_t first_ = 0;
  int64_t open_group_ = 0;
};

}  // namespace simulator
