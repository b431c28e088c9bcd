// Flower sends what messages hold as a tree of objects, each named by the SHA-256 of its bytes.
#ifndef AIRLOT_DEVICE_OBJECTS_H_
#define AIRLOT_DEVICE_OBJECTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "airlot/result.h"

namespace airlot::device {

// An Object is its kind, the names of the objects below it, and a body.
struct Object {
  std::string type;  // "Message", "RecordDict", "ArrayRecord", "Array", "ArrayChunk", ...
  std::vector<std::string> children;
  std::string_view body;  // a view into the bytes that it was read from
};

// Reads an object. The views point into `bytes`.
Result<Object> ParseObject(std::string_view bytes);
Result<Object> ParseObject(std::string&&) = delete;

// Returns the bytes of an object.
std::string EncodeObject(const Object& object);

// Returns the name of an object with these bytes.
std::string ObjectId(std::string_view bytes);

}  // namespace airlot::device

#endif  // AIRLOT_DEVICE_OBJECTS_H_
