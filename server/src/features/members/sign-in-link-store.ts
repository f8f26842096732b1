import { one, type Queryable } from '../../platform/database/database.ts'
import {
  boolean,
  bytea,
  double,
  nullable,
  text,
  timestamptz,
  uuid,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const insertLink = statement({
  name: 'sign_in_links.insert',
  parameters: { hash: bytea, personId: uuid, seconds: double, skipsSecondFactor: boolean },
  columns: { expiresAt: timestamptz },
  sql: `insert into sign_in_links (hash, person_id, skips_second_factor, expires_at)
   values (:hash, :personId, :skipsSecondFactor, app_now() + :seconds * interval '1 second') returning expires_at`,
})
const startSession = statement({
  name: 'sign_in_links.start_session',
  parameters: {
    hash: bytea,
    sessionId: uuid,
    token: text,
    seconds: double,
    address: nullable(text),
    userAgent: nullable(text),
  },
  columns: { personId: uuid, provesAddress: boolean },
  sql: `with used as (
     update sign_in_links l set used_at = app_now(), session_id = :sessionId from people p
     where l.hash = :hash and l.used_at is null and l.expires_at > app_now()
       and p.id = l.person_id and (l.skips_second_factor or not p.two_factor_enabled)
     returning l.person_id, l.proves_address
   ), started as (
     insert into people_sessions (id, user_id, token, ip_address, user_agent, expires_at)
     select :sessionId, person_id, :token, :address, :userAgent, app_now() + :seconds * interval '1 second' from used
   )
   select person_id, proves_address from used`,
})
const markMailed = statement({
  name: 'sign_in_links.mark_mailed',
  parameters: { hash: bytea },
  sql: 'update sign_in_links set proves_address = true where hash = :hash and used_at is null',
})
const dropLinks = statement({
  name: 'sign_in_links.delete_of_person',
  parameters: { personId: uuid },
  sql: 'delete from sign_in_links where person_id = :personId and used_at is null',
})

export const signInLinkStore = {
  /** The unused links of a person. */
  deleteUnused: (db: Queryable, personId: string) => db.query(dropLinks, { personId }),
  insert: async (
    db: Queryable,
    link: { hash: Buffer; personId: string; seconds: number; skipsSecondFactor: boolean },
  ): Promise<Date> => {
    const stored = await one(db, insertLink, link)
    if (!stored) throw new Error('the sign-in link was not stored')
    return stored.expiresAt
  },
  markMailed: (db: Queryable, hash: Buffer) => db.query(markMailed, { hash }),
  /** Starts a session with a link that was not used yet. Null if there is no such link. */
  startSession: (
    db: Queryable,
    session: {
      hash: Buffer
      sessionId: string
      token: string
      seconds: number
      address: string | null
      userAgent: string | null
    },
  ) => one(db, startSession, session),
}
