-- Whole organizations: archives, deletion, and the write fence.

-- An import in progress. Each transaction of it also advances this row, so that an interrupted import can continue.
create table organization_imports (
  organization_id uuid primary key,
  -- Hash of the archive's header. Another archive of the same organization cannot continue the import.
  archive_id bytea not null check (length(archive_id) = 32),
  -- The number of the next chunk to apply.
  next_chunk integer not null default 0,
  -- Records that had expired at this time were not imported.
  started_at timestamptz not null default app_now(),
  expired_records bigint not null default 0,
  expired_checksum bytea not null default decode(repeat('00', 32), 'hex'),
  -- When the imported rows were found to be equal to the archive.
  verified_at timestamptz
);

-- The tables of the service. Partitions are part of their table.
create view own_tables as
  select c.oid as id, c.relname::text as name from pg_class c
  where c.relnamespace = (select relnamespace from pg_class where oid = 'organizations'::regclass)
    and c.relkind in ('r', 'p') and not c.relispartition;

-- Their columns that can be written, without transactions of this database, which have no meaning in another one.
create view own_columns as
  select t.name as table_name, a.attname::text as name, a.attnum as position, format_type(a.atttypid, a.atttypmod) as type,
    a.attidentity <> '' as is_identity
  from own_tables t join pg_attribute a on a.attrelid = t.id and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    and a.atttypid <> 'xid8'::regtype;

-- Their columns that contain a transaction.
create view own_transactions as
  select t.name as table_name, a.attname::text as name
  from own_tables t join pg_attribute a on a.attrelid = t.id and a.attnum > 0 and not a.attisdropped and a.atttypid = 'xid8'::regtype;

-- The tables that contain rows of organizations, with the column that has the organization's ID.
create view tenant_tables as
  select t.id, t.name, a.attname::text as key
  from own_tables t join pg_attribute a on a.attrelid = t.id and not a.attisdropped
    and a.attname = case t.name when 'organizations' then 'id' else 'organization_id' end;

create view tenant_columns as
  select c.table_name, c.name, c.position, c.type from own_columns c join tenant_tables t on t.name = c.table_name;

-- The columns of its primary key, without the organization's ID.
create view tenant_keys as
  select t.name as table_name, a.attname::text as name, k.position, format_type(a.atttypid, a.atttypmod) as type
  from tenant_tables t join pg_index i on i.indrelid = t.id and i.indisprimary
  cross join lateral unnest(i.indkey::smallint[]) with ordinality as k (number, position)
  join pg_attribute a on a.attrelid = t.id and a.attnum = k.number and a.attname <> t.key;

-- Archives ------------------------------------------------------------------------------------------------------------

-- A page of an organization's rows in a table, in the order of the primary key, after the row with the key `in_after`. A row is a JSON array
-- with the text of each column, or null. The text does not depend on settings of the session. The page ends after `in_limit` rows, or with
-- the row that exceeds `in_bytes`.
create function read_tenant_rows(
  in_table text, in_organization uuid, in_without text[], in_after text[], in_limit integer, in_bytes integer)
returns table (line text, key text[]) language plpgsql stable
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set bytea_output = 'hex' set extra_float_digits = 1 as $$
declare
  columns text;
  keys text;
  key_texts text;
  after_keys text;
  tenant_key text;
  bytes bigint := 0;
begin
  select t.key into strict tenant_key from tenant_tables t where name = in_table;
  select string_agg(format('%I::text', name), ', ' order by position) into columns from tenant_columns
    where table_name = in_table and name <> all(in_without);
  select string_agg(format('%I', name), ', ' order by position), string_agg(format('%I::text', name), ', ' order by position),
      string_agg(format('$2[%s]::%s', number, type), ', ' order by position)
    into keys, key_texts, after_keys
    from (select *, row_number() over (order by position) as number from tenant_keys where table_name = in_table) k;
  -- A table whose primary key is the organization's ID has one row.
  if keys is null and in_after is not null then return; end if;
  for line, key in execute format('select json_build_array(%s)::text, array[%s]::text[] from %I where %I = $1%s%s limit $3',
      columns, key_texts, in_table, tenant_key,
      case when in_after is not null then format(' and (%s) > (%s)', keys, after_keys) end,
      ' order by ' || keys)
    using in_organization, in_after, in_limit
  loop
    return next;
    bytes := bytes + octet_length(line);
    exit when bytes > in_bytes;
  end loop;
