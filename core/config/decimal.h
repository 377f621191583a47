// Decimal numbers of 28 significant digits, as Python's `decimal` computes them by default: Hydra steps
// through ranges of reals with these, so that range(0,1,0.1) gives 0.3 and not 0.30000000000000004.
#pragma once

#include <string>

namespace canvaslab::config {

class Decimal {
 public:
  // The exact value of a finite double.
  explicit Decimal(double value);

  // The sum, rounded to 28 significant digits, half to even.
  Decimal operator+(const Decimal& other) const;
  bool operator<(const Decimal& other) const;

  double to_double() const;

 private:
  Decimal() = default;

  bool is_negative_ = false;
  std::string digits_;  // significant digits without leading zeros; empty for zero
  int exponent_ = 0;    // of the last digit: the value is 0.digits * 10^(size + exponent)
};

}  // namespace canvaslab::config
