//! Our own client of the gRPC server.