end $$;

-- A page of an organization's rows in a table, as JSON objects with the given columns, in the order of the primary key.
create function read_tenant_documents(in_table text, in_organization uuid, in_columns text[], in_after text[], in_limit integer)
returns table (line text, key text[]) language plpgsql stable set timezone = 'UTC' as $$
declare
  columns text;
  keys text;
  key_texts text;
  after_keys text;
  tenant_key text;
begin
  select t.key into strict tenant_key from tenant_tables t where name = in_table;
  select string_agg(format('t.%I', name), ', ' order by number) into strict columns
    from unnest(in_columns) with ordinality as wanted (name, number);
  select string_agg(format('t.%I', name), ', ' order by position), string_agg(format('t.%I::text', name), ', ' order by position),
      string_agg(format('$2[%s]::%s', number, type), ', ' order by position)
    into keys, key_texts, after_keys
    from (select *, row_number() over (order by position) as number from tenant_keys where table_name = in_table) k;
  -- A table whose primary key is the organization's ID has one row.
  if keys is null and in_after is not null then return; end if;
  return query execute format(
      'select (select to_json(d)::text from (select %s) d), array[%s]::text[] from %I t where t.%I = $1%s%s limit $3',
      columns, key_texts, in_table, tenant_key,
      case when in_after is not null then format(' and (%s) > (%s)', keys, after_keys) end,
      ' order by ' || keys)
    using in_organization, in_after, in_limit;
end $$;

-- For the insertion of rows in the form of `read_tenant_rows`: the names of columns, and expressions that take their values from a row `r`.
create function describe_insertion(in_table text, in_columns text[], out names text, out texts text) language plpgsql stable as $$
begin
  select string_agg(format('%I', c.name), ', ' order by w.number), string_agg(format('(r ->> %s)::%s', w.number - 1, c.type), ', ' order by w.number)
    into names, texts
    from unnest(in_columns) with ordinality as w (name, number) left join own_columns c on c.table_name = in_table and c.name = w.name
    having bool_and(c.name is not null);
  if names is null then raise exception 'table % does not have the columns %', in_table, in_columns; end if;
  -- `resume_events` decides which events are read here.
  select names || coalesce(string_agg(format(', %I', t.name), ''), ''), texts || coalesce(string_agg($t$, '0'::xid8$t$, ''), '')
    into names, texts from own_transactions t where table_name = in_table;
end $$;

-- Inserts rows in the form of `read_tenant_rows`, all of which must belong to the organization.
create function insert_tenant_rows(in_table text, in_organization uuid, in_columns text[], in_rows jsonb) returns void
language plpgsql set timezone = 'UTC' set datestyle = 'ISO, YMD' as $$
declare
  tenant_key text;
  names text;
  texts text;
  inserted bigint;
begin
  select t.key into strict tenant_key from tenant_tables t where name = in_table;
  select d.names, d.texts into names, texts from describe_insertion(in_table, in_columns) d;
  execute format('insert into %I (%s) select %s from jsonb_array_elements($1) r where (r ->> %s)::uuid = $2', in_table, names, texts,
      array_position(in_columns, tenant_key) - 1)
    using in_rows, in_organization;
  get diagnostics inserted = row_count;
  if inserted <> jsonb_array_length(in_rows) then
    raise exception 'rows of table % belong to another organization', in_table;
  end if;
end $$;

-- The time up to which the usage tables contain the calls of the organization, in the form of `read_tenant_rows`.
create function summed_usage_until(in_organization uuid) returns text language sql stable set timezone = 'UTC' set datestyle = 'ISO, YMD' as $$
  select coalesce(usage_until, (select until from usage_progress))::text from organizations where id = in_organization
$$;

-- Deletion ------------------------------------------------------------------------------------------------------------

-- Deletes up to `in_limit` rows of an organization after the row with the key `in_after`, in the order of the primary key. Returns their number and the
-- key of the last one. The next call starts after it, because an index scan from the start would read the rows again that were deleted.
create function delete_tenant_rows(in_table text, in_organization uuid, in_after text[], in_limit integer, out deleted bigint, out last_key text[])
language plpgsql set enable_seqscan = off as $$
declare
  tenant_key text;
  keys text;
  key_texts text;
  after_keys text;
