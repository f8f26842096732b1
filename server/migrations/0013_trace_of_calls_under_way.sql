-- A call whose process dies is the one that somebody looks for by its trace.
alter table calls_under_way add column trace_id text;
