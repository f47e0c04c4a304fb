-- name: WantWorkflow :exec
INSERT INTO workflow_starts (id, kind, merchant_id, mode) VALUES (@id, @kind, @merchant_id, @mode) ON CONFLICT (id) DO NOTHING;

-- name: TakeWorkflowStarts :many
-- The oldest after one, for whoever holds them until the transaction ends: others take others.
SELECT * FROM workflow_starts WHERE created_at <= now() - make_interval(secs => @older_than_seconds::float8)
    AND (created_at, id) > (@after_created_at::timestamptz, @after_id::text)
ORDER BY created_at, id LIMIT @batch FOR UPDATE SKIP LOCKED;

-- name: EndWorkflowStarts :exec
DELETE FROM workflow_starts WHERE id = ANY (@ids::text[]);

-- name: ForgetWorkflowStarts :exec
-- Of what was started, but what a loop holds: that starts it once more, and ends it.
DELETE FROM workflow_starts WHERE id IN (SELECT s.id FROM workflow_starts s WHERE s.id = ANY (@ids::text[]) FOR UPDATE SKIP LOCKED);

-- name: CountWorkflowStarts :one
-- Counted up to a bound.
SELECT count(*) FROM (SELECT 1 FROM workflow_starts LIMIT @up_to) AS waiting;

-- name: WakeStarters :exec
NOTIFY workflow_starts;