begin
  select t.key into strict tenant_key from tenant_tables t where name = in_table;
  select string_agg(format('%I', name), ', ' order by position), string_agg(format('%I::text', name), ', ' order by position),
      string_agg(format('$2[%s]::%s', number, type), ', ' order by position)
    into keys, key_texts, after_keys
    from (select *, row_number() over (order by position) as number from tenant_keys where table_name = in_table) k;
  execute format('with page as materialized (
        select ctid as address, array[%s]::text[] as key, row_number() over (%s) as position from %I where %I = $1%s%s limit $3),
      gone as (delete from %I where ctid = any(array(select address from page)) returning 1)
      select (select count(*) from gone), (select key from page order by position desc limit 1)',
      key_texts, 'order by ' || keys, in_table, tenant_key,
      case when in_after is not null and keys is not null then format(' and (%s) > (%s)', keys, after_keys) end,
      ' order by ' || keys, in_table)
    into deleted, last_key using in_organization, in_after, in_limit;
end $$;

-- Deletes records of an organization from a time on, about `in_limit` of them, in the order of time, in which they are stored. Returns their number and
-- the time of the last one.
create function delete_record_page(in_organization uuid, in_mode text, in_from text, in_limit integer, out deleted bigint, out last_time text)
language plpgsql set enable_seqscan = off set timezone = 'UTC' set datestyle = 'ISO, YMD' as $$
begin
  execute 'select max(started_at)::text from (select started_at from tool_calls
      where organization_id = $1 and mode = $2 and started_at >= $3::timestamptz order by started_at limit $4) page'
    into last_time using in_organization, in_mode, in_from, in_limit;
  if last_time is null then
    deleted := 0;
    return;
  end if;
  execute 'delete from tool_calls where organization_id = $1 and mode = $2 and started_at >= $3::timestamptz and started_at <= $4::timestamptz'
    using in_organization, in_mode, in_from, last_time;
  get diagnostics deleted = row_count;
end $$;

-- The write fence -----------------------------------------------------------------------------------------------------

-- While a fence is raised, any write of the organization's rows fails, except in a transaction that has set `carabiner.fence_bypass` to the
-- organization's ID. The fence consists of triggers whose conditions name the organization, so others pay nothing without a fence, and one
-- comparison for each written row with it.
create function reject_fenced_write() returns trigger language plpgsql as $$
begin
  if current_setting('carabiner.fence_bypass', true) is distinct from tg_argv[0] then
    raise exception 'organization % is being moved or deleted', tg_argv[0] using errcode = 'ORG01';
  end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $$;

create function fence_name(in_organization uuid, in_side text) returns text language sql immutable as $$
  select format('fence_%s_%s', in_side, replace(in_organization::text, '-', ''))
$$;

-- The tables that have the fence of the organization.
create function fenced_tables(in_organization uuid) returns setof text language sql stable as $$
  select t.name from tenant_tables t join pg_trigger g on g.tgrelid = t.id and g.tgname = fence_name(in_organization, 'old')
$$;

-- The `lock_timeout` of the current transaction.
create function limit_lock_wait(in_milliseconds integer) returns void language sql as
  $$ select set_config('lock_timeout', in_milliseconds::text, true) $$;

-- Creating a trigger waits for running writers of the table and blocks new ones, so the lock timeout is short, and each table is a
-- transaction of its own. After the last table, the organization's rows do not change.
create function raise_fence(in_table text, in_organization uuid, in_lock_timeout_ms integer) returns void language plpgsql as $$
declare
  tenant_key text;
begin
  perform limit_lock_wait(in_lock_timeout_ms);
  if in_table in (select fenced_tables(in_organization)) then return; end if;
  select t.key into strict tenant_key from tenant_tables t where name = in_table;
  -- The condition of a trigger for inserts cannot refer to the old row, nor that of one for deletes to the new row.
  execute format('create trigger %I before insert or update on %I for each row when (new.%I = %L) execute function reject_fenced_write(%L)',
    fence_name(in_organization, 'new'), in_table, tenant_key, in_organization, in_organization);
  execute format('create trigger %I before update or delete on %I for each row when (old.%I = %L) execute function reject_fenced_write(%L)',
    fence_name(in_organization, 'old'), in_table, tenant_key, in_organization, in_organization);
