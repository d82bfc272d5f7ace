"""What a worker needs is imported, compiled and used once, before workers are forked off. No file and no server is connected to."""

import gc
import random

import causalbandits as cb
from causalbandits.policies import REGISTRY

from . import worker

REGISTRY["blocks"] = worker.Blocks
experiment = worker.create("memory:warm", budget=60)
trial = experiment.ask()
experiment.tell(trial.number, rows=worker.shown(experiment, trial, random.Random(0)))
cb.Experiment.open("memory:warm", worker.NAME).recommend()
gc.collect()
gc.freeze()  # what is here is never looked at again by a worker's collector, which would take longer than all its work
