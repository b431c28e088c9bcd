// Flower's Fleet API was gRPC before 1.40. A server of those days gives no answer to our calls that
// could be read, so a node has to ask it in its own way what it is.
#ifndef AIRLOT_DEVICE_GRPC_PROBE_H_
#define AIRLOT_DEVICE_GRPC_PROBE_H_

#include "device/fleet_client.h"

namespace airlot::device {

// Says whether HTTP/2 is spoken there, on which gRPC rests and which the Fleet API of today does
// not need. It asks for nothing, and does not look at the certificate.
bool SpeaksHttp2(const SuperLink& link);

}  // namespace airlot::device

#endif  // AIRLOT_DEVICE_GRPC_PROBE_H_
