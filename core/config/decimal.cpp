// Arithmetic on strings of digits; numbers here have some fifty of them.
#include "core/config/decimal.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace canvaslab::config {
namespace {

constexpr std::size_t kPrecision = 28;

void strip(std::string& digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
}

// Sums and differences of digits that are aligned to the right; `a` is not the smaller one in subtract.
std::string add(std::string a, std::string b) {
  if (a.size() < b.size()) std::swap(a, b);
  int carry = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    char& digit = a[a.size() - 1 - i];
    const int sum = digit - '0' + (i < b.size() ? b[b.size() - 1 - i] - '0' : 0) + carry;
    digit = static_cast<char>('0' + sum % 10);
    carry = sum / 10;
  }
  return carry ? "1" + a : a;
}

std::string subtract(std::string a, const std::string& b) {
  int borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    char& digit = a[a.size() - 1 - i];
    const int difference = digit - '0' - (i < b.size() ? b[b.size() - 1 - i] - '0' : 0) - borrow;
    borrow = difference < 0 ? 1 : 0;
    digit = static_cast<char>('0' + difference + 10 * borrow);
  }
  strip(a);
  return a;
}

bool is_smaller(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// Half to even.
void round_digits(std::string& digits, int& exponent) {
  if (digits.size() <= kPrecision) return;
  const std::string rest = digits.substr(kPrecision);
  exponent += static_cast<int>(rest.size());
  digits.resize(kPrecision);
  const bool is_odd = (digits.back() - '0') % 2 == 1;
  const bool above_half =
      rest[0] > '5' || (rest[0] == '5' && rest.find_first_not_of('0', 1) != std::string::npos);
  if (above_half || (rest[0] == '5' && is_odd)) digits = add(digits, "1");
}

}  // namespace

Decimal::Decimal(double value) : is_negative_(value < 0) {
  std::array<char, 1200> buffer{};
  // A double has at most 767 significant digits.
  std::snprintf(buffer.data(), buffer.size(), "%.780e", std::abs(value));
  std::string text(buffer.data());
  const std::size_t mark = text.find('e');
  exponent_ = std::atoi(text.c_str() + mark + 1);
  digits_ = text.substr(0, 1) + text.substr(2, mark - 2);
  exponent_ -= static_cast<int>(digits_.size()) - 1;
  const std::size_t used = digits_.find_last_not_of('0') + 1;
  exponent_ += static_cast<int>(digits_.size() - used);
  digits_.resize(used);
  if (digits_.empty()) exponent_ = 0;
}

Decimal Decimal::operator+(const Decimal& other) const {
  Decimal sum;
  sum.exponent_ = std::min(exponent_, other.exponent_);
  std::string a = digits_, b = other.digits_;
  if (!a.empty()) a.append(static_cast<std::size_t>(exponent_ - sum.exponent_), '0');
  if (!b.empty()) b.append(static_cast<std::size_t>(other.exponent_ - sum.exponent_), '0');
  if (is_negative_ == other.is_negative_) {
    sum.digits_ = add(a, b);
    sum.is_negative_ = is_negative_;
  } else if (is_smaller(a, b)) {
    sum.digits_ = subtract(b, a);
    sum.is_negative_ = other.is_negative_;
  } else {
    sum.digits_ = subtract(a, b);
    sum.is_negative_ = is_negative_;
  }
  round_digits(sum.digits_, sum.exponent_);
  return sum;
}

bool Decimal::operator<(const Decimal& other) const {
  const int lowest = std::min(exponent_, other.exponent_);
  std::string a = digits_, b = other.digits_;
  if (!a.empty()) a.append(static_cast<std::size_t>(exponent_ - lowest), '0');
  if (!b.empty()) b.append(static_cast<std::size_t>(other.exponent_ - lowest), '0');
  const bool negative = is_negative_ && !a.empty(), other_negative = other.is_negative_ && !b.empty();
  if (negative != other_negative) return negative;
  return negative ? is_smaller(b, a) : is_smaller(a, b);
}

double Decimal::to_double() const {
  const std::string text = (is_negative_ ? "-" : "") + (digits_.empty() ? std::string("0") : digits_) + "e" +
                           std::to_string(exponent_);
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace canvaslab::config
