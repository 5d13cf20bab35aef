-- The statements of the sqlite engine, each under its name. Times are seconds of the boot clock.

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
-- ?1 resource. Rows: 0 and a lease, oldest first; 1 and a waiter, first come first; 2 and the epoch.
SELECT 0, fence, owner, weight, expires, kind, capacity, info
FROM lease WHERE resource = ?1
UNION ALL
SELECT 1, place, ticket, weight, alive_until, address, fair, ''
FROM waiter WHERE resource = ?1
UNION ALL
SELECT 2, fence, '', reserved, 0, '', 0, ''
FROM epoch
ORDER BY 1, 2;

-- name: fence
-- ?1 the fence that is given out.
UPDATE epoch SET fence = ?1;

-- name: grant
-- ?1 resource, ?2 owner, ?3 fence, ?4 kind, ?5 capacity, ?6 weight, ?7 expires, ?8 info.
INSERT INTO lease (resource, owner, fence, kind, capacity, weight, expires, info)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: renew
-- ?1 resource, ?2 owner, ?3 expires, ?4 now. One row changes, or the lease is gone.
UPDATE lease SET expires = ?3 WHERE resource = ?1 AND owner = ?2 AND expires > ?4;

-- name: release
-- ?1 resource, ?2 owner, ?3 now. One row goes, or the lease had ended.
DELETE FROM lease WHERE resource = ?1 AND owner = ?2 AND expires > ?3;

-- name: expire
-- ?1 resource, ?2 now.
DELETE FROM lease WHERE resource = ?1 AND expires <= ?2;

-- name: queue
-- ?1 resource, ?2 ticket, ?3 weight, ?4 fair, ?5 alive_until, ?6 address. Keeps the place it has.
INSERT INTO waiter (resource, ticket, weight, fair, alive_until, address)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (ticket) DO UPDATE SET fair = ?4, alive_until = ?5, address = ?6;

-- name: withdraw
-- ?1 ticket.
DELETE FROM waiter WHERE ticket = ?1;

-- name: anybody
-- ?1 resource, ?2 now. A row if somebody waits.
SELECT 1 FROM waiter WHERE resource = ?1 AND alive_until > ?2 LIMIT 1;

-- name: call
-- ?1 ticket, ?2 until when it may claim before those behind it.
UPDATE waiter SET alive_until = min(alive_until, ?2) WHERE ticket = ?1;

-- name: bury
-- ?1 address of a process that is gone.
DELETE FROM waiter WHERE address = ?1;

-- name: sweep_leases
-- ?1 now.
DELETE FROM lease WHERE expires <= ?1;

-- name: sweep_waiters
-- ?1 the time before which a waiter must have been seen.
DELETE FROM waiter WHERE alive_until <= ?1;

-- name: in_use
-- ?1 prefix. The names of all resources with a lease or a waiter.
SELECT resource FROM lease WHERE substr(resource, 1, length(?1)) = ?1
UNION
SELECT resource FROM waiter WHERE substr(resource, 1, length(?1)) = ?1
ORDER BY 1;

-- name: read_epoch
SELECT boot, fence, reserved FROM epoch;

-- name: reserve
-- ?1 boot, ?2 fence, ?3 reserved.
INSERT INTO epoch (id, boot, fence, reserved) VALUES (1, ?1, ?2, ?3)
ON CONFLICT (id) DO UPDATE SET boot = ?1, fence = ?2, reserved = ?3;
