// `canvaslab compose`: a Hydra application whose body prints its job configuration, untyped. Like any such
// application it leaves a folder with what it was given: .hydra/ and a log.
#pragma once

#include <ostream>

#include "experiments/configuration_flags.h"

namespace canvaslab {

// One job, or with --multirun (or hydra.mode=MULTIRUN) a job for each combination of swept values, in folders
// below hydra.sweep.dir. With --resolve alone nothing is written: the configuration is printed with
// interpolations replaced, and a value that is still ??? is an error. Returns exit status 0.
// ConfigurationError when anything cannot be composed; then nothing was written.
int compose_application(const ConfigurationFlags& flags, std::ostream& out);

}  // namespace canvaslab
