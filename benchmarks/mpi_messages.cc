// Measures what the ranks of a training run send each other in a round: every rank sends every
// other its part of `shards` gradients (alltoallv), and then all gather the sum (allgatherv).
//
//   mpicxx -O2 benchmarks/mpi_messages.cc -o mpi_messages && mpirun -n 2 ./mpi_messages 199210 6
//
// It prints microseconds: of the smallest message there and back, of the exchange, and of the
// gathering, each the best of several.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

double BestUs(const std::function<void()>& work) {
  double best = 1e30;
  for (int i = 0; i < 200; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    work();
    best = std::min(best, 1e6 * (MPI_Wtime() - start));
  }
  double slowest = 0;
  MPI_Allreduce(&best, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int parameters = argc > 1 ? std::atoi(argv[1]) : 199210;
  const int shards = argc > 2 ? std::atoi(argv[2]) : 6;
  const int range = parameters / size, own = std::max(1, shards / size);
  std::vector<float> sent(std::size_t(range) * own * size), received(sent.size()),
      sum(std::size_t(range) * size);
  const std::vector<int> counts(size, range * own), parts(size, range);
  std::vector<int> begins(size), part_begins(size);
  for (int i = 0; i < size; ++i) {
    begins[i] = i * range * own;
    part_begins[i] = i * range;
  }
  char byte = 0;
  const double message_us = BestUs([&] {
    if (rank == 0) {
      MPI_Send(&byte, 1, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&byte, 1, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == size - 1) {
      MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
  });
  const double exchange_us = BestUs([&] {
    MPI_Alltoallv(sent.data(), counts.data(), begins.data(), MPI_FLOAT, received.data(),
                  counts.data(), begins.data(), MPI_FLOAT, MPI_COMM_WORLD);
  });
  const double gather_us = BestUs([&] {
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_FLOAT, sum.data(), parts.data(), part_begins.data(),
                   MPI_FLOAT, MPI_COMM_WORLD);
  });
  if (rank == 0) std::printf("%g %g %g\n", message_us, exchange_us, gather_us);
  MPI_Finalize();
}
