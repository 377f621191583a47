#include "models/differentiable.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace canvaslab {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The functions, on their way through AutogradContext.
struct Functions : torch::CustomClassHolder {
  Backward backward;
  std::vector<bool> needed, defined;
};

struct Operation : torch::autograd::Function<Operation> {
  static at::Tensor forward(AutogradContext* context, at::TensorList /*inputs*/, const Forward* forward,
                            const c10::intrusive_ptr<Functions>& functions) {
    variable_list kept;
    at::Tensor result = (*forward)(kept);
    context->save_for_backward(std::move(kept));
    context->saved_data["functions"] = c10::IValue::make_capsule(functions);
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto functions =
        c10::static_intrusive_pointer_cast<Functions>(context->saved_data["functions"].toCapsule());
    const variable_list all =
        functions->backward(context->get_saved_variables(), gradients[0].contiguous(), functions->needed);
    variable_list out;
    for (size_t i = 0; i < all.size(); ++i)
      if (functions->defined[i]) out.push_back(all[i]);
    out.resize(out.size() + 2);  // none for the two function arguments
    return out;
  }
};

}  // namespace

at::Tensor differentiable(const std::vector<at::Tensor>& inputs, const Forward& forward,
                          const Backward& backward) {
  std::vector<bool> needed, defined;
  std::vector<at::Tensor> present;
  for (const at::Tensor& input : inputs) {
    defined.push_back(input.defined());
    needed.push_back(input.defined() && input.requires_grad());
    if (input.defined()) present.push_back(input);
  }
  if (!c10::GradMode::is_enabled() || std::find(needed.begin(), needed.end(), true) == needed.end()) {
    std::vector<at::Tensor> kept;
    return forward(kept);
  }
  auto functions = c10::make_intrusive<Functions>();
  functions->backward = backward, functions->needed = needed, functions->defined = defined;
  return Operation::apply(at::TensorList(present), &forward, functions);
}

}  // namespace canvaslab
