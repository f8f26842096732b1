-- People who use the dashboard ----------------------------------------------------------------------------------------

-- The tables named people* are written by better-auth, whose models they are; their columns have its names in snake case.
create table people (
  id uuid primary key default uuid_v7(),
  name text not null check (length(name) between 1 and 120),
  email text not null unique check (email = lower(email)),
  -- Whether an operator, a mail or the identity provider has shown that the address is the person's.
  email_verified boolean not null default false,
  image text,
  two_factor_enabled boolean not null default false,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now()
);

create table people_sessions (
  id uuid primary key default uuid_v7(),
  user_id uuid not null references people on delete cascade,
  token text not null unique,
  ip_address text,
  user_agent text,
  expires_at timestamptz not null,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now()
);
create index people_sessions_by_person on people_sessions (user_id);
create index people_sessions_by_expiry on people_sessions (expires_at);

-- Ways to sign in: a password (provider `credential`), or an account at an identity provider.
create table people_accounts (
  id uuid primary key default uuid_v7(),
  user_id uuid not null references people on delete cascade,
  provider_id text not null,
  account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  unique (provider_id, account_id),
  -- One account of each kind. A second subject of the identity provider with the same address does not become the same person.
  unique (user_id, provider_id)
);

create table people_passkeys (
  id uuid primary key default uuid_v7(),
  user_id uuid not null references people on delete cascade,
  name text,
  public_key text not null,
  credential_id text not null unique,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz default app_now()
);
create index people_passkeys_by_person on people_passkeys (user_id);

create table people_second_factors (
  id uuid primary key default uuid_v7(),
  user_id uuid not null unique references people on delete cascade,
  -- Encrypted with a key that is derived from the vault's signing key.
  secret text not null,
  backup_codes text not null,
  verified boolean not null default false,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);

-- Short-lived values of sign-ins in progress.
create table people_verifications (
  id uuid primary key default uuid_v7(),
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now()
);
create index people_verifications_by_identifier on people_verifications (identifier);
create index people_verifications_by_expiry on people_verifications (expires_at);

create table people_rate_limits (
  id uuid primary key default uuid_v7(),
  key text not null unique,
  count integer not null,
  -- Milliseconds since 1970.
  last_request bigint not null
);

-- Invitations and password resets: a link that signs a person in once.
create table people_sign_in_links (
  hash bytea primary key,
  person_id uuid not null references people on delete cascade,
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  -- The organization whose administrator created the link. Null for links of the operator, which also replace a lost second factor.
  issuer_id uuid references organizations on delete cascade,
  -- That administrator. The page of the link names them.
  issued_by uuid references people on delete set null,
  -- The link was sent to the person's address and to nobody else.
  proves_address boolean not null default false,
  used_at timestamptz,
  -- The session that the link started. It may set a password without the previous one.
  session_id uuid
);
create index people_sign_in_links_by_person on people_sign_in_links (person_id);
create index people_sign_in_links_by_expiry on people_sign_in_links (expires_at);

-- People who may manage the installation and all of its organizations.
create table operators (
  person_id uuid primary key references people on delete cascade,
  created_at timestamptz not null default app_now()
);

-- Members -------------------------------------------------------------------------------------------------------------

create table members (
  organization_id uuid not null references organizations on delete cascade,
  person_id uuid not null references people on delete cascade,
  role text not null check (role in ('admin', 'developer', 'security', 'read_only')),
  -- The name that the administrator who invited the person has given. Shown until the person has accepted.
  invited_name text not null,
  created_at timestamptz not null default app_now(),
  -- Null until the person has accepted the invitation. Until then the person has no access.
  accepted_at timestamptz,
  primary key (organization_id, person_id)
);
create index members_by_person on members (person_id, organization_id);
