"""Trains airlot's cnn with one node: whoever is there."""
import airlot
from airlot.flower import AirlotStrategy, Rules
from flwr.app import Context
from flwr.serverapp import Grid, ServerApp

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Trains for the rounds of the run's configuration."""
    given = context.run_config
    scenario = airlot.Scenario("float32-cell", rounds=given["rounds"], evaluate_every=given["rounds"],
                               **{"model.name": "cnn", "learning.rate": 0.1, "learning.batch": 32, "learning.local_epochs": 1})
    AirlotStrategy(scenario, "all", output=given["output"], least_devices=1, rules=Rules(deadline_s=120), test="digits").start(grid)
