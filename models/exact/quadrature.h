// Gauss-Legendre quadrature on (0, 1).
#pragma once

#include <vector>

namespace canvaslab {

struct QuadratureNode {
  double place = 0;   // in (0, 1)
  double weight = 0;  // the weights sum to 1
};

// Exact for polynomials of degree 2 * count - 1 or less. `count` >= 1.
std::vector<QuadratureNode> gauss_legendre(int count);

}  // namespace canvaslab
