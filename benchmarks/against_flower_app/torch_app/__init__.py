"""The job of benchmarks/against_flower."""
