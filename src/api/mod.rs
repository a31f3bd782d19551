//! The gRPC server: parse, render, status; one thin file a service.
