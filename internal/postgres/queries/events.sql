-- name: RecordEvent :many
WITH event AS (
    INSERT INTO events (merchant_id, mode, type, resource_id, part, payload, has_buyer_info, created_at)
    VALUES (@merchant_id, @mode, @type, @resource_id, @part, @payload, @payload LIKE '%"buyer_info"%' OR (@invoice::boolean AND @payload LIKE '%"buyer%'), @created_at)
    RETURNING id, merchant_id, mode, type, created_at
)
INSERT INTO deliveries (id, webhook_id, merchant_id, mode, event_id, created_at, next_attempt_at)
SELECT 'whd_' || left(replace(gen_random_uuid()::text, '-', ''), 24), w.id, e.merchant_id, e.mode, e.id, e.created_at, e.created_at
FROM event e JOIN webhooks w ON w.merchant_id = e.merchant_id
WHERE w.deleted_at IS NULL AND w.enabled AND w.mode = e.mode AND e.type = ANY(w.events)
RETURNING id;

-- name: RecordInvoiceEvents :many
-- In the shape of BTCPay, for those that the merchant has a webhook of the mode for. What was
-- recorded is not recorded again. A webhook of that shape gets a charge's events in order:
-- what comes after something that is not over has no time yet, see ReleaseDelivery. What is
-- not over is held, so that it ends before this or sees this.
WITH recorded AS (
    INSERT INTO events (merchant_id, mode, type, resource_id, part, payload, created_at)
    SELECT @merchant_id, @mode, n.type, @resource_id, n.part, n.payload, @created_at
    FROM (SELECT unnest(@types::text[]) AS type, unnest(@parts::text[]) AS part, unnest(@payloads::text[]) AS payload,
        generate_subscripts(@types::text[], 1) AS nth) n
    WHERE EXISTS (
        SELECT 1 FROM webhooks w
        WHERE w.merchant_id = @merchant_id AND w.deleted_at IS NULL AND w.enabled AND w.mode = @mode AND n.type = ANY(w.events))
    ORDER BY n.nth
    ON CONFLICT (resource_id, type, part) DO NOTHING
    RETURNING id, merchant_id, mode, type, created_at
), ahead AS MATERIALIZED (
    SELECT d.webhook_id FROM events e JOIN deliveries d ON d.event_id = e.id
    WHERE e.resource_id = @resource_id AND d.status = 'pending' AND d.rounds = 1 ORDER BY e.id FOR NO KEY UPDATE OF d
)
INSERT INTO deliveries (id, webhook_id, merchant_id, mode, event_id, created_at, next_attempt_at)
SELECT 'whd_' || left(replace(gen_random_uuid()::text, '-', ''), 24), w.id, e.merchant_id, e.mode, e.id, e.created_at,
    CASE WHEN w.dialect = 'btcpay' AND (
        EXISTS (SELECT 1 FROM ahead a WHERE a.webhook_id = w.id) OR EXISTS (SELECT 1 FROM recorded b WHERE b.id < e.id AND b.type = ANY(w.events))
    ) THEN NULL ELSE e.created_at END
FROM recorded e JOIN webhooks w ON w.merchant_id = e.merchant_id
WHERE w.deleted_at IS NULL AND w.enabled AND w.mode = e.mode AND e.type = ANY(w.events)
RETURNING id;

-- name: HasEvent :one
SELECT EXISTS (SELECT 1 FROM events WHERE resource_id = @resource_id AND type = @type AND part = @part);

-- name: InsertPing :execrows
WITH event AS (
    INSERT INTO events (merchant_id, mode, type, resource_id, payload, created_at)
    SELECT w.merchant_id, w.mode, @type, @delivery_id, @payload, @created_at
    FROM webhooks w WHERE w.id = @webhook_id AND w.merchant_id = @merchant_id AND w.deleted_at IS NULL
    ON CONFLICT (resource_id, type, part) DO NOTHING
    RETURNING id, merchant_id, mode, created_at
)
INSERT INTO deliveries (id, webhook_id, merchant_id, mode, event_id, created_at, next_attempt_at)
SELECT @delivery_id, @webhook_id, e.merchant_id, e.mode, e.id, e.created_at, LEAST(e.created_at, now()) FROM event e;

-- name: UnsentDeliveries :many
-- Those that were not attempted and that wait for no other. One that is sent again has a run
-- of its own.
SELECT d.id FROM deliveries d JOIN events e ON e.id = d.event_id
WHERE e.resource_id = $1 AND d.status = 'pending' AND d.attempts = 0 AND d.rounds = 1 AND d.next_attempt_at IS NOT NULL ORDER BY d.id;

