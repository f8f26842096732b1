-- A production key that a first start in development has printed. A service in production revokes it when it starts.
alter table api_keys add column for_development boolean not null default false;
