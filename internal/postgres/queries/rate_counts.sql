-- name: AddRateCounts :many
INSERT INTO rate_counts AS r (bucket, key_hash, window_start, count)
SELECT @bucket, unnest(@key_hashes::bytea[]), unnest(@window_starts::timestamptz[]), unnest(@counts::integer[])
ON CONFLICT (bucket, key_hash, window_start) DO UPDATE SET count = r.count + excluded.count
RETURNING key_hash, window_start, count;

-- name: PruneRateCounts :exec
DELETE FROM rate_counts WHERE bucket = @bucket AND window_start < @before::timestamptz;

-- name: FindRateCounts :many
SELECT key_hash, window_start, count FROM rate_counts
WHERE bucket = @bucket AND (key_hash, window_start) IN (
    SELECT unnest(@key_hashes::bytea[]), unnest(@window_starts::timestamptz[]));
