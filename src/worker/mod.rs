//! Pool, dispatch, resolve.
