#include "common/simulator/sites.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace simulator {

bool same_site(const CallSite& a, const CallSite& b) {
  if (a.line != b.line) return false;
  if (a.file == b.file) return true;
  return a.file != nullptr && b.file != nullptr && std::strcmp(a.file, b.file) == 0;
}

SiteId SiteTable::look_up(const CallSite& site, Slot& slot) {
  slot.file = site.file;
  slot.line = site.line;
  const auto found = std::find_if(sites_.begin(), sites_.end(), [&](const CallSite& s) { return same_site(s, site); });
  if (found != sites_.end()) return static_cast<SiteId>(found - sites_.begin());
  if (sites_.size() > std::numeric_limits<SiteId>::max()) throw std::length_error("too many source lines in a kernel");
  sites_.push_back(site);
  return static_cast<SiteId>(sites_.size() - 1);
}

}  // namespace simulator
