import {
  type ApprovalStatus,
  type ApprovalVoidReason,
  approvalBounds,
  type RememberPeriod,
} from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import type { OrganizationState } from '../../core/organization-state.ts'
import { one, type Queryable, type Transaction } from '../../platform/database/database.ts'
import {
  array,
  boolean,
  bytea,
  ensured,
  integer,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'
import type { AskingRule } from '../approvals/deciders.ts'
import type { Remember } from '../approvals/grants.ts'
import { CURRENT_STATUS, CURRENT_VOID_REASON } from '../approvals/void-reason.ts'
import type { Settings } from '../organizations/link-customization.ts'
import type { PageOwner } from '../pages/page-response.ts'

export type ApprovalKey = { organizationId: string; id: string }

const minutes = (count: number): string => `interval '${count} minutes'`
const VISIT_LIFETIME = minutes(approvalBounds.visitMinutes)

const shownColumns = {
  organizationId: uuid,
  organizationState: typed<OrganizationState>(text),
  organizationName: text,
  approvalId: uuid,
  mode: typed<Mode>(text),
  status: typed<ApprovalStatus>(text),
  voidReason: nullable(typed<ApprovalVoidReason>(text)),
  rules: typed<AskingRule[]>(jsonb),
  digest: bytea,
  connectorSlug: text,
  accountLabel: nullable(text),
  signsIn: boolean,
  linkDecides: boolean,
  userOfCall: uuid,
  visitId: nullable(uuid),
  registeredUserId: nullable(uuid),
  byLink: nullable(boolean),
  returnUrl: nullable(text),
  opened: nullable(array(integer)),
  hasApproved: boolean,
  isRemembered: boolean,
  originUserId: nullable(text),
  originUserName: nullable(text),
  userEmail: nullable(text),
  settings: nullable(typed<Settings>(jsonb)),
  lightLogo: nullable(text),
  darkLogo: nullable(text),
}
export type ShownApproval = PageOwner &
  Pick<
    Values<typeof shownColumns>,
    | 'organizationState'
    | 'approvalId'
    | 'status'
    | 'voidReason'
    | 'rules'
    | 'digest'
    | 'connectorSlug'
    | 'accountLabel'
    | 'signsIn'
    | 'linkDecides'
    | 'userOfCall'
    | 'hasApproved'
    | 'isRemembered'
  > & { visit: Visit | null }

/**
 * A browser in which a user has signed in, or has opened the link of the application. `byLink`: nobody has identified the user, and the
 * organization lets anyone with the link decide.
 */
export type Visit = {
  id: string
  registeredUserId: string
  byLink: boolean
  returnUrl: string | null
  opened: number[]
}

/** With the visit of this browser, if it has one. */
const findShown = statement({
  name: 'approval_visits.find_shown',
  parameters: { organizationId: uuid, id: uuid, browserHash: nullable(bytea) },
  columns: shownColumns,
  sql: `select a.organization_id, o.state as organization_state, o.name as organization_name, a.id as approval_id, a.mode, ${CURRENT_STATUS} as status,
     ${CURRENT_VOID_REASON} as void_reason, a.rules, a.digest, a.connector_slug, a.account_label, coalesce(s.for_approvals, false) as signs_in,
     approval_link_decides(a) as link_decides, a.registered_user_id as user_of_call,
     v.id as visit_id, v.registered_user_id, v.by_link, v.return_url, v.opened,
     exists (select from approval_decisions d where d.organization_id = a.organization_id and d.approval_id = a.id
       and d.decider = v.registered_user_id::text and d.decision = 'approve') as has_approved,
     exists (select from approval_grants g where g.organization_id = a.organization_id and g.approval_id = a.id
       and g.approver_id = v.registered_user_id and g.revoked_at is null) as is_remembered,
     u.origin_user_id, u.origin_user_name, u.email as user_email, b.settings, b.light_logo, b.dark_logo
   from approvals a
   join organizations o on o.id = a.organization_id
   left join sign_in_settings s on s.organization_id = a.organization_id and s.mode = a.mode
   left join link_brands b on b.organization_id = a.organization_id
   left join lateral (select * from approval_visits w
     where w.organization_id = a.organization_id and w.approval_id = a.id and w.browser_hash = :browserHash
       and w.registered_user_id is not null and w.expires_at > app_now() and (not w.by_link or approval_link_decides(a))
     order by w.created_at desc limit 1) v on true
   left join registered_users u on u.organization_id = v.organization_id and u.id = v.registered_user_id
   where a.organization_id = :organizationId and a.id = :id`,
})
const insertSignIn = statement({
  name: 'approval_visits.insert_sign_in',
  parameters: { organizationId: uuid, id: uuid, approvalId: uuid, browserHash: bytea },
  sql: `insert into approval_visits (organization_id, id, approval_id, browser_hash, expires_at)
   values (:organizationId, :id, :approvalId, :browserHash, app_now() + ${VISIT_LIFETIME})`,
})
const findSignIn = statement({
  name: 'approval_visits.find_sign_in',
  parameters: { organizationId: uuid, id: uuid },
  columns: {
    approvalId: uuid,
    mode: typed<Mode>(text),
    browserHash: ensured(bytea),
    secondsAgo: integer,
  },
  sql: `select v.approval_id, a.mode, v.browser_hash, ceil(extract(epoch from app_now() - v.created_at))::int as seconds_ago
   from approval_visits v join approvals a on a.organization_id = v.organization_id and a.id = v.approval_id
   where v.organization_id = :organizationId and v.id = :id and v.key_id is null and v.registered_user_id is null
     and v.expires_at > app_now()`,
})
const identifyUser = statement({
  name: 'approval_visits.identify',
  parameters: { organizationId: uuid, id: uuid, registeredUserId: uuid },
  columns: { id: uuid },
  sql: `update approval_visits v set registered_user_id = u.id, expires_at = app_now() + ${VISIT_LIFETIME}
   from registered_users u, approvals a
   where v.organization_id = :organizationId and v.id = :id and v.registered_user_id is null and v.key_id is null and v.expires_at > app_now()
     and a.organization_id = v.organization_id and a.id = v.approval_id
     and u.organization_id = v.organization_id and u.id = :registeredUserId and u.mode = a.mode and u.is_active
   returning v.id`,
})
const insertByLink = statement({
  name: 'approval_visits.insert_by_link',
  parameters: { organizationId: uuid, id: uuid, approvalId: uuid, browserHash: bytea },
  sql: `insert into approval_visits (organization_id, id, approval_id, registered_user_id, by_link, browser_hash, expires_at)
   select a.organization_id, :id, a.id, a.registered_user_id, true, :browserHash, app_now() + ${VISIT_LIFETIME}
   from approvals a where a.organization_id = :organizationId and a.id = :approvalId and approval_link_decides(a)`,
})
const insertLink = statement({
  name: 'approval_visits.insert_link',
  parameters: {
    organizationId: uuid,
    id: uuid,
    approvalId: uuid,
    registeredUserId: uuid,
    tokenHash: bytea,
    keyId: uuid,
    returnUrl: text,
    returnOrigin: text,
  },
  columns: { expiresAt: timestamptz },
  sql: `insert into approval_visits (organization_id, id, approval_id, registered_user_id, token_hash, key_id, return_url, expires_at)
   select :organizationId, :id, :approvalId, :registeredUserId, :tokenHash, :keyId, :returnUrl, app_now() + ${VISIT_LIFETIME}
   where exists (select from callback_origins c where c.organization_id = :organizationId and c.origin = :returnOrigin)
   returning expires_at`,
})
// The first browser that opens the link is the one that can decide.
const openLink = statement({
  name: 'approval_visits.open_link',
  parameters: { organizationId: uuid, approvalId: uuid, tokenHash: bytea, browserHash: bytea },
  columns: { id: uuid },
  sql: `update approval_visits set token_hash = null, browser_hash = :browserHash
   where organization_id = :organizationId and approval_id = :approvalId and token_hash = :tokenHash and expires_at > app_now()
   returning id`,
})
const openValue = statement({
  name: 'approval_visits.open_value',
  parameters: { organizationId: uuid, id: uuid, position: integer },
  sql: `update approval_visits set opened = opened || :position::int
   where organization_id = :organizationId and id = :id and not :position::int = any(opened)`,
})
const saveCode = statement({
  name: 'approval_visits.save_code',
  parameters: {
    organizationId: uuid,
    id: uuid,
    codeHash: bytea,
    remember: nullable(text),
    rememberTexts: boolean,
  },
  columns: { id: uuid },
  sql: `update approval_visits set code_hash = :codeHash, remember = :remember, remember_texts = :rememberTexts, expires_at = app_now() + ${minutes(approvalBounds.confirmMinutes)}
   where organization_id = :organizationId and id = :id and key_id is not null and expires_at > app_now()
   returning id`,
})
// Single use: the visit ends, also with a user who does not match.
const takeCode = statement({
  name: 'approval_visits.take_code',
  parameters: { organizationId: uuid, mode: text, codeHash: bytea, keyId: uuid },
  columns: {
    approvalId: uuid,
    registeredUserId: ensured(uuid),
    digest: bytea,
    remember: nullable(typed<RememberPeriod>(text)),
    rememberTexts: boolean,
  },
  sql: `delete from approval_visits v using approvals a
   where v.organization_id = :organizationId and v.code_hash = :codeHash and v.expires_at > app_now()
     and exists (select from api_keys minted
       join api_keys given on given.organization_id = minted.organization_id and given.lineage = minted.lineage
       where minted.organization_id = v.organization_id and minted.id = v.key_id and given.id = :keyId)
     and a.organization_id = v.organization_id and a.id = v.approval_id and a.mode = :mode
   returning v.approval_id, v.registered_user_id, a.digest, v.remember, v.remember_texts`,
})
const deleteExpired = statement({
  name: 'approval_visits.delete_expired',
  sql: `delete from approval_visits where expires_at <= app_now()
   and organization_id not in (select id from unserved_organizations)`,
})

const toShown = (row: Values<typeof shownColumns>): ShownApproval => ({
  ...row,
  organization: { name: row.organizationName },
  user: { id: row.originUserId ?? '', name: row.originUserName, email: row.userEmail },
  allowedOrigins: [],
  callbackUrl: row.returnUrl,
  visit:
    row.visitId !== null && row.registeredUserId !== null
      ? {
          id: row.visitId,
          registeredUserId: row.registeredUserId,
          byLink: row.byLink === true,
          returnUrl: row.returnUrl,
          opened: row.opened ?? [],
        }
      : null,
})

export const visitStore = {
  findShown: async (
    db: Queryable,
    key: ApprovalKey,
    browserHash: Buffer | null,
  ): Promise<ShownApproval | null> => {
    const row = await one(db, findShown, { ...key, browserHash })
    return row && toShown(row)
  },
  insertSignIn: (db: Queryable, visit: ApprovalKey & { approvalId: string; browserHash: Buffer }) =>
    db.query(insertSignIn, visit),
  /** Does nothing unless anyone with the link can decide. */
  insertByLink: (db: Queryable, visit: ApprovalKey & { approvalId: string; browserHash: Buffer }) =>
    db.query(insertByLink, visit),
  findSignIn: (db: Queryable, { organizationId, id }: ApprovalKey) =>
    one(db, findSignIn, { organizationId, id }),
  /** False if the user is inactive, or the visit has ended. */
  identify: async (db: Queryable, key: ApprovalKey, registeredUserId: string): Promise<boolean> =>
    (await one(db, identifyUser, { ...key, registeredUserId })) !== null,
  /** Null if the origin of the return URL is not a callback origin. */
  insertLink: (
    db: Queryable,
    link: ApprovalKey & {
      approvalId: string
      registeredUserId: string
      tokenHash: Buffer
      keyId: string
      returnUrl: string
      returnOrigin: string
    },
  ) => one(db, insertLink, link),
  openLink: async (
    db: Queryable,
    link: { organizationId: string; approvalId: string; tokenHash: Buffer; browserHash: Buffer },
  ): Promise<boolean> => (await one(db, openLink, link)) !== null,
  openValue: (db: Queryable, { organizationId, id }: ApprovalKey, position: number) =>
    db.query(openValue, { organizationId, id, position }),
  saveCode: async (
    tx: Transaction,
    key: ApprovalKey,
    { codeHash, remember }: { codeHash: Buffer; remember: Remember | null },
  ): Promise<boolean> => {
    const chosen = { remember: remember?.period ?? null, rememberTexts: remember?.freesTexts === true }
    return (await one(tx, saveCode, { ...key, codeHash, ...chosen })) !== null
  },
  takeCode: (
    tx: Transaction,
    code: { organizationId: string; mode: Mode; codeHash: Buffer; keyId: string },
  ) => one(tx, takeCode, code),
  deleteExpired: (db: Queryable) => db.query(deleteExpired),
}
