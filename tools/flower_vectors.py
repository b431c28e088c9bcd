#!/usr/bin/env python3
"""Prints src/device/flower_vectors_for_tests.h: a message as Flower's own code packs it.

    pip install flwr==1.41.0 && tools/flower_vectors.py > src/device/flower_vectors_for_tests.h
"""
import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.supercore.inflatable.inflatable_object import get_all_nested_objects
from flwr.supercore.task_identity import TaskIdentity

TaskIdentity.run_id, TaskIdentity.task_id, TaskIdentity.node_id = 3, 4, 1

content = RecordDict({
    "arrays": ArrayRecord({"w": Array(np.arange(6, dtype=np.float32).reshape(2, 3) / 4), "b": Array(np.array([0.5, -2.0]))}),
    "config": ConfigRecord({"server-round": 7, "airlot.token": "abc", "airlot.power_w": 0.125, "flag": True, "list": [1, 2]}),
    "metrics": MetricRecord({"num-examples": 3, "loss": 2.5, "all": [0.5, 1.5]}),
})
message = Message(content, dst_node_id=5, message_type="train")
objects = get_all_nested_objects(message)
print("""// This file is made by tools/flower_vectors.py: a message as Flower 1.41 packs it.
#ifndef AIRLOT_DEVICE_FLOWER_VECTORS_FOR_TESTS_H_
#define AIRLOT_DEVICE_FLOWER_VECTORS_FOR_TESTS_H_

namespace airlot::device {

// The objects of the message by their names, in hexadecimal digits; the last one is the message.
struct FlowerObject {
  const char* id;
  const char* bytes;
};
inline constexpr FlowerObject kFlowerMessage[] = {""")
for name, item in objects.items():
    digits = item.deflate().hex()
    lines = [digits[i:i + 88] for i in range(0, len(digits), 88)]
    print(f'    {{"{name}",')
    print("\n".join(f'     "{line}"' for line in lines) + "},")
print("""};

}  // namespace airlot::device

#endif  // AIRLOT_DEVICE_FLOWER_VECTORS_FOR_TESTS_H_""")
