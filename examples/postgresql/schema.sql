-- The tables of the lock and of the currencies: run once, `psql -f schema.sql`.

CREATE TABLE IF NOT EXISTS fanlight_lock (
  id integer PRIMARY KEY CHECK (id = 1),
  state json NOT NULL
);

CREATE TABLE IF NOT EXISTS fanlight_currency (
  code text COLLATE "C" PRIMARY KEY,
  record json NOT NULL
);