end $$;

create function drop_fence(in_table text, in_organization uuid, in_lock_timeout_ms integer) returns void language plpgsql as $$
begin
  perform limit_lock_wait(in_lock_timeout_ms);
  execute format('drop trigger if exists %I on %I', fence_name(in_organization, 'new'), in_table);
  execute format('drop trigger if exists %I on %I', fence_name(in_organization, 'old'), in_table);
end $$;

-- Creates a partition of records while other organizations write records.
create function create_missing_partition(in_days integer, in_begins timestamp, in_lock_timeout_ms integer) returns void language plpgsql as $$
begin
  perform limit_lock_wait(in_lock_timeout_ms);
  perform create_record_partition(in_days, in_begins);
end $$;

-- Moves ---------------------------------------------------------------------------------------------------------------

-- Whether a record is kept for at least another day. Records that end earlier are not copied, because they may be deleted meanwhile.
-- All operators are immutable, so that the planner can inline the function.
create function outlasts_move(in_started_at timestamptz, in_retention_days smallint, in_as_of timestamptz) returns boolean
language sql immutable as $$ select in_as_of - in_started_at <= (in_retention_days - 1) * interval '1 day' $$;

-- Records as they are copied.
create view copied_records as
  select organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, credential_id, account_label, outcome, error_code,
    ended_at_step, counted, carried_out, counted_as, request_id, trace_id,
    started_at, finished_at, third_party_ms, gateway_ms, rules_ms, arguments_bytes, result_bytes, view_bytes, headers, matches, payload, retention_days
  from tool_calls;

-- A page of an organization's records from a range of time, after the record with the given time and ID. The page ends after `in_limit`
-- records, or with the one that exceeds `in_bytes` of payload. `columns` is the text of an array with one element for each column except the
-- organization's ID: the text of an array with the values of all records, or null if no record has a value. Arrays are several times
-- faster to read and to insert than rows. The text does not depend on settings of the session. `checksum` is that of `sum_records`.
create function read_record_page(in_organization uuid, in_mode text, in_after_time text, in_after_id uuid, in_until timestamptz,
  in_as_of timestamptz, in_limit integer, in_bytes integer)
returns table (columns text, records bigint, checksum text, last_time text, last_id uuid) language plpgsql stable
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set bytea_output = 'hex' set extra_float_digits = 1 as $$
declare
  arrays text;
