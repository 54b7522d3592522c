#include "common/simulator/sites.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace simulator {

bool same_text(const char* a, const char* b) { return a != nullptr && b != nullptr && std::strcmp(a, b) == 0; }

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
