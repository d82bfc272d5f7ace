"""The policies, one file each; importing them fills the registry."""

from .base import REGISTRY, Policy, policy_named, register
from .c_ts import CTS
from .c_ucb import CUCB
from .c_ucb_2 import CUCB2
from .causal_kl import CausalKL
from .causal_ts import CausalThompson
from .causal_ucb import CausalUCB
from .causal_ucb_learned import CausalUCBLearned
from .crm_nb import CRMNB
from .f_kube import FKube
from .gamma_nb import GammaNB
from .greedy import Greedy
from .importance_sampling import ImportanceSampling
from .kube import Kube
from .nb_costs import NBCosts
from .observe import Observe
from .parallel_bandit import ParallelBandit
from .successive_rejects import SuccessiveRejects
from .top_two import TopTwo
from .ucb import UCB

__all__ = [
    "CRMNB",
    "CTS",
    "CUCB",
    "CUCB2",
    "REGISTRY",
    "UCB",
    "CausalKL",
    "CausalThompson",
    "CausalUCB",
    "CausalUCBLearned",
    "FKube",
    "GammaNB",
    "Greedy",
    "ImportanceSampling",
    "Kube",
    "NBCosts",
    "Observe",
    "ParallelBandit",
    "Policy",
    "SuccessiveRejects",
    "TopTwo",
    "policy_named",
    "register",
]
