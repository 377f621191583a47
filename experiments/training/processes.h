// The processes that train one model together, each with its share of every batch: started by torchrun or
// Slurm, or a single one.
#pragma once

#include <ATen/ATen.h>

#include <memory>

namespace canvaslab {

class Processes {
 public:
  virtual ~Processes() = default;
  virtual int count() const = 0;
  virtual int rank() const = 0;  // 0 .. count() - 1; 0 writes files and talks

  // Replaces a tensor by its sum over the processes; the same bits in all of them. Error when one of them is
  // gone.
  virtual void sum(at::Tensor& tensor) const = 0;

  static const Processes& single();

  bool leads() const { return rank() == 0; }

  // As the environment says: RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT (torchrun), or SLURM_PROCID,
  // SLURM_NTASKS and SLURM_LAUNCH_NODE_IPADDR (srun); a single process without them. ConfigurationError when
  // they are incomplete or make no sense.
  static std::unique_ptr<Processes> from_environment();
};

}  // namespace canvaslab
