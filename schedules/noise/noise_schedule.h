// How much of a canvas is still clean at each level of noise.
#pragma once

namespace canvaslab {

class NoiseSchedule {
 public:
  virtual ~NoiseSchedule() = default;

  // alpha(t): the probability that a token is clean at time t, from 1 at t = 0 (clean) down to 0 at t = 1
  // (pure noise). Denoising runs from 1 to 0.
  virtual double survival(double t) const = 0;

  // -d alpha / d t: how fast clean tokens become noise. Never negative.
  virtual double rate(double t) const = 0;
};

}  // namespace canvaslab
