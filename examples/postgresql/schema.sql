-- The table of the lock: run once, `psql -f schema.sql`.

CREATE TABLE IF NOT EXISTS fanlight_lock (
  id integer PRIMARY KEY CHECK (id = 1),
  state json NOT NULL
);
