// DrawDigitLabels draws the labels of the built-in digits without their pixels.
#ifndef AIRLOT_DATA_DIGITS_H_
#define AIRLOT_DATA_DIGITS_H_

#include "airlot/dataset.h"

namespace airlot::data {

// Returns the labels of DrawDigits(options).train.
Labels DrawDigitLabels(const DigitsOptions& options);

}  // namespace airlot::data

#endif  // AIRLOT_DATA_DIGITS_H_
