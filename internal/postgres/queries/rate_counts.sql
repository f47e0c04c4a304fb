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

-- name: AdmitRequest :one
-- Counts a request unless it is one too many; no row when it is.
WITH last AS (
    SELECT COALESCE(max(p.count), 0) AS requests FROM rate_counts p
    WHERE p.bucket = @bucket AND p.key_hash = @key_hash AND p.window_start = @last_window
), weighed AS (
    SELECT round(last.requests * @weight::float8)::integer AS requests FROM last
)
INSERT INTO rate_counts AS r (bucket, key_hash, window_start, count)
SELECT @bucket, @key_hash, @window_start, 1 FROM weighed WHERE weighed.requests < @most::integer
ON CONFLICT (bucket, key_hash, window_start) DO UPDATE SET count = r.count + 1
WHERE r.count + (SELECT weighed.requests FROM weighed) < @most::integer
RETURNING (r.count + (SELECT weighed.requests FROM weighed))::integer AS used;
