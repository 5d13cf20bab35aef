-- The shop of the demo, each statement under its name.

-- name: schema
CREATE TABLE shelf (left_over INTEGER NOT NULL);
CREATE TABLE orders (buyer INTEGER NOT NULL, items INTEGER NOT NULL);
-- The guard lives where the data lives. token: the largest fence that has written so far.
CREATE TABLE fence_guard (name TEXT PRIMARY KEY, token INTEGER NOT NULL, owner TEXT NOT NULL);
INSERT INTO shelf VALUES (0);

-- name: empty
DELETE FROM orders;
DELETE FROM fence_guard;

-- name: look
SELECT left_over FROM shelf;

-- name: orders
SELECT buyer, items FROM orders ORDER BY rowid;

-- name: put
-- What a careless program does: it writes what it has worked out from what it read a while ago.
UPDATE shelf SET left_over = :left_over;

-- name: order
INSERT INTO orders VALUES (:buyer, :items);

-- name: claim
-- First in the transaction that it protects. One row: go on. None: a later holder has been here.
INSERT INTO fence_guard (name, token, owner) VALUES (:name, :token, :owner)
ON CONFLICT (name) DO UPDATE SET token = excluded.token, owner = excluded.owner
WHERE fence_guard.token < excluded.token
   OR (fence_guard.token = excluded.token AND fence_guard.owner = excluded.owner)
RETURNING token;

-- name: highest
SELECT token FROM fence_guard WHERE name = :name;
