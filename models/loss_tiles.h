// What the losses of training share: the logits of one tile of the vocabulary after another, never all of
// [N, V].
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <vector>

#include "core/step.h"

namespace canvaslab {

// Which positions' ids lie in the tile [first, first + entries), and where in it.
struct IdsInTile {
  at::Tensor positions, columns;  // int64 [n]

  IdsInTile(const at::Tensor& ids, std::int64_t first, std::int64_t entries);
};

struct LossTile {
  std::int64_t first;  // the tile is [first, first + entries) of the vocabulary
  std::int64_t entries;
  at::Tensor logits;  // float32 [N, entries]: capped; -inf for suppressed ids
  at::Tensor slope;   // d logit / d (h O^T), or undefined: 1
};

// A softmax over the vocabulary, [N, V] in tiles: hidden [N, H] times the output projection [V, H].
struct TiledSoftmax {
  std::vector<std::int64_t> suppressed;
  double cap;  // 0: not capped
  std::int64_t tile;

  // Calls visit(tile) for each tile in turn.
  void each(const at::Tensor& hidden, const at::Tensor& output,
            const std::function<void(LossTile& tile)>& visit) const;

  // The gradients by hidden and output, when gradient(tile) gives that by the tile's logits, float32
  // [N, entries].
  std::vector<at::Tensor> gradient(const at::Tensor& hidden, const at::Tensor& output,
                                   const std::function<at::Tensor(LossTile& tile)>& gradient) const;
};

// The logarithm of the sum of exp(logits), tile by tile.
class RunningMass {
 public:
  explicit RunningMass(std::int64_t positions);
  void add(const at::Tensor& logits);
  at::Tensor log() const { return maximum_ + at::log(mass_); }  // float32 [N]

 private:
  at::Tensor maximum_, mass_;
};

}  // namespace canvaslab
