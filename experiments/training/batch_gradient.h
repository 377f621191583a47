// The gradient of a batch's loss. On the CPU the rows are shared out to the threads, each of which takes
// whole forward and backward passes: that is much faster than sharing out every single operation.
#pragma once

#include <span>
#include <vector>

#include "experiments/training/objective.h"
#include "experiments/training/processes.h"

namespace canvaslab {

// Losses in nats; the balance has no unit. `gradients` belong to the parameters, in their order.
struct BatchGradient {
  double loss = 0, denoising = 0, causal = 0, balance = 0;
  std::vector<at::Tensor> gradients;
};

// How many parts a thread team of `threads` should make of `rows` rows: one a thread, but no part of fewer
// than kRowsOfPart rows, and one only where the parts' gradients would take too much memory.
std::int64_t parts_of(std::int64_t rows, std::int64_t threads, std::int64_t parameters);
inline constexpr std::int64_t kRowsOfPart = 4;

// `mine` are this process's rows of the batch that `totals` counts; `round` of them are in memory at once.
// Losses and gradients are those of the whole batch, in every process. The balance is taken over what all
// processes have in memory at once.
BatchGradient batch_gradient(const Objective& objective, const std::vector<at::Tensor>& parameters,
                             std::span<const TrainingRow> mine, const BatchTotals& totals, std::int64_t round,
                             const Processes& processes);

}  // namespace canvaslab
