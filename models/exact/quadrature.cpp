#include "models/exact/quadrature.h"

#include <cmath>
#include <numbers>

namespace canvaslab {
namespace {

// The Legendre polynomial of degree n and its derivative at x in (-1, 1), by the three-term recurrence.
struct Legendre {
  double value = 1, derivative = 0;

  Legendre(int n, double x) {
    double before = 0;
    for (int k = 1; k <= n; ++k) {
      const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
      before = value, value = next;
    }
    derivative = n * (before - x * value) / (1 - x * x);
  }
};

}  // namespace

// The nodes are the roots of the polynomial of degree `count`, found by Newton's method.
std::vector<QuadratureNode> gauss_legendre(int count) {
  std::vector<QuadratureNode> nodes;
  for (int i = 0; i < count; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (count + 0.5));
    for (int iteration = 0; iteration < 100; ++iteration) {
      const Legendre at(count, x);
      const double step = at.value / at.derivative;
      x -= step;
      if (std::abs(step) < 1e-15) break;
    }
    const double slope = Legendre(count, x).derivative;
    nodes.push_back({(1 - x) / 2, 1 / ((1 - x * x) * slope * slope)});
  }
  return nodes;
}

}  // namespace canvaslab
