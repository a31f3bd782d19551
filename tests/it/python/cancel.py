"""Creates and submits a payment, cancels after 100 ms: ADDRESS ORDER METHOD."""

import json
import sys
import time

import grpc
from payonce.v1 import (
    money_pb2,
    operation_service_pb2 as service,
    operation_service_pb2_grpc,
    state_pb2 as state,
)


def main(address, order, method):
    with grpc.insecure_channel(address) as channel:
        grpc.channel_ready_future(channel).result(timeout=10)
        stub = operation_service_pb2_grpc.OperationServiceStub(channel)
        call = stub.CreateOperation.future(
            service.CreateOperationRequest(
                order_id=order,
                kind=state.OPERATION_KIND_CHARGE,
                amount=money_pb2.Money(currency_code="USD", minor_units=4900),
                payment_method=method,
                submit=True,
            )
        )
        time.sleep(0.1)
        call.cancel()
        print(json.dumps({"code": call.code().name}))


if __name__ == "__main__":
    main(*sys.argv[1:])
