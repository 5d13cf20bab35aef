-- The statements of the sqlite engine, each under its name and its arguments, in order. Times are
-- seconds of the boot clock.

-- name: schema
-- Two small trees instead of a table with an index: a commit writes one page less.
CREATE TABLE lease (
    resource TEXT    NOT NULL,
    owner    TEXT    NOT NULL,
    fence    INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    capacity INTEGER NOT NULL,
    weight   INTEGER NOT NULL,
    expires  REAL    NOT NULL,
    info     TEXT    NOT NULL,
    PRIMARY KEY (resource, owner)
) WITHOUT ROWID;
CREATE TABLE waiter (
    place       INTEGER PRIMARY KEY AUTOINCREMENT,
    resource    TEXT    NOT NULL,
    ticket      TEXT    NOT NULL UNIQUE,
    kind        TEXT    NOT NULL,
    capacity    INTEGER NOT NULL,
    weight      INTEGER NOT NULL,
    fair        INTEGER NOT NULL,
    alive_until REAL    NOT NULL,
    address     TEXT    NOT NULL
);
CREATE INDEX waiter_of ON waiter (resource);
-- One row: the boot of the machine that all expiry times belong to, the last fence that was given
-- out for any resource, and the one up to which they are reserved: that is on the disk beforehand.
CREATE TABLE epoch (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    boot     TEXT    NOT NULL,
    fence    INTEGER NOT NULL,
    reserved INTEGER NOT NULL
);

-- name: identity
-- Whose database it is, all of it read at one moment. Row: application, schema version, tables.
SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)
FROM pragma_application_id, pragma_user_version;

-- name: load
-- Twice the resource. Rows: 0 and a lease, oldest first; 1 and a waiter, first come first; 2 and
-- the epoch.
SELECT 0, fence, owner, weight, expires, kind, capacity, info, 0
FROM lease WHERE resource = ?
UNION ALL
SELECT 1, place, ticket, weight, alive_until, kind, capacity, address, fair
FROM waiter WHERE resource = ?
UNION ALL
SELECT 2, fence, '', reserved, 0, '', 0, '', 0
FROM epoch
ORDER BY 1, 2;

-- name: fence
-- the fence that is given out.
UPDATE epoch SET fence = ?;

-- name: grant
-- resource, owner, fence, kind, capacity, weight, expires, info.
INSERT INTO lease (resource, owner, fence, kind, capacity, weight, expires, info)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: renew
-- expires, resource, owner, now. One row changes, or the lease is gone.
UPDATE lease SET expires = ? WHERE resource = ? AND owner = ? AND expires > ?;

-- name: release
-- resource, owner, now. One row goes, or the lease had ended.
DELETE FROM lease WHERE resource = ? AND owner = ? AND expires > ?;

-- name: expire
-- resource, now.
DELETE FROM lease WHERE resource = ? AND expires <= ?;

-- name: queue
-- resource, ticket, kind, capacity, weight, fair, alive_until, address. Keeps the place it has.
INSERT INTO waiter (resource, ticket, kind, capacity, weight, fair, alive_until, address)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (ticket) DO UPDATE
SET fair = excluded.fair, alive_until = excluded.alive_until, address = excluded.address;

-- name: withdraw
-- ticket.
DELETE FROM waiter WHERE ticket = ?;

-- name: anybody
-- resource, now. A row if somebody waits.
SELECT 1 FROM waiter WHERE resource = ? AND alive_until > ? LIMIT 1;

-- name: call
-- until when it may claim before those behind it, ticket.
UPDATE waiter SET alive_until = min(alive_until, ?) WHERE ticket = ?;

-- name: bury
-- address of a process that is gone.
DELETE FROM waiter WHERE address = ?;

-- name: sweep_leases
-- now.
DELETE FROM lease WHERE expires <= ?;

-- name: sweep_waiters
-- the time before which a waiter must have been seen.
DELETE FROM waiter WHERE alive_until <= ?;

-- name: in_use
-- Four times the prefix. The names of all resources with a lease or a waiter.
SELECT resource FROM lease WHERE substr(resource, 1, length(?)) = ?
UNION
SELECT resource FROM waiter WHERE substr(resource, 1, length(?)) = ?
ORDER BY 1;

-- name: read_epoch
SELECT boot, fence, reserved FROM epoch;

-- name: reserve
-- boot, fence, reserved.
INSERT INTO epoch (id, boot, fence, reserved) VALUES (1, ?, ?, ?)
ON CONFLICT (id) DO UPDATE
SET boot = excluded.boot, fence = excluded.fence, reserved = excluded.reserved;
