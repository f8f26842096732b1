-- A session that was started from the completion page of another one. Each session has at most one successor.
alter table link_sessions add column successor_of uuid;
create unique index link_sessions_successor on link_sessions (organization_id, successor_of) where successor_of is not null;

-- The framed page that an attempt was started from. It has no cookie, and shows the outcome to nobody else.
alter table link_attempts add column frame_hash bytea;
