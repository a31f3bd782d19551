"""Creates and submits one payment many times at once: ADDRESS ORDER METHOD CALLS."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
from payonce.v1 import (
    money_pb2,
    operation_service_pb2 as service,
    operation_service_pb2_grpc,
    state_pb2 as state,
)


def main(address, order, method, calls):
    request = service.CreateOperationRequest(
        order_id=order,
        kind=state.OPERATION_KIND_CHARGE,
        amount=money_pb2.Money(currency_code="USD", minor_units=4900),
        payment_method=method,
    )
    ids, errors = [], []
    with grpc.insecure_channel(address) as channel:
        stub = operation_service_pb2_grpc.OperationServiceStub(channel)

        def pay(_):
            created = stub.CreateOperation(request, timeout=30).operation
            submitted = stub.Submit(
                service.SubmitRequest(operation_id=created.operation_id), timeout=30
            ).operation
            return submitted.operation_id

        with ThreadPoolExecutor(max_workers=int(calls)) as pool:
            for answer in [pool.submit(pay, number) for number in range(int(calls))]:
                try:
                    ids.append(answer.result())
                except grpc.RpcError as error:
                    errors.append(f"{error.code().name}: {error.details()}")
    print(json.dumps({"ids": ids, "errors": errors}))


if __name__ == "__main__":
    main(*sys.argv[1:])