-- name: GetDeliveryForSending :one
SELECT d.id, d.status, d.attempts, d.round_from, d.rounds, d.webhook_id, d.merchant_id, d.mode, e.type, e.payload, e.resource_id,
    w.url, w.secret_sealed, w.use_tor, w.dialect, w.retries, w.enabled, COALESCE(c.metadata, '{}')::text AS metadata, (w.deleted_at IS NOT NULL)::boolean AS webhook_deleted, d.created_at, d.next_attempt_at, c.seen_at
FROM deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id
    LEFT JOIN charges c ON c.id = e.resource_id
WHERE d.id = $1;

-- name: RecordAttempt :one
-- An attempt that was recorded already, by another run of it, stays as it is;
-- but that the event has reached its receiver is kept whoever says so. The answer is how many
-- deliveries it changed. An attempt that was not made has no time, and no entry in the log.
WITH recorded AS (
    UPDATE deliveries SET status = @status, http_status = @http_status, attempts = GREATEST(attempts, @attempts), error = @error,
        last_attempt_at = sqlc.narg(last_attempt_at), next_attempt_at = @next_attempt_at, delivered_at = @delivered_at
    WHERE id = @id AND status <> 'delivered'
        AND (@status = 'delivered' OR (status = 'pending' AND attempts < @attempt::integer))
    RETURNING id
), logged AS (
    INSERT INTO delivery_attempts (delivery_id, attempt, at, http_status, error, request_headers, answer)
    SELECT r.id, @attempt::integer, sqlc.narg(last_attempt_at)::timestamptz, @http_status, @error, @request_headers::text, @answer::text
    FROM recorded r WHERE sqlc.narg(last_attempt_at)::timestamptz IS NOT NULL
    ON CONFLICT (delivery_id, attempt) DO UPDATE SET at = EXCLUDED.at, http_status = EXCLUDED.http_status, error = EXCLUDED.error,
        request_headers = EXCLUDED.request_headers, answer = EXCLUDED.answer
)
SELECT count(*) FROM recorded;

-- name: ListAttempts :many
-- The newest first.
SELECT attempt, at, http_status, error, request_headers, answer FROM delivery_attempts WHERE delivery_id = $1 ORDER BY attempt DESC LIMIT 50;

-- name: ReleaseDelivery :exec
-- Of what waits for a delivery that has ended, to the same webhook and of the same charge, the
-- first: unless another one is on its way. Its charge looks, and makes the first attempt.
WITH ended AS (
    SELECT d.webhook_id, e.resource_id FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.id = @id
), following AS (
    SELECT d.id, e.resource_id FROM ended x JOIN events e ON e.resource_id = x.resource_id JOIN deliveries d ON d.event_id = e.id AND d.webhook_id = x.webhook_id
    WHERE d.status = 'pending' AND d.rounds = 1 AND d.next_attempt_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM events o JOIN deliveries y ON y.event_id = o.id AND y.webhook_id = x.webhook_id
        WHERE o.resource_id = x.resource_id AND y.status = 'pending' AND y.rounds = 1 AND y.next_attempt_at IS NOT NULL)
    ORDER BY e.id LIMIT 1 FOR NO KEY UPDATE OF d
), released AS (
    UPDATE deliveries d SET next_attempt_at = @now::timestamptz FROM following f WHERE d.id = f.id RETURNING f.resource_id
)
INSERT INTO wakeups AS w (kind, id, owner, urgency, version)
SELECT 'charges', c.id, c.merchant_id, 0, nextval('wakeup_version') FROM released r JOIN charges c ON c.id = r.resource_id
ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, urgency = excluded.urgency, next_at = LEAST(w.next_at, excluded.next_at);

-- name: ReleaseHeldDeliveries :execrows
-- What waits and has nothing before it, whatever left it so: the first of each webhook and
-- charge.
WITH alone AS (
    SELECT DISTINCT ON (d.webhook_id, e.resource_id) d.id, e.resource_id FROM deliveries d JOIN events e ON e.id = d.event_id
    WHERE d.status = 'pending' AND d.rounds = 1 AND d.next_attempt_at IS NULL AND d.created_at < @before::timestamptz AND NOT EXISTS (
        SELECT 1 FROM events o JOIN deliveries y ON y.event_id = o.id AND y.webhook_id = d.webhook_id
        WHERE o.resource_id = e.resource_id AND y.status = 'pending' AND y.rounds = 1 AND y.next_attempt_at IS NOT NULL)
    ORDER BY d.webhook_id, e.resource_id, e.id
), released AS (
    UPDATE deliveries d SET next_attempt_at = @now::timestamptz FROM alone a WHERE d.id = a.id AND d.status = 'pending' AND d.next_attempt_at IS NULL
    RETURNING a.resource_id
)
INSERT INTO wakeups AS w (kind, id, owner, urgency, version)
SELECT 'charges', c.id, c.merchant_id, 0, nextval('wakeup_version') FROM charges c WHERE c.id IN (SELECT r.resource_id FROM released r) ORDER BY c.id
ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, urgency = excluded.urgency, next_at = LEAST(w.next_at, excluded.next_at);

