import os
import socket
import subprocess
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file

from studies.training.distributed import World, joined

ROOT = Path(__file__).parents[3]
WORKER = """
import sys
from pathlib import Path
import torch
from safetensors.torch import save_file
from studies.training import nri_training, train
from studies.training.recipe import load_recipe, with_overrides

torch.set_num_threads(1)
recipe, out, rank = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
built = []
build = nri_training.build
nri_training.build = lambda recipe: built.append(build(recipe)) or built[-1]
settings = ["train.steps=4", "train.batch_size=8", "train.counterfactual_from=2"]
train(with_overrides(load_recipe(recipe), settings), out, device="cpu", progress=False)
save_file(built[0].state_dict(), out / f"rank{rank}.safetensors")
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(rank: int, port: int, out: Path) -> "subprocess.Popen[bytes]":
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo"}
    process = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"}
    command = [sys.executable, "-c", WORKER, str(ROOT / "recipes" / "tiny.toml"), str(out)]
    return subprocess.Popen(
        [*command, str(rank)], env=os.environ | place | process, stderr=subprocess.PIPE
    )


def test_two_processes_end_in_the_same_weights(tmp_path: Path) -> None:
    port = free_port()
    workers = [start(rank, port, tmp_path) for rank in range(2)]
    errors = [worker.communicate(timeout=120)[1].decode() for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], errors
    first, second, written = (
        load_file(tmp_path / name)
        for name in ("rank0.safetensors", "rank1.safetensors", "checkpoint/model.safetensors")
    )
    for name, tensor in first.items():
        assert torch.equal(tensor, second[name])
        assert torch.equal(tensor, written[name])


def test_ranks_draw_different_episodes_and_the_first_draws_what_it_would_alone() -> None:
    device = torch.device("cpu")
    seeds = [World(rank, 3, device).seed(42) for rank in range(3)]
    assert seeds[0] == 42
    assert len(set(seeds)) == 3


def test_a_process_alone_joins_nothing() -> None:
    with joined("cpu") as world:
        assert (world.rank, world.size, world.writes) == (0, 1, True)
        assert not torch.distributed.is_initialized()
        network = torch.nn.Linear(1, 1)
        assert world.wrapped(network) is network
