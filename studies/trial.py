import sys, time, os, torch, numpy as np
from dataclasses import replace
from studies.training.recipe import *
from studies.training.nri_training import NRITask
from studies.training.distributed import joined
from studies.training.loop import _descend
from studies.training.coin_tables import PriorConfig, sample, fresh_rows
from studies.training.streams import seeded
from studies.paper import networks
from studies.paper.networks import scores_of
from studies.paper.episodes import answer
from gnri.model.paper_export import *
from gnri.model.paper_export import canonical_export as ce

torch.set_num_threads(1)
D = os.environ.get("DEV", "cuda")
S = float(os.environ.get("SEC", "200"))
a = sys.argv[1].split()
r = with_overrides(load_recipe("recipes/gnri-wide.toml"), a)
c = r.train
with joined(D) as w:
    t = NRITask(r, w)
    n = t.network.train()
    o = torch.optim.AdamW(n.parameters(), weight_decay=0.01)
    g = torch.amp.GradScaler(D, enabled=False)
    b = time.time()
    i = 0
    while i < c.steps:
        l, _ = t.loss(n, i)
        o.param_groups[0]["lr"] = learning_rate(c, i)
        _descend(l, o, g, 1.0)
        i += 1
        if i in (60, 300):
            float(l.detach())
            e = (time.time() - b) / i
            c = replace(c, steps=min(c.steps, max(i + 9, int(S / e))))
            print(a, i, e, c.steps, flush=True)
n.eval()
del l, o
networks.fits_gpu = lambda *_: False  # no graphs, which keep memory
torch.cuda.empty_cache()
z = f"{a} {i} {time.time() - b:.0f}s "
for N in (12, 32, 128, 512, 1024):
    g = seeded("wide choice", N)
    k = int(os.environ.get("K", "200"))
    d = sample(PriorConfig(atoms=(N, N)), k, generator=g)
    f, y = fresh_rows(d, 400, generator=g)
    q = []
    for j, s in enumerate(scores_of(n, d.batch)):
        E = d.batch.episode(j)
        A = lambda x: np.mean(answer(x, E, f[j].numpy()) == y[j].numpy())
        R = [
            SignedDNF(canonical_decode(s.literals[m], s.gates[m]).clauses, positive=m == 0)
            for m in (0, 1)
        ]
        F = [x for x in R if x.clauses]
        u = ce(s, E, WIDE).rule
        v = ce(s, E).rule
        q.append(
            (
                A(u),
                u is not None,
                A(v),
                max([A(x) for x in F] or [A(None)]),
                len(u.clauses) if u else 0,
                sum(map(len, u.clauses)) if u else 0,
            )
        )
    z += f"{N}: " + " ".join(f"{x:.3f}" for x in np.mean(q, 0)) + " | "
print(z, flush=True)
