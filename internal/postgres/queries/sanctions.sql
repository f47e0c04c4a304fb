-- name: GetSanctionsList :one
SELECT * FROM sanctions_lists WHERE state = $1 AND state IN ('in_force', 'refused');

-- name: LockSanctionsLists :exec
SELECT pg_advisory_xact_lock(hashtextextended('sanctions_lists', 0));

-- name: InsertSanctionsList :one
INSERT INTO sanctions_lists (state, digest, entries, published_at, read_at, checked_at, in_force_at)
VALUES (@state, @digest, @entries, @published_at, @read_at, @read_at,
    CASE WHEN @state = 'in_force' THEN @read_at::timestamptz END)
RETURNING id;

-- name: InsertSanctionedAddresses :exec
INSERT INTO sanctioned_addresses (list_id, address, asset)
SELECT @list_id, unnest(@addresses::text[]), unnest(@assets::text[]);

-- name: TouchSanctionsList :exec
UPDATE sanctions_lists SET checked_at = @checked_at WHERE id = @id;

-- name: SupersedeSanctionsList :exec
WITH gone AS (
    UPDATE sanctions_lists SET state = 'superseded' WHERE state = @state AND state IN ('in_force', 'refused') RETURNING id
)
DELETE FROM sanctioned_addresses WHERE list_id IN (SELECT id FROM gone);

-- name: EnforceRefusedSanctionsList :exec
UPDATE sanctions_lists SET state = 'in_force', in_force_at = sqlc.arg(at)::timestamptz WHERE state = 'refused';

-- name: IsSanctioned :one
SELECT EXISTS (
    SELECT FROM sanctioned_addresses a WHERE a.list_id = l.id AND a.address = ANY (@addresses::text[])
) FROM sanctions_lists l WHERE l.state = 'in_force';

-- name: ListSanctionsLists :many
SELECT * FROM sanctions_lists WHERE state IN ('in_force', 'refused') ORDER BY state;