begin
  select string_agg(format('case when count(t.%1$I) > 0 then array_agg(t.%1$I)::text end', name), ', ' order by position) into arrays
    from tenant_columns where table_name = 'tool_calls' and name <> 'organization_id';
  return query execute format('select array[%s]::text, count(*), sum(hashtextextended(line, 0))::text, max(started_at)::text, (array_agg(id))[count(*)]
      from (select t.*, t::text as line, sum(coalesce(octet_length(payload), 0)) over earlier as bytes from copied_records t
        where organization_id = $1 and mode = $2 and started_at >= $3::timestamptz and (started_at, id) > ($3::timestamptz, $4) and started_at < $5
          and outlasts_move(started_at, retention_days, $6)
        window earlier as (order by started_at, id rows between unbounded preceding and 1 preceding)
        order by started_at, id limit $7) t
      where bytes is null or bytes < $8 having count(*) > 0', arrays)
    using in_organization, in_mode, in_after_time, in_after_id, in_until, in_as_of, in_limit, in_bytes;
end $$;

-- Inserts a page of `read_record_page` for the organization, and returns the number of its records.
create function insert_record_page(in_organization uuid, in_columns text) returns bigint language plpgsql
set timezone = 'UTC' set datestyle = 'ISO, YMD' as $$
declare
  names text;
  arrays text;
  inserted bigint;
begin
  select string_agg(format('%I', name), ', ' order by position), string_agg(format('$2[%s]::%s[]', number, type), ', ' order by position)
    into names, arrays
    from (select *, row_number() over (order by position) as number from tenant_columns
      where table_name = 'tool_calls' and name <> 'organization_id') c;
  execute format('insert into tool_calls (organization_id, committed_in, %s) select $1, ''0''::xid8, * from unnest(%s)', names, arrays) using in_organization, in_columns::text[];
  get diagnostics inserted = row_count;
  return inserted;
end $$;

-- The number of an organization's records in a range of time, and the sum of the hashes of their contents.
create function sum_records(in_organization uuid, in_from timestamptz, in_until timestamptz, out records bigint, out checksum text)
language plpgsql stable
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set bytea_output = 'hex' set extra_float_digits = 1 as $$
begin
  select count(*), coalesce(sum(hashtextextended(t::text, 0)), 0)::text into records, checksum from copied_records t
    where organization_id = in_organization and mode in ('production', 'test') and started_at >= in_from and started_at < in_until;
end $$;

-- Deletes the records of an organization from a range of time, and returns their number.
create function delete_records(in_organization uuid, in_from timestamptz, in_until timestamptz) returns bigint language sql as $$
  with gone as (
    delete from tool_calls where organization_id = in_organization and mode in ('production', 'test') and started_at >= in_from
      and started_at < in_until returning 1)
  select count(*) from gone
$$;

-- Backups -------------------------------------------------------------------------------------------------------------

-- A restore of a backup in progress. Each transaction of it also advances this row. While it exists, the service does not start.
create table restores (
  only_one boolean primary key default true check (only_one),
  -- Hash of the backup's header. Another backup cannot continue the restore.
  backup_id bytea not null check (length(backup_id) = 32),
  -- The number of the next chunk to apply.
  next_chunk integer not null default 0,
  started_at timestamptz not null default app_now(),
  -- When the restored rows were found to be equal to the backup.
  verified_at timestamptz
);

-- Opens a cursor over all rows of a table, until the end of the transaction or `close_table`.
create function open_table(in_table text) returns void language plpgsql as $$
declare
  table_rows refcursor := 'table_rows';
  columns text;
begin
  select string_agg(format('%I::text', name), ', ' order by position) into columns from own_columns
    where table_name = in_table;
  open table_rows no scroll for execute format('select json_build_array(%s)::text from %I', columns, in_table);
end $$;

-- The next rows of the open table, in the form and with the limits of `read_tenant_rows`.
create function fetch_table_rows(in_limit integer, in_bytes integer) returns setof text language plpgsql
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' set bytea_output = 'hex' set extra_float_digits = 1 as $$
declare
  table_rows refcursor := 'table_rows';
  line text;
  bytes bigint := 0;
begin
  for number in 1..in_limit loop
    fetch table_rows into line;
    exit when not found;
    return next line;
    bytes := bytes + octet_length(line);
    exit when bytes > in_bytes;
  end loop;
end $$;

create function close_table() returns void language plpgsql as $$
declare
  table_rows refcursor := 'table_rows';
begin
  close table_rows;
end $$;

-- Inserts rows of any table in the form of `fetch_table_rows`.
create function insert_table_rows(in_table text, in_columns text[], in_rows jsonb) returns void
language plpgsql set timezone = 'UTC' set datestyle = 'ISO, YMD' as $$
declare
  names text;
  texts text;
begin
  select d.names, d.texts into names, texts from describe_insertion(in_table, in_columns) d;
  execute format('insert into %I (%s) overriding system value select %s from jsonb_array_elements($1) r', in_table, names, texts)
    using in_rows;
end $$;

-- Those of the tables that have rows.
create function filled_tables(in_tables text[]) returns setof text language plpgsql stable as $$
declare
  name text;
  has_rows boolean;
begin
  foreach name in array in_tables loop
    execute format('select exists (select from %I)', name) into has_rows;
    if has_rows then return next name; end if;
  end loop;
end $$;

create function clear_table(in_table text) returns void language plpgsql as $$
begin
  execute format('delete from %I', in_table);
end $$;

-- Lets each identity column continue after its highest value.
create function continue_identities() returns void language plpgsql as $$
declare
  identity record;
begin
  for identity in select table_name, name from own_columns where is_identity loop
    execute format('select setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 0) + 1, false) from %I',
      quote_ident(identity.table_name), identity.name, identity.name, identity.table_name);
  end loop;
end $$;
