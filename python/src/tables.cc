// Tables of columns as Arrow sees them, through its C data interface: others read the columns where
// they are. (https://arrow.apache.org/docs/format/CDataInterface.html, ...CStreamInterface.html)
#include <pybind11/stl.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"

// The three structs have the layout that the interface prescribes.
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace airlot::python {
namespace {

constexpr std::int64_t kNullable = 2;  // the flag of the interface

// A TableColumn is what one column is made of; it keeps the array of the user.
struct TableColumn {
  std::string name, format;
  std::int64_t nulls = 0;
  const void* data = nullptr;
  std::vector<std::uint8_t> valid;    // a bit for each value; empty: all are valid
  std::vector<std::int32_t> offsets;  // of texts
  std::string text;
};

// A Table is shared by all that looks into it. The arrays are let go with the GIL held.
struct Table {
  std::int64_t rows = 0;
  std::vector<TableColumn> columns;
  std::vector<py::object> keepers;
  ~Table() {
    const py::gil_scoped_acquire acquire;
    keepers.clear();
  }
};
using SharedTable = std::shared_ptr<const Table>;

// NaN is what a number that is missing is in columns.
template <class Float>
void FindNulls(const Float* values, std::int64_t rows, TableColumn& column) {
  for (std::int64_t i = 0; i < rows; ++i) column.nulls += std::isnan(values[i]) ? 1 : 0;
  if (column.nulls == 0) return;
  column.valid.assign(std::size_t((rows + 7) / 8), 0);
  for (std::int64_t i = 0; i < rows; ++i) {
    if (!std::isnan(values[i])) column.valid[std::size_t(i / 8)] |= std::uint8_t(1 << (i % 8));
  }
}

std::string FormatOf(const py::array& array, const std::string& name) {
  const char kind = array.dtype().kind();
  const py::ssize_t bytes = BytesOfEach(array);
  if (kind == 'f' && bytes == 8) return "g";
  if (kind == 'f' && bytes == 4) return "f";
  if (kind == 'i' && bytes == 8) return "l";
  if (kind == 'i' && bytes == 4) return "i";
  if (kind == 'u' && bytes == 8) return "L";
  if (kind == 'u' && bytes == 4) return "I";
  if (kind == 'i' && bytes == 2) return "s";
  if (kind == 'i' && bytes == 1) return "c";
  if (kind == 'u' && bytes == 2) return "S";
  if (kind == 'u' && bytes == 1) return "C";
  throw Failure(name + ": cannot be handed to Arrow: " + std::string(py::str(array.dtype())));
}

TableColumn TextColumn(const std::string& name, const py::list& texts) {
  TableColumn column{.name = name, .format = "u"};
  column.offsets.push_back(0);
  for (const py::handle text : texts) {
    column.text += TextOf(text, name);
    if (column.text.size() > std::size_t(INT32_MAX))
      throw Failure(name + ": its texts are too long");
    column.offsets.push_back(std::int32_t(column.text.size()));
  }
  return column;
}

SharedTable TableOf(const py::dict& columns) {
  auto table = std::make_shared<Table>();
  bool is_first = true;
  for (const auto& [key, value] : columns) {
    const std::string name = TextOf(key, "the name of a column");
    std::int64_t rows = 0;
    if (py::isinstance<py::list>(value)) {
      table->columns.push_back(TextColumn(name, value.cast<py::list>()));
      rows = std::int64_t(py::len(value));
    } else {
      // Arrow knows no strides: a column that repeats one number is written out.
      auto array = value.cast<py::array>();
      if (array.ndim() != 1) throw Failure(name + ": must have one dimension");
      if (!array.dtype().attr("isnative").cast<bool>()) {
        array = array.attr("astype")(array.dtype().attr("newbyteorder")("=")).cast<py::array>();
      }
      if ((array.flags() & py::array::c_style) == 0) array = array.attr("copy")().cast<py::array>();
      TableColumn column{.name = name, .format = FormatOf(array, name)};
      column.data = array.data();
      rows = array.size();
      if (column.format == "g") FindNulls(static_cast<const double*>(array.data()), rows, column);
      if (column.format == "f") FindNulls(static_cast<const float*>(array.data()), rows, column);
      table->columns.push_back(std::move(column));
      table->keepers.push_back(std::move(array));
    }
    if (!is_first && rows != table->rows) throw Failure(name + ": has another length");
    table->rows = rows;
    is_first = false;
  }
  return table;
}

// --- The structs ---------------------------------------------------------------------------------

struct OwnedSchema {
  SharedTable table;
  std::vector<std::unique_ptr<ArrowSchema>> children;
  std::vector<ArrowSchema*> pointers;
};

void ReleaseSchema(ArrowSchema* schema) {
  if (schema->release == nullptr) return;
  for (std::int64_t i = 0; i < schema->n_children; ++i) {
    if (schema->children[i]->release != nullptr) schema->children[i]->release(schema->children[i]);
  }
  delete static_cast<OwnedSchema*>(schema->private_data);
  schema->release = nullptr;
}

void FillSchema(const SharedTable& table, ArrowSchema& schema) {
  auto owned = std::make_unique<OwnedSchema>();
  owned->table = table;
  for (const TableColumn& column : table->columns) {
    auto child = std::make_unique<ArrowSchema>(
        ArrowSchema{column.format.c_str(), column.name.c_str(), nullptr, kNullable, 0, nullptr,
                    nullptr, ReleaseSchema, new OwnedSchema{table, {}, {}}});
    owned->pointers.push_back(child.get());
    owned->children.push_back(std::move(child));
  }
  schema = {"+s",
            "",
            nullptr,
            0,
            std::int64_t(owned->pointers.size()),
            owned->pointers.data(),
            nullptr,
            ReleaseSchema,
            nullptr};
  schema.private_data = owned.release();
}

struct OwnedArray {
  SharedTable table;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<ArrowArray>> children;
  std::vector<ArrowArray*> pointers;
};

void ReleaseArray(ArrowArray* array) {
  if (array->release == nullptr) return;
  for (std::int64_t i = 0; i < array->n_children; ++i) {
    if (array->children[i]->release != nullptr) array->children[i]->release(array->children[i]);
  }
  delete static_cast<OwnedArray*>(array->private_data);
  array->release = nullptr;
}

std::unique_ptr<ArrowArray> ColumnOf(const SharedTable& table, const TableColumn& column) {
  auto owned = std::make_unique<OwnedArray>();
  owned->table = table;
  owned->buffers.push_back(column.valid.empty() ? nullptr : column.valid.data());
  if (column.offsets.empty()) {
    owned->buffers.push_back(column.data);
  } else {
    owned->buffers.push_back(column.offsets.data());
    owned->buffers.push_back(column.text.data());
  }
  auto array = std::make_unique<ArrowArray>(
      ArrowArray{table->rows, column.nulls, 0, std::int64_t(owned->buffers.size()), 0,
                 owned->buffers.data(), nullptr, nullptr, ReleaseArray, nullptr});
  array->private_data = owned.release();
  return array;
}

void FillArray(const SharedTable& table, ArrowArray& array) {
  auto owned = std::make_unique<OwnedArray>();
  owned->table = table;
  owned->buffers.push_back(nullptr);
  for (const TableColumn& column : table->columns) {
    owned->children.push_back(ColumnOf(table, column));
    owned->pointers.push_back(owned->children.back().get());
  }
  array = {table->rows,
           0,
           0,
           1,
           std::int64_t(owned->pointers.size()),
           owned->buffers.data(),
           owned->pointers.data(),
           nullptr,
           ReleaseArray,
           nullptr};
  array.private_data = owned.release();
}

// A stream of one batch.
struct OwnedStream {
  SharedTable table;
  bool is_read = false;
};

void FillStream(const SharedTable& table, ArrowArrayStream& stream) {
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
    FillSchema(static_cast<OwnedStream*>(self->private_data)->table, *schema);
    return 0;
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* array) {
    auto& owned = *static_cast<OwnedStream*>(self->private_data);
    *array = {};
    if (!std::exchange(owned.is_read, true)) FillArray(owned.table, *array);
    return 0;
  };
  stream.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  stream.release = [](ArrowArrayStream* self) {
    delete static_cast<OwnedStream*>(self->private_data);
    self->release = nullptr;
  };
  stream.private_data = new OwnedStream{table};
}

// Returns a capsule whose struct is released unless its consumer has done so.
template <class Struct, class Fill>
py::object CapsuleOf(const char* name, const Fill& fill) {
  auto made = std::make_unique<Struct>();
  *made = {};
  fill(*made);
  PyObject* capsule = PyCapsule_New(made.release(), name, [](PyObject* self) {
    auto* held = static_cast<Struct*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (held == nullptr) return;
    if (held->release != nullptr) held->release(held);
    delete held;
  });
  if (capsule == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(capsule);
}

py::object StreamOf(const py::dict& columns) {
  const SharedTable table = TableOf(columns);
  return CapsuleOf<ArrowArrayStream>("arrow_array_stream",
                                     [&](auto& stream) { FillStream(table, stream); });
}

py::object SchemaOf(const py::dict& columns) {
  const SharedTable table = TableOf(columns);
  return CapsuleOf<ArrowSchema>("arrow_schema", [&](auto& schema) { FillSchema(table, schema); });
}

}  // namespace

void BindTables(py::module_& module) {
  module.def("arrow_stream", &StreamOf, py::arg("columns"),
             "Returns the capsule of __arrow_c_stream__ for columns by name.");
  module.def("arrow_schema", &SchemaOf, py::arg("columns"),
             "Returns the capsule of __arrow_c_schema__ for columns by name.");
}

}  // namespace airlot::python
