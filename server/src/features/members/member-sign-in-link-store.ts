import type { Role } from '@carabiner/contract/permissions'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  boolean,
  bytea,
  double,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

/**
 * Whether an administrator of the organization may act as the person: nothing of another organization or of the installation is
 * reachable, and no second factor is bypassed. `person` and `organization` are SQL expressions.
 */
const belongsOnlyTo = (person: string, organization: string): string =>
  `not exists (select from members o where o.person_id = ${person} and o.organization_id <> ${organization} and o.accepted_at is not null)
     and not exists (select from operators o where o.person_id = ${person})
     and not exists (select from people o where o.id = ${person} and o.two_factor_enabled)`

const insertLink = statement({
  name: 'people_sign_in_links.insert',
  parameters: {
    hash: bytea,
    personId: uuid,
    seconds: double,
    issuerId: nullable(uuid),
    issuedBy: nullable(uuid),
  },
  columns: { expiresAt: timestamptz },
  sql: `insert into people_sign_in_links (hash, person_id, issuer_id, issued_by, expires_at)
   values (:hash, :personId, :issuerId, :issuedBy, app_now() + :seconds * interval '1 second') returning expires_at`,
})
// The same whether or not the person has an account. A link of an organization that has removed the person is no link any more.
const describeLink = statement({
  name: 'people_sign_in_links.describe',
  parameters: { hash: bytea },
  columns: {
    organization: nullable(text),
    role: nullable(typed<Role>(text)),
    isInvitation: nullable(boolean),
    issuedBy: nullable(text),
  },
  sql: `select o.name as organization, m.role, m.accepted_at is null as is_invitation, i.name as issued_by
   from people_sign_in_links l
   left join organizations o on o.id = l.issuer_id
   left join members m on m.organization_id = l.issuer_id and m.person_id = l.person_id
   left join people i on i.id = l.issued_by
   where l.hash = :hash and l.used_at is null and l.expires_at > app_now() and (l.issuer_id is null or m.person_id is not null)`,
})
// Other uses of the link and changes of the person’s rights wait for these locks, so that the next statement sees them.
const lockPerson = statement({
  name: 'people_sign_in_links.lock_person',
  parameters: { hash: bytea },
  columns: { personId: uuid },
  sql: `select p.id as person_id from people_sign_in_links l join people p on p.id = l.person_id
   where l.hash = :hash and l.used_at is null and l.expires_at > app_now() for no key update`,
})
const startSession = statement({
  name: 'people_sign_in_links.start_session',
  parameters: {
    hash: bytea,
    sessionId: uuid,
    token: text,
    seconds: double,
    address: nullable(text),
    userAgent: nullable(text),
  },
  columns: { personId: uuid, issuerId: nullable(uuid), provesAddress: boolean, wasVerified: boolean },
  // A mailed link proves an address that nobody has proved before, and what was set up before the proof is removed.
  sql: `with used as (
     update people_sign_in_links l set used_at = app_now(), session_id = :sessionId from people p
     where l.hash = :hash and l.used_at is null and l.expires_at > app_now() and p.id = l.person_id
       and (l.issuer_id is null or exists (
         select from members m where m.organization_id = l.issuer_id and m.person_id = p.id
           and ((${belongsOnlyTo('p.id', 'l.issuer_id')})
             or (l.proves_address and not p.email_verified and not p.two_factor_enabled))))
     returning l.person_id, l.issuer_id, l.proves_address, p.email_verified as was_verified
   ), started as (
     insert into people_sessions (id, user_id, token, ip_address, user_agent, expires_at)
     select :sessionId, person_id, :token, :address, :userAgent, app_now() + :seconds * interval '1 second' from used
   )
   select person_id, issuer_id, proves_address, was_verified from used`,
})
const isAllowed = statement({
  name: 'people_sign_in_links.is_allowed',
  parameters: { organizationId: uuid, personId: uuid },
  columns: { isAllowed: boolean },
  sql: `select ${belongsOnlyTo(':personId', ':organizationId')} as is_allowed`,
})
const markMailed = statement({
  name: 'people_sign_in_links.mark_mailed',
  parameters: { hash: bytea },
  sql: 'update people_sign_in_links set proves_address = true where hash = :hash and used_at is null',
})
const dropLinks = statement({
  name: 'people_sign_in_links.delete_of_person',
  parameters: { personId: uuid },
  sql: 'delete from people_sign_in_links where person_id = :personId and used_at is null',
})

export const memberSignInLinkStore = {
  /** The unused links of a person. */
  deleteUnused: (db: Queryable, personId: string) => db.query(dropLinks, { personId }),
  /** `issuerId`: the organization whose administrator creates the link; null for the operator. */
  insert: async (
    db: Queryable,
    link: {
      hash: Buffer
      personId: string
      seconds: number
      issuerId: string | null
      issuedBy: string | null
    },
  ): Promise<Date> => {
    const stored = await one(db, insertLink, link)
    if (!stored) throw new Error('the sign-in link was not stored')
    return stored.expiresAt
  },
  /** What the page of a link shows before it is used. Null if there is no such link. */
  describe: (db: Queryable, hash: Buffer) => one(db, describeLink, { hash }),
  markMailed: (db: Queryable, hash: Buffer) => db.query(markMailed, { hash }),
  /** Whether an administrator of the organization may create a link for the person now. It is checked again when the link is used. */
  isAllowed: async (db: Queryable, organizationId: string, personId: string): Promise<boolean> =>
    (await one(db, isAllowed, { organizationId, personId }))?.isAllowed ?? false,
  /** Locks the person of a link that can be used. False if there is no such link. */
  lockPerson: async (tx: Queryable, hash: Buffer): Promise<boolean> =>
    (await one(tx, lockPerson, { hash })) !== null,
  /** Starts a session with a link. Null if the link may not sign the person in any more. */
  startSession: (
    tx: Queryable,
    session: {
      hash: Buffer
      sessionId: string
      token: string
      seconds: number
      address: string | null
      userAgent: string | null
    },
  ) => one(tx, startSession, session),
}
