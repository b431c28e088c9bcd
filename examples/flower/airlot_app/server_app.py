"""The server application: airlot plans, draws, invites, checks and keeps the books."""
import airlot
from airlot.flower import AirlotStrategy, Rules
from airlot_app import task
from flwr.app import Array, ArrayRecord, Context, MetricRecord
from flwr.serverapp import Grid, ServerApp

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Trains for the rounds of the run's configuration."""
    given = context.run_config
    scenario = airlot.Scenario(given["scenario"], rounds=given["rounds"], evaluate_every=1,
                               **{"learning.rate": 0.2, "learning.local_steps": 10, "learning.batch": 32,
                                  "round.time_limit_s": given["time-limit-s"]})
    x, y = task.load_test()

    def evaluate(round: int, arrays: ArrayRecord) -> MetricRecord:
        loss, accuracy = task.loss_and_accuracy({name: array.numpy() for name, array in arrays.items()}, x, y)
        return MetricRecord({"loss": loss, "accuracy": accuracy})

    strategy = AirlotStrategy(scenario, given["strategy"], output=given["output"], least_devices=given["devices"],
                              wait_s=given["wait-s"], rules=Rules(deadline_s=given["deadline-s"]))
    result = strategy.start(grid, ArrayRecord({name: Array(values) for name, values in task.start().items()}),
                            evaluate_fn=evaluate)
    print(result.evaluate_metrics_serverapp[given["rounds"]])
    print(strategy.results.report())
