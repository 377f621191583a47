// What is wrong with the cells of a sweep: each complaint once, with the cells that it is about.
#pragma once

#include <string>
#include <vector>

namespace canvaslab {

class CellErrors {
 public:
  // `overrides`: the cell's words. False when there are as many complaints as one would read: no further cell
  // needs a look.
  bool add(int number, const std::vector<std::string>& overrides, const std::string& complaint);

  // One ConfigurationError with every complaint, and below it the first cell that it is about.
  void throw_if_any() const;

 private:
  struct Complaint {
    std::string text, first_cell;
    int cells = 0;
  };
  std::vector<Complaint> all_;
};

}  // namespace canvaslab
