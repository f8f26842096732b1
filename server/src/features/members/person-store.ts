import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  integer,
  nullable,
  text,
  timestamptz,
  uuid,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const upsertPerson = statement({
  name: 'people.ensure',
  parameters: { id: uuid, name: text, email: text },
  columns: { id: uuid, isNew: boolean, isVerified: boolean },
  // The update makes the statement return an existing row.
  sql: `insert into people (id, name, email) values (:id, :name, :email)
   on conflict (email) do update set email = excluded.email returning id, id = :id as is_new, email_verified as is_verified`,
})
const verifyAddress = statement({
  name: 'people.verify_address',
  parameters: { id: uuid },
  columns: { id: uuid },
  sql: 'update people set email_verified = true, updated_at = app_now() where id = :id and not email_verified returning id',
})
const distrustAddress = statement({
  name: 'people.distrust_address',
  parameters: { id: uuid },
  sql: 'update people set email_verified = false, updated_at = app_now() where id = :id and email_verified',
})
const lockVerified = statement({
  name: 'people.lock_verified',
  parameters: { id: uuid },
  columns: { isVerified: boolean },
  sql: 'select email_verified as is_verified from people where id = :id for no key update',
})
const removeCredentials = statement({
  name: 'people.remove_credentials',
  parameters: { id: uuid, keptSessionId: nullable(uuid) },
  sql: `with person as (update people set two_factor_enabled = false where id = :id returning id),
     accounts as (delete from people_accounts where user_id in (select id from person)),
     passkeys as (delete from people_passkeys where user_id in (select id from person)),
     second_factors as (delete from people_second_factors where user_id in (select id from person)),
     links as (delete from people_sign_in_links where person_id in (select id from person) and used_at is null)
   delete from people_sessions where user_id in (select id from person) and id is distinct from :keptSessionId::uuid`,
})
const countPeople = statement({
  name: 'people.count',
  columns: { people: integer },
  sql: 'select count(*)::integer as people from people',
})
const insertOperator = statement({
  name: 'people.make_operator',
  parameters: { personId: uuid },
  sql: 'insert into operators (person_id) values (:personId) on conflict do nothing',
})
const setProfile = statement({
  name: 'people.set_profile',
  parameters: { id: uuid, name: text, email: text },
  columns: { id: uuid },
  sql: `update people set name = :name, email = :email, updated_at = app_now()
   where id = :id and not exists (select from people other where other.email = :email and other.id <> :id) returning id`,
})

const setPassword = statement({
  name: 'people.set_password',
  parameters: { id: uuid, personId: uuid, password: text },
  sql: `insert into people_accounts (id, user_id, provider_id, account_id, password)
   values (:id, :personId::uuid, 'credential', (:personId::uuid)::text, :password)
   on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = app_now()`,
})
const selectPassword = statement({
  name: 'people.password',
  parameters: { personId: uuid },
  columns: { password: nullable(text) },
  sql: `select password from people_accounts where user_id = :personId and provider_id = 'credential'`,
})

/** Accounts at the identity provider. */
const selectIdentities = statement({
  name: 'people.identities',
  parameters: { personId: uuid },
  columns: { id: uuid, subject: text, createdAt: timestamptz },
  sql: `select id, account_id as subject, created_at from people_accounts
   where user_id = :personId and provider_id <> 'credential' order by created_at`,
})
const deleteIdentity = statement({
  name: 'people.remove_identity',
  parameters: { personId: uuid, id: uuid },
  columns: { id: uuid },
  sql: `delete from people_accounts where user_id = :personId and id = :id and provider_id <> 'credential' returning id`,
})

/** The window in which sign-ins to an account are counted, whichever address they come from. */
const countAttempt = statement({
  name: 'people.count_attempt',
  parameters: { id: uuid, key: text, now: bigint, windowMs: bigint },
  columns: { count: integer },
  sql: `insert into people_rate_limits as r (id, key, count, last_request) values (:id, :key, 1, :now)
   on conflict (key) do update set
     count = case when r.last_request <= :now - :windowMs then 1 else r.count + 1 end,
     last_request = case when r.last_request <= :now - :windowMs then :now else r.last_request end
   returning count`,
})
const forgetAttempts = statement({
  name: 'people.forget_attempts',
  parameters: { keys: array(text) },
  sql: 'delete from people_rate_limits where key = any(:keys)',
})

export const personStore = {
  /** Finds or creates the person with this email address. */
  ensure: async (db: Queryable, person: { id: string; name: string; email: string }) => {
    const found = await one(db, upsertPerson, person)
    if (!found) throw new Error('the person was neither found nor created')
    return found
  },
  count: async (db: Queryable): Promise<number> => (await one(db, countPeople))?.people ?? 0,
  makeOperator: (db: Queryable, personId: string) => db.query(insertOperator, { personId }),
  /** False if another person has the email address. */
  setProfile: async (db: Queryable, profile: { id: string; name: string; email: string }): Promise<boolean> =>
    (await one(db, setProfile, profile)) !== null,
  /** False if the address was verified before. */
  verifyAddress: async (db: Queryable, id: string): Promise<boolean> =>
    (await one(db, verifyAddress, { id })) !== null,
  /** Someone else may be able to sign in as the person. */
  distrustAddress: (tx: Queryable, id: string) => tx.query(distrustAddress, { id }),
  /**
   * Whether the address was verified. The lock excludes a concurrent use of a sign-in link, so that a person who gets more rights is
   * still the one who was verified.
   */
  lockVerified: async (tx: Queryable, id: string): Promise<boolean> =>
    (await one(tx, lockVerified, { id }))?.isVerified ?? false,
  /** Passwords, passkeys, second factors, accounts of the identity provider, links and sessions. */
  removeCredentials: (db: Queryable, id: string, keptSessionId: string | null = null) =>
    db.query(removeCredentials, { id, keptSessionId }),
  /** `password`: its hash. */
  setPassword: (db: Queryable, password: { id: string; personId: string; password: string }) =>
    db.query(setPassword, password),
  /** The hash of the password; null if the person has none. */
  passwordOf: async (db: Queryable, personId: string): Promise<string | null> =>
    (await one(db, selectPassword, { personId }))?.password ?? null,
  identitiesOf: (db: Queryable, personId: string) => db.query(selectIdentities, { personId }),
  /** False if the person has no such identity. */
  removeIdentity: async (db: Queryable, personId: string, id: string): Promise<boolean> =>
    (await one(db, deleteIdentity, { personId, id })) !== null,
  countAttempt: async (
    db: Queryable,
    attempt: { id: string; key: string; now: number; windowMs: number },
  ): Promise<number> => (await one(db, countAttempt, attempt))?.count ?? 0,
  forgetAttempts: async (db: Queryable, keys: string[]): Promise<void> => {
    if (keys.length > 0) await db.query(forgetAttempts, { keys })
  },
}
