"""Import, compile and use everything that a worker needs, before workers are forked.

This module opens no file and no connection.
"""

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
gc.freeze()  # otherwise a worker's garbage collection would take longer than its work
