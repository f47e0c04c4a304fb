-- name: WakeNewTrade :exec
-- The process that inserts it sends the wakeup itself, so loops leave the row alone at first. The owner is the key that made it.
INSERT INTO wakeups (kind, id, owner, urgency, version, next_at)
VALUES ('trades', @id, @owner, 3, 0, now() + make_interval(secs => @grace_seconds::float8)) ON CONFLICT (kind, id) DO NOTHING;

-- name: WakeCharges :exec
-- A charge that is gone is woken too: its payments become unmatched.
INSERT INTO wakeups AS w (kind, id, owner, urgency, version)
SELECT 'charges', i.id, COALESCE(c.merchant_id, ''), 0, nextval('wakeup_version')
FROM (SELECT DISTINCT unnest(@ids::text[]) AS id ORDER BY 1) i LEFT JOIN charges c ON c.id = i.id ORDER BY i.id
ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, urgency = excluded.urgency, next_at = LEAST(w.next_at, excluded.next_at);

-- name: WakeTrades :exec
INSERT INTO wakeups AS w (kind, id, owner, urgency, version)
SELECT 'trades', i.id, COALESCE(t.key_id, ''), 0, nextval('wakeup_version')
FROM (SELECT DISTINCT unnest(@ids::text[]) AS id ORDER BY 1) i LEFT JOIN trades t ON t.id = i.id ORDER BY i.id
ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, urgency = excluded.urgency, next_at = LEAST(w.next_at, excluded.next_at);

-- name: WakeSentPayouts :exec
-- Those that wait for confirmations. One whose wakeup failed keeps its pause: it waits for no block in particular.
INSERT INTO wakeups AS w (kind, id, owner, urgency, version)
SELECT 'payouts', p.id, p.merchant_id, 1, nextval('wakeup_version') FROM payouts p WHERE p.wallet_id = ANY(@wallet_ids::text[]) AND p.status = 'broadcast' ORDER BY p.id
ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, urgency = excluded.urgency,
    next_at = CASE WHEN w.attempts = 0 THEN LEAST(w.next_at, excluded.next_at) ELSE w.next_at END;

-- name: WakePayout :exec
INSERT INTO wakeups (kind, id, owner, urgency, version) VALUES ('payouts', @id, @owner, 1, nextval('wakeup_version')) ON CONFLICT (kind, id) DO NOTHING;

-- name: WakeRefunds :exec
INSERT INTO wakeups AS w (kind, id, owner, urgency, version)
SELECT 'refunds', r.id, r.merchant_id, 1, nextval('wakeup_version') FROM refunds r WHERE r.id = ANY(@ids::text[]) ORDER BY r.id
ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, urgency = excluded.urgency, next_at = LEAST(w.next_at, excluded.next_at);

-- name: WakeUnsettledRefunds :exec
-- Refunds with payments of shops that are not final, after a block of the live chain. One whose wakeup failed keeps its pause.
INSERT INTO wakeups AS w (kind, id, owner, urgency, version)
SELECT 'refunds', r.id, r.merchant_id, 1, nextval('wakeup_version') FROM refunds r
WHERE r.id IN (SELECT k.refund_id FROM refund_payments p JOIN refund_claims k ON k.id = p.claim_id WHERE p.ended_at IS NULL)
    AND EXISTS (SELECT 1 FROM wallets l WHERE l.id = @wallet_id AND l.mode = 'live') ORDER BY r.id
ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, urgency = excluded.urgency,
    next_at = CASE WHEN w.attempts = 0 THEN LEAST(w.next_at, excluded.next_at) ELSE w.next_at END;

-- name: WakeMail :exec
INSERT INTO wakeups (kind, id, owner, urgency, version) VALUES ('mails', @id, @owner, 2, nextval('wakeup_version')) ON CONFLICT (kind, id) DO NOTHING;

-- name: WakeDeliveries :exec
INSERT INTO wakeups AS w (kind, id, owner, urgency, version)
SELECT 'deliveries', i.id, @owner, 2, nextval('wakeup_version') FROM (SELECT DISTINCT unnest(@ids::text[]) AS id ORDER BY 1) i
ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, next_at = LEAST(w.next_at, excluded.next_at);

