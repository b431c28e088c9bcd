// What a strategy in Python sees when it selects.
#ifndef AIRLOT_PYTHON_VIEW_H_
#define AIRLOT_PYTHON_VIEW_H_

#include <airlot/cell.h>
#include <airlot/selection.h>

#include <memory>
#include <span>
#include <vector>

#include "arrays.h"

namespace airlot::python {

// A View is what `select` sees. It is of no use after that, but its arrays stay what they are.
class View : public Zeroed {
 public:
  const SelectionView& operator*() const {
    if (view_ == nullptr)
      throw Failure("a view is of one call of select: take what you need there");
    return *view_;
  }
  const SelectionView* operator->() const { return &**this; }
  std::size_t devices() const { return (**this).probability.size(); }
  const Cell& cell() const { return *(**this).cell; }

  // Returns an array over what the view looks at, which lives as long as the array. Where nobody
  // keeps it alive, it is a copy.
  py::array Array(std::span<const double> values) {
    if (!(**this).owner) return ArrayOf(std::vector<double>(values.begin(), values.end()));
    if (!keeper_) {
      auto* owner = new std::shared_ptr<const void>((**this).owner);
      keeper_ = py::capsule(
          owner, [](void* memory) { delete static_cast<std::shared_ptr<const void>*>(memory); });
    }
    return ArrayOver(values, keeper_);
  }
  py::array Column(const ColumnView& column) {
    return column.is_constant() ? RepeatedArray(column.constant(), devices())
                                : Array(column.values());
  }

  void Show(const SelectionView* view) { view_ = view; }

 private:
  const SelectionView* view_ = nullptr;
  py::object keeper_;  // what the arrays of this run share
};

// Lets a view show something for as long as this lives.
class ViewInUse {
 public:
  ViewInUse(View& view, const SelectionView& what) : view_(view) { view_.Show(&what); }
  ~ViewInUse() { view_.Show(nullptr); }
  ViewInUse(const ViewInUse&) = delete;
  ViewInUse& operator=(const ViewInUse&) = delete;

 private:
  View& view_;
};

}  // namespace airlot::python

#endif  // AIRLOT_PYTHON_VIEW_H_
