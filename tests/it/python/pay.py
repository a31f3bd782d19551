"""Creates a payment, submits it, polls it to its end: ADDRESS ORDER METHOD."""

import json
import sys
import time

import grpc
from payonce.v1 import (
    money_pb2,
    operation_service_pb2 as service,
    operation_service_pb2_grpc,
    outcome_pb2 as outcome,
    state_pb2 as state,
)

CALLER_DEADLINE_S = 10.0
PATIENCE_S = 30.0


def main(address, order, method):
    with grpc.insecure_channel(address) as channel:
        stub = operation_service_pb2_grpc.OperationServiceStub(channel)
        created = stub.CreateOperation(
            service.CreateOperationRequest(
                order_id=order,
                kind=state.OPERATION_KIND_CHARGE,
                amount=money_pb2.Money(currency_code="USD", minor_units=4900),
                payment_method=method,
            ),
            timeout=CALLER_DEADLINE_S,
        ).operation

        started = time.monotonic()
        first = stub.Submit(
            service.SubmitRequest(operation_id=created.operation_id),
            timeout=CALLER_DEADLINE_S,
        ).operation
        waited = time.monotonic() - started
        last = poll(stub, first)
    print(
        json.dumps(
            {
                "created": outcome.Outcome.Name(created.outcome),
                "first": outcome.Outcome.Name(first.outcome),
                "first_action": outcome.SafeNextAction.Name(first.safe_next_action),
                "first_ms": waited * 1000,
                "caller_deadline_ms": CALLER_DEADLINE_S * 1000,
                "last": outcome.Outcome.Name(last.outcome),
                "fulfilment": outcome.Fulfilment.Name(last.fulfilment),
            }
        )
    )


def poll(stub, operation):
    """Does what safe_next_action says as long as it says POLL."""
    until = time.monotonic() + PATIENCE_S
    while (
        operation.safe_next_action == outcome.SAFE_NEXT_ACTION_POLL
        and time.monotonic() < until
    ):
        time.sleep(min(operation.poll_after.ToTimedelta().total_seconds(), 0.5))
        operation = stub.GetStatus(
            service.GetStatusRequest(operation_id=operation.operation_id),
            timeout=CALLER_DEADLINE_S,
        ).operation
    return operation


if __name__ == "__main__":
    main(*sys.argv[1:])
