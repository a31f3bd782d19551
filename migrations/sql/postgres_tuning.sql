-- Hot tables: vacuum after a fixed number of dead rows, not after a share of
-- a table that only grows; room on the page for the next version of a row.
ALTER TABLE operations SET (
    fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
    autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0
);
ALTER TABLE effects SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE attempts SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE outbox SET (
    fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_cost_delay = 0
);
ALTER TABLE provider_events SET (autovacuum_vacuum_scale_factor = 0.02);
