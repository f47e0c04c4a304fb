-- name: CountTestClocks :one
SELECT count(*) FROM test_clocks WHERE merchant_id = @merchant_id AND deleted_at IS NULL AND deletes_after > @now::timestamptz;

-- name: InsertTestClock :one
INSERT INTO test_clocks (id, merchant_id, name, frozen_time, first_time, idempotency_key, created_at, deletes_after)
VALUES (@id, @merchant_id, @name, @frozen_time, @frozen_time, @idempotency_key, @created_at, @deletes_after)
RETURNING *;

-- name: TestClockByKey :one
SELECT * FROM test_clocks WHERE merchant_id = @merchant_id AND idempotency_key = @idempotency_key::text;

-- name: GetTestClock :one
SELECT * FROM test_clocks WHERE id = @id AND merchant_id = @merchant_id AND deleted_at IS NULL AND deletes_after > @now::timestamptz;

-- name: ListTestClocks :many
-- The newest first, from one on.
SELECT * FROM test_clocks
WHERE merchant_id = @merchant_id AND deleted_at IS NULL AND deletes_after > @now::timestamptz
    AND (created_at, id) < (@before_time::timestamptz, @before_id::text)
ORDER BY created_at DESC, id DESC LIMIT @most;

-- name: ListTestClocksBack :many
-- The oldest first, from one on.
SELECT * FROM test_clocks
WHERE merchant_id = @merchant_id AND deleted_at IS NULL AND deletes_after > @now::timestamptz
    AND (created_at, id) > (@after_time::timestamptz, @after_id::text)
ORDER BY created_at, id LIMIT @most;

-- name: HoldTestClock :one
SELECT * FROM test_clocks WHERE id = @id AND merchant_id = @merchant_id AND deleted_at IS NULL AND deletes_after > now() FOR UPDATE;

-- name: AdvanceTestClock :exec
UPDATE test_clocks SET status = 'advancing', target_time = @target_time::timestamptz, advance_key = @advance_key WHERE id = @id;

-- name: SettleTestClock :exec
-- Ends an advance; nothing for a clock that is not advancing.
UPDATE test_clocks SET status = @status, frozen_time = target_time, target_time = NULL WHERE id = @id AND status = 'advancing';

-- name: DeleteTestClock :exec
UPDATE test_clocks SET deleted_at = @now::timestamptz WHERE id = @id AND deleted_at IS NULL;

-- name: TestClockTime :one
SELECT at, gone FROM test_clock_times WHERE id = $1;

-- name: CountChargesOfTestClock :one
SELECT count(*) FROM charges WHERE test_clock_id = @test_clock_id::text;

-- name: DueChargesOfTestClock :many
-- Those that have not answered the clock's time, or have not told their news once.
SELECT c.id FROM charges c JOIN test_clock_times k ON k.id = c.test_clock_id
WHERE c.test_clock_id = @test_clock_id::text AND c.id > @after::text AND ((c.status = 'pending' AND (k.gone OR c.expires_at <= k.at))
    OR (NOT k.gone AND EXISTS (
        SELECT 1 FROM events e JOIN deliveries d ON d.event_id = e.id
        WHERE e.resource_id = c.id AND d.status = 'pending' AND d.attempts = 0 AND d.rounds = 1 AND d.next_attempt_at <= k.at)))
ORDER BY c.id LIMIT @most;

-- name: DueDeliveriesOfTestClock :many
-- Attempts that are due by the clock's time, after the first. Those of a deleted clock
-- go on in real time, which nothing here waits for.
SELECT d.id FROM charges c JOIN test_clock_times k ON k.id = c.test_clock_id
    JOIN events e ON e.resource_id = c.id JOIN deliveries d ON d.event_id = e.id
WHERE c.test_clock_id = @test_clock_id::text AND NOT k.gone AND d.status = 'pending' AND (d.attempts > 0 OR d.rounds > 1)
    AND d.next_attempt_at <= k.at AND d.id > @after::text
ORDER BY d.id LIMIT @most;

-- name: LeftDeliveriesOfTestClock :many
-- What waits for a time that a deleted clock will not show. A first attempt waits for none.
SELECT d.id FROM charges c JOIN test_clock_times k ON k.id = c.test_clock_id
    JOIN events e ON e.resource_id = c.id JOIN deliveries d ON d.event_id = e.id
WHERE c.test_clock_id = @test_clock_id::text AND k.gone AND d.status = 'pending' AND (d.attempts > 0 OR d.rounds > 1)
    AND d.id > @after::text
ORDER BY d.id LIMIT @most;

-- name: AdvancingTestClocks :many
SELECT id, merchant_id FROM test_clocks WHERE status = 'advancing';

-- name: PruneTestClocks :execrows
DELETE FROM test_clocks WHERE id IN (
    SELECT k.id FROM test_clocks k WHERE k.deletes_after < @before::timestamptz
        AND NOT EXISTS (SELECT 1 FROM charges c WHERE c.test_clock_id = k.id)
    ORDER BY k.deletes_after LIMIT @batch);

-- name: ChargesOfOldTestClocks :many
-- Those that may be removed, whatever the time that they lived in.
SELECT c.id FROM test_clocks k JOIN charges c ON c.test_clock_id = k.id
WHERE k.deletes_after < @before::timestamptz AND EXISTS (SELECT 1 FROM removable_charges r WHERE r.id = c.id)
LIMIT @batch;
