// A denoiser that reads each prompt once: what it keeps of a prompt is shared by every row that starts from
// it.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "models/denoiser.h"

namespace canvaslab {

// Predictions are those of the denoiser behind it, bit for bit, where that one's prefill does not depend on
// what else is in the batch. Thread safe where that one is.
class PromptCache : public Denoiser {
 public:
  // Keeps at most `bytes` of contexts; the prompts that were not asked for longest go first.
  PromptCache(std::unique_ptr<Denoiser> denoiser, std::size_t bytes)
      : denoiser_(std::move(denoiser)), most_bytes_(bytes) {}

  std::int64_t vocabulary() const override { return denoiser_->vocabulary(); }
  std::int64_t canvas_length() const override { return denoiser_->canvas_length(); }
  std::int64_t max_positions() const override { return denoiser_->max_positions(); }

  void check_noise(std::span<const double> prior) const override { denoiser_->check_noise(prior); }
  bool leave_one_out() const override { return denoiser_->leave_one_out(); }

  std::vector<std::unique_ptr<RowContext>> prefill(std::span<const Prompt> prompts) const override;
  void extend(std::span<RowContext* const> rows,
              std::span<const std::span<const TokenId>> canvases) const override {
    denoiser_->extend(rows, canvases);
  }
  std::vector<Prediction> predict(std::span<const RowQuery> rows, const PassOptions& options) const override {
    return denoiser_->predict(rows, options);
  }
  std::vector<Prediction> predict_next(std::span<const RowQuery> rows,
                                       const PassOptions& options) const override {
    return denoiser_->predict_next(rows, options);
  }

 private:
  using Key = std::pair<std::int64_t, std::vector<TokenId>>;  // padding in front, tokens
  struct Entry {
    std::unique_ptr<RowContext> context;
    std::list<Key>::iterator used;
  };

  std::unique_ptr<RowContext> find(const Key& key) const;
  void keep(const Key& key, const RowContext& context) const;

  std::unique_ptr<Denoiser> denoiser_;
  std::size_t most_bytes_;
  mutable std::mutex mutex_;  // guards all below
  mutable std::map<Key, Entry> entries_;
  mutable std::list<Key> order_;  // the least recently used in front
  mutable std::size_t bytes_ = 0;
};

}  // namespace canvaslab
