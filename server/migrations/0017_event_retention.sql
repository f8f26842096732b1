-- Events are deleted when they are old, in order of time.
create index events_by_time on events (created_at);
