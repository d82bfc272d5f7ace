"""The service against its OpenAPI schema: whatever is sent, the answer is one that the schema has, and never a 5xx."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings, strategies
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from causalbandits.live.http.service import service

from .serving import Served, served

EXAMPLES = 40  # for each operation: some as the schema has it, some against it
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@pytest.fixture(scope="module")
def shop() -> Iterator[Served]:
    """Money enough for every ask."""
    with served("memory:schema", policy="pb", budget=1_000_000) as running:
        running.write.post("/experiments/checkout/ask")
        yield running


def operations() -> dict[str, schemathesis.APIOperation]:
    schema = schemathesis.openapi.from_dict(service("memory:schema").openapi())
    return {operation.ok().label: operation.ok() for operation in schema.get_all_operations()}


OPERATIONS = operations()


def test_every_operation_is_tested() -> None:
    assert len(OPERATIONS) == 12


def is_right(name: str, value: object) -> bool:
    return isinstance(value, str) if name == "name" else type(value) is int and 1 <= value < 2**63


@pytest.mark.parametrize("label", OPERATIONS)
def test_every_answer_matches_the_schema(label: str, shop: Served) -> None:
    modes = [GenerationMode.POSITIVE] if label == "GET /health" else [GenerationMode.POSITIVE, GenerationMode.NEGATIVE]
    cases = strategies.one_of(*(OPERATIONS[label].as_strategy(generation_mode=mode) for mode in modes))
    answers = set()

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases, known=strategies.sampled_from([{}, {"name": "checkout"}, {"name": "checkout", "number": 1}]))
    def check(case: schemathesis.Case, known: dict[str, str | int]) -> None:
        for name in set(case.path_parameters) & set(known):
            if is_right(name, case.path_parameters[name]):  # what is wrong stays wrong
                case.path_parameters[name] = known[name]
        answer = case.call_and_validate(
            base_url=shop.url, headers={"Authorization": f"Bearer {shop.token}"}, checks=CHECKS
        )
        answers.add(answer.status_code)

    check()
    assert answers - {401, 404}  # more was reached than the door
