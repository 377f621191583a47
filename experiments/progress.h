// What a person sees while a run goes on, on stderr: the canvases settling where that is a terminal, else a
// line now and then.
#pragma once

#include <memory>

#include "models/tokenizer/tokenizer.h"
#include "samplers/sample.h"

namespace canvaslab {

// `samples`: how many there are in all. `tokenizer` may be null: ids are shown then.
std::unique_ptr<SampleObserver> make_progress(size_t samples, int most_steps, const Tokenizer* tokenizer);

}  // namespace canvaslab