-- name: WakeTradeEvent :exec
INSERT INTO wakeups AS w (kind, id, owner, urgency, version) VALUES ('trade_events', @id, '', 2, nextval('wakeup_version'))
ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, next_at = LEAST(w.next_at, excluded.next_at);

-- name: LeaseWakeups :many
-- Of those that are due: the most urgent, in turn by owner, or those that failed before, in turn. Nobody else gets them before
-- the lease ends. More are ranked than taken, because others may be held. The rows are found by their place, because PostgreSQL
-- often knows this table as empty and would compare each row with each.
UPDATE wakeups SET next_at = now() + make_interval(secs => @lease_seconds::float8) WHERE ctid = ANY (ARRAY(
    SELECT h.ctid FROM wakeups h JOIN (
        SELECT d.kind, d.id, LEAST(d.attempts, 5) AS tries, CASE WHEN d.attempts = 0 THEN d.urgency END AS first,
            CASE WHEN d.attempts = 0 THEN row_number() OVER (PARTITION BY d.urgency, d.owner ORDER BY d.since, d.version) END AS turn, d.next_at
        FROM wakeups d WHERE d.next_at <= now() AND (d.attempts > 0) = @retried::boolean
        ORDER BY tries, first, turn, d.next_at LIMIT @ranked::integer) t ON t.kind = h.kind AND t.id = h.id
    WHERE h.next_at <= now() ORDER BY t.tries, t.first, t.turn, t.next_at LIMIT @batch::integer FOR UPDATE OF h SKIP LOCKED))
RETURNING *;

-- name: EndWakeups :exec
-- Of what was sent, unless it has changed since. A row that another transaction holds is sent once more.
DELETE FROM wakeups WHERE ctid = ANY (ARRAY(
    SELECT w.ctid FROM wakeups w JOIN (SELECT unnest(@kinds::text[]) AS kind, unnest(@ids::text[]) AS id, unnest(@versions::bigint[]) AS version) s
        ON s.kind = w.kind AND s.id = w.id AND s.version = w.version
    FOR UPDATE OF w SKIP LOCKED));

-- name: PostponeWakeups :exec
-- What failed pauses for a second, then twice as long each time, up to the longest pause. A row that has changed since is due
-- already.
UPDATE wakeups SET attempts = attempts + 1, next_at = now() + LEAST(make_interval(secs => power(2, LEAST(attempts, 20))), make_interval(secs => @longest_seconds::float8))
WHERE ctid = ANY (ARRAY(
    SELECT w.ctid FROM wakeups w JOIN (SELECT unnest(@kinds::text[]) AS kind, unnest(@ids::text[]) AS id, unnest(@versions::bigint[]) AS version) s
        ON s.kind = w.kind AND s.id = w.id AND s.version = w.version
    FOR UPDATE OF w SKIP LOCKED));

-- name: ReleaseWakeups :exec
-- Makes due at once what was not tried.
UPDATE wakeups SET next_at = now() WHERE ctid = ANY (ARRAY(
    SELECT w.ctid FROM wakeups w JOIN (SELECT unnest(@kinds::text[]) AS kind, unnest(@ids::text[]) AS id, unnest(@versions::bigint[]) AS version) s
        ON s.kind = w.kind AND s.id = w.id AND s.version = w.version
    FOR UPDATE OF w SKIP LOCKED));

-- name: CountNew :many
-- How many rows of a kind have no workflow yet, by owner.
SELECT owner, count(*) FROM wakeups WHERE kind = $1 AND version = 0 GROUP BY owner;

-- name: CountWakeups :many
SELECT kind, count(*) FROM wakeups GROUP BY kind;

-- name: LateWakeups :many
-- The oldest of those that were written long ago.
SELECT kind, id, since, attempts FROM wakeups WHERE since < now() - make_interval(secs => @older_than_seconds::float8) ORDER BY since, kind, id LIMIT @max_rows;
