import os
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch

from gnri.model import checkpoint
from gnri.model.load import expected_shapes
from studies.paper import networks, scaling
from studies.paper.baseline_networks import export_of, load_condition
from studies.paper.episodes import answer
from studies.results import append
from studies.study import Context, load_protocol, measure_piece
from studies.training import train
from studies.training.checkpoints import save_checkpoint
from studies.training.coin_tables import PriorConfig, fresh_rows, sample
from studies.training.distributed import joined
from studies.training.loop import _descend
from studies.training.nri_training import NRITask
from studies.training.recipe import learning_rate, load_recipe, with_overrides
from studies.training.streams import seeded

torch.set_num_threads(1)
seed, count, start = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
D, W = os.environ.get("DEV", "cuda"), Path(os.environ["W"])
K, END = int(os.environ.get("K", "400")), float(os.environ.get("END", "320"))
LAST, TIMED = float(os.environ.get("LAST", "435")), int(os.environ.get("TIMED", "120"))
WIDTHS = (12, 32, 128, 512, 1024)


def say(*words):
    print(f"{time.time() - start:6.1f} {seed}", *words, flush=True)


recipe = with_overrides(load_recipe("recipes/gnri-wide.toml"), [f"seed={seed}", *sys.argv[4:]])
with joined(D) as world:
    task = NRITask(recipe, world)
    network = task.network.train()
    optimizer = torch.optim.AdamW(network.parameters())
    scaler = torch.amp.GradScaler(D, enabled=False)
    for step in range(TIMED):
        if step == TIMED // 6:
            began = time.time()
        total, _ = task.loss(network, step)
        optimizer.param_groups[0]["lr"] = learning_rate(recipe.train, step)
        _descend(total, optimizer, scaler, 1.0)
    float(total.detach())
rate = (time.time() - began) / (TIMED - TIMED // 6)
(W / f"rate{seed}.tmp").write_text(str(rate))
(W / f"rate{seed}.tmp").rename(W / f"rate{seed}")
say("rate", rate)
while len(list(W.glob("rate??"))) < count and time.time() - start < 100:
    time.sleep(0.2)
rate = float(np.mean([float(p.read_text()) for p in W.glob("rate??")]))
steps = int(max(50, min(4000, (END - (time.time() - start)) / rate)) // 50 * 50)
chosen = W / "steps"  # the first to come decides for all
try:
    with chosen.open("x") as file:
        file.write(str(steps))
except FileExistsError:
    time.sleep(1)
    steps = int(chosen.read_text())
del task, network, optimizer, total
if D == "cuda":
    torch.cuda.empty_cache()
recipe = replace(recipe, train=replace(recipe.train, steps=steps))
folder = train(recipe, Path(f"runs/sweep/gnri-wide-{seed}"), device=D, progress=False)
say("trained", steps)
found = checkpoint.load(folder, expected=expected_shapes)
save_checkpoint(W / f"half{seed}", found.model_config, found.condition, found.arrays(),
                extra=found.extra, dtype="F16")
(W / f"half{seed}" / "metrics.jsonl").write_bytes(
    (folder.parent / "metrics.jsonl").read_bytes())
networks.fits_gpu = lambda *_: False  # no graphs, which keep memory
net, _ = load_condition(folder)
net = net.eval().requires_grad_(False).to(D)
means = []
for N in WIDTHS:
    g = seeded("wide choice", N)
    drawn = sample(PriorConfig(atoms=(N, N)), K, generator=g)
    fresh, truth = fresh_rows(drawn, 400, generator=g)
    export, found = export_of(net.condition), []
    for j, s in enumerate(networks.scores_of(net, drawn.batch)):
        one = drawn.batch.episode(j)
        rule = export(s, one).rule
        right = np.mean(answer(rule, one, fresh[j].numpy()) == truth[j].numpy())
        found.append((right, rule is not None))
    means.append(np.mean(found, 0))
means = np.array(means)
say("choice", np.round(means[:, 0], 4).tolist(), np.round(means[:, 1], 3).tolist())
(W / f"score{seed}").write_text(f"{means[:, 0].mean():.5f} {seed} {means.round(4).tolist()}\n")
context = Context(W, protocol=load_protocol(), checkpoints=Path("runs/sweep"), device=D)
for N in (*WIDTHS, 6, 16, 24, 48, 64, 96, 256):
    if time.time() - start > LAST:
        say("no time for", N)
        break
    piece = {"condition": "gnri-wide", "seed": seed, "atoms": N}
    append(W / f"scaling{seed}.csv", measure_piece(scaling.STUDY, context, piece))
    say("measured", N)
