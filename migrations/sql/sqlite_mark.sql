-- SQLITE_APPLICATION_ID: a file of another program is never taken for ours.
PRAGMA application_id = 1885436271;
