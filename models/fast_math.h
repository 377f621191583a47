// exp and tanh in float32 that the compiler can vectorise inside a loop, to about 1 ulp.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace canvaslab {

// exp for x <= 88, to about 1 ulp: 2^k * polynomial (Cephes' coefficients). Below -87 the result is 0.
inline __attribute__((always_inline)) float fast_exp(float x) {
  const float clamped = x < -87.0F ? -87.0F : (x > 88.0F ? 88.0F : x);
  const float k = std::floor(clamped * 1.44269504088896341F + 0.5F);
  const float r = (clamped - k * 0.693359375F) + k * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const float value = p * r * r + r + 1.0F;
  const std::int32_t bits = (static_cast<std::int32_t>(k) + 127) << 23;
  float power;
  std::memcpy(&power, &bits, sizeof power);
  return x < -87.0F ? 0.0F : value * power;
}

// tanh: an odd polynomial near 0 (Cephes' coefficients), 1 - 2 / (exp(2|x|) + 1) elsewhere.
inline __attribute__((always_inline)) float fast_tanh(float x) {
  const float size = std::fabs(x);
  const float square = x * x;
  float p = -5.70498872745e-3F;
  p = p * square + 2.06390887954e-2F;
  p = p * square - 5.37397155531e-2F;
  p = p * square + 1.33314422036e-1F;
  p = p * square - 3.33332819422e-1F;
  const float small = p * square * x + x;
  const float large = 1.0F - 2.0F / (fast_exp(2.0F * (size > 20.0F ? 20.0F : size)) + 1.0F);
  return size < 0.625F ? small : std::copysign(large, x);
}

}  // namespace canvaslab
