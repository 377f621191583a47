#include "experiments/training/batch_gradient.h"

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

namespace canvaslab {
namespace {

constexpr std::int64_t kMostGradientBytes = std::int64_t{1} << 30;

// Losses and gradients on their way to a sum over parts, rounds and processes.
struct Sums {
  at::Tensor losses = at::zeros({3}, at::kDouble);  // denoising, causal, balance
  std::vector<at::Tensor> gradients;

  void add(const at::Tensor& some_losses, const std::vector<at::Tensor>& some) {
    losses += some_losses;
    if (gradients.empty()) gradients.resize(some.size());
    for (size_t i = 0; i < some.size(); ++i) {
      if (!some[i].defined()) continue;
      gradients[i] = gradients[i].defined() ? gradients[i].add_(some[i]) : some[i];
    }
  }
};

// Runs task(part) for every part, each on a thread of its own that shares nothing out.
template <class Task>
void in_parallel(std::int64_t parts, const Task& task) {
  if (parts == 1) {
    task(0);
    return;
  }
  at::parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
    const c10::AutoGradMode with_gradient(true);  // a thread's own setting
    for (std::int64_t part = begin; part < end; ++part) task(part);
  });
}

// One part of what is in memory at once.
struct Part {
  Losses losses;
  at::Tensor numbers;  // float64 [3]
  std::vector<at::Tensor> gradients;

  void differentiate(const Objective& objective, const std::vector<at::Tensor>& parameters,
                     const at::Tensor& counts, double share) {
    const TrainingConfig& config = objective.config;
    const std::int64_t chosen = objective.denoiser.backbone().config().top_k_experts;
    const at::Tensor balance = balance_loss(losses.routing, counts, chosen) * share;
    const at::Tensor total =
        losses.denoising + config.causal_weight * losses.causal + config.balance_weight * balance;
    numbers =
        at::stack({losses.denoising.detach(), losses.causal.detach(), balance.detach()}).to(at::kDouble);
    gradients = torch::autograd::grad({total}, parameters, {}, /*retain_graph=*/false, /*create_graph=*/false,
                                      /*allow_unused=*/true);
    losses = {};
  }
};

// Everything that this process has in memory at once.
void add_round(const Objective& objective, const std::vector<at::Tensor>& parameters,
               std::span<const TrainingRow> rows, const BatchTotals& totals, std::int64_t all_rows,
               const Processes& processes, Sums& sums) {
  std::int64_t numbers = 0;
  for (const at::Tensor& parameter : parameters) numbers += parameter.numel();
  const auto count = static_cast<std::int64_t>(rows.size());
  std::vector<Part> parts(static_cast<size_t>(parts_of(count, at::get_num_threads(), numbers)));
  const auto every = static_cast<std::int64_t>(parts.size());
  in_parallel(every, [&](std::int64_t p) {
    const auto begin = static_cast<size_t>(count * p / every),
               end = static_cast<size_t>(count * (p + 1) / every);
    parts[static_cast<size_t>(p)].losses = objective(rows.subspan(begin, end - begin), totals);
  });
  at::Tensor counts = parts[0].losses.routing.counts.clone();
  for (size_t p = 1; p < parts.size(); ++p) counts += parts[p].losses.routing.counts;
  processes.sum(counts);
  const double share = static_cast<double>(all_rows) / totals.rows;
  in_parallel(every, [&](std::int64_t p) {
    parts[static_cast<size_t>(p)].differentiate(objective, parameters, counts, share);
  });
  for (const Part& part : parts) sums.add(part.numbers, part.gradients);
}

// One sum over the processes for everything.
void sum_over_processes(Sums& sums, const std::vector<at::Tensor>& parameters, const Processes& processes) {
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!sums.gradients[i].defined()) sums.gradients[i] = at::zeros_like(parameters[i]);
  if (processes.count() == 1) return;
  processes.sum(sums.losses);
  std::vector<at::Tensor> flat;
  for (const at::Tensor& gradient : sums.gradients) flat.push_back(gradient.reshape({-1}));
  at::Tensor all = at::cat(flat);
  processes.sum(all);
  std::int64_t begin = 0;
  for (at::Tensor& gradient : sums.gradients) {
    gradient = all.narrow(0, begin, gradient.numel()).view_as(gradient);
    begin += gradient.numel();
  }
}

}  // namespace

std::int64_t parts_of(std::int64_t rows, std::int64_t threads, std::int64_t parameters) {
  if (threads * parameters * 4 > kMostGradientBytes) return 1;
  return std::clamp<std::int64_t>(rows / kRowsOfPart, 1, threads);
}

BatchGradient batch_gradient(const Objective& objective, const std::vector<at::Tensor>& parameters,
                             std::span<const TrainingRow> mine, const BatchTotals& totals, std::int64_t round,
                             const Processes& processes) {
  Sums sums;
  const auto count = static_cast<std::int64_t>(mine.size());
  for (std::int64_t begin = 0; begin < count; begin += round) {
    const std::int64_t length = std::min(round, count - begin);
    add_round(objective, parameters, mine.subspan(static_cast<size_t>(begin), static_cast<size_t>(length)),
              totals, length * processes.count(), processes, sums);
  }
  sum_over_processes(sums, parameters, processes);
  const auto losses = sums.losses.accessor<double, 1>();
  const TrainingConfig& config = objective.config;
  return {.loss = losses[0] + config.causal_weight * losses[1] + config.balance_weight * losses[2],
          .denoising = losses[0],
          .causal = losses[1],
          .balance = losses[2],
          .gradients = std::move(sums.gradients)};
}

}  // namespace canvaslab