-- name: ReopenDelivery :execrows
-- Others do not wait for it. It is due at once, even if the caller's clock is ahead.
UPDATE deliveries SET status = 'pending', delivered_at = NULL, error = NULL, http_status = NULL, next_attempt_at = LEAST(@now::timestamptz, now()),
    round_from = attempts, rounds = rounds + 1
WHERE id = @id AND status <> 'pending';

-- name: RetryDeliveries :many
-- Makes the deliveries of one resource due that failed and wait for their next attempt.
UPDATE deliveries d SET next_attempt_at = LEAST(d.next_attempt_at, @now::timestamptz, now())
FROM events e WHERE e.id = d.event_id AND e.resource_id = @resource_id AND d.status = 'pending' AND d.attempts > 0
RETURNING d.id;

-- name: GetDelivery :one
SELECT d.*, e.type AS event, e.resource_id, e.payload
FROM deliveries d JOIN events e ON e.id = d.event_id
WHERE d.id = @id AND d.merchant_id = @merchant_id AND d.mode = @mode;

-- name: GetWebhookURL :one
SELECT url FROM webhooks WHERE id = $1;

-- name: ListDeliveriesByWebhook :many
SELECT d.*, e.type AS event, e.resource_id, e.payload
FROM deliveries d JOIN events e ON e.id = d.event_id
WHERE d.webhook_id = $1 AND d.merchant_id = $2 AND d.mode = $3
ORDER BY d.created_at DESC, d.id DESC LIMIT $4;

-- name: ListDeliveries :many
SELECT d.*, e.type AS event, e.resource_id, e.payload
FROM deliveries d JOIN events e ON e.id = d.event_id
WHERE d.merchant_id = $1 AND d.mode = $2
ORDER BY d.created_at DESC, d.id DESC LIMIT $3;

-- name: ListDeliveriesOf :many
-- Those that tell of one thing.
SELECT d.*, e.type AS event, e.resource_id, e.payload
FROM deliveries d JOIN events e ON e.id = d.event_id
WHERE d.merchant_id = $1 AND d.mode = $2 AND e.resource_id = $4
ORDER BY d.created_at DESC, d.id DESC LIMIT $3;

-- name: HasUnnumberedEvents :one
SELECT EXISTS (SELECT 1 FROM events WHERE merchant_id = $1 AND mode = $2 AND place IS NULL);

-- name: HoldEventFeed :one
-- Held until the transaction ends: one at a time gives events their places.
INSERT INTO event_feeds (merchant_id, mode, last) VALUES ($1, $2, 0)
ON CONFLICT (merchant_id, mode) DO UPDATE SET last = event_feeds.last RETURNING last;

-- name: NumberEvents :execrows
-- They are held before they are counted: one that retention removes meanwhile gets no place.
WITH held AS (
    SELECT w.id FROM events w WHERE w.merchant_id = $1 AND w.mode = $2 AND w.place IS NULL ORDER BY w.id LIMIT $3 FOR UPDATE
), waiting AS (
    SELECT h.id, row_number() OVER (ORDER BY h.id) AS nth FROM held h
)
UPDATE events e SET place = f.last + waiting.nth
FROM waiting, event_feeds f WHERE e.id = waiting.id AND f.merchant_id = $1 AND f.mode = $2;

-- name: SetEventFeed :exec
UPDATE event_feeds SET last = @last WHERE merchant_id = @merchant_id AND mode = @mode;

-- name: GetEventFeed :one
-- first is the lowest place of an event that is kept, 0 where there is none.
SELECT f.last AS given,
    COALESCE((SELECT min(e.place) FROM events e WHERE e.merchant_id = f.merchant_id AND e.mode = f.mode), 0)::bigint AS first
FROM event_feeds f WHERE f.merchant_id = $1 AND f.mode = $2;

-- name: EventAtPlace :one
SELECT created_at FROM events WHERE merchant_id = $1 AND mode = $2 AND place = @place::bigint;

-- name: LastEventInFeed :one
SELECT place::bigint AS place, created_at FROM events
WHERE merchant_id = @merchant_id AND mode = @mode AND place > @after::bigint AND place <= @until::bigint ORDER BY place DESC LIMIT 1;

-- name: EventsInFeed :many
SELECT place::bigint AS place, type, payload, created_at FROM events
WHERE merchant_id = @merchant_id AND mode = @mode AND place > @after::bigint AND place <= @until::bigint AND type = ANY(@types::text[])
ORDER BY place LIMIT @most;
