#include "samplers/suppressed_ids.h"

#include <algorithm>

#include "core/error.h"
#include "samplers/request_check.h"

namespace canvaslab {

std::vector<TokenId> suppressed_ids(const NoiseProcess& noise, const Vocabulary& vocabulary,
                                    std::span<const TokenId> configured) {
  check_ids(configured, vocabulary, "sampler.suppress");
  std::vector<TokenId> ids = noise.suppressed(vocabulary);
  ids.insert(ids.end(), configured.begin(), configured.end());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (static_cast<std::int64_t>(ids.size()) >= vocabulary.size)
    throw ConfigurationError("sampler.suppress: every token is suppressed; nothing could be predicted");
  return ids;
}

}  // namespace canvaslab
