import assert from 'node:assert/strict'
import { createBrowserUser, linkNotes } from '../browser-user.ts'
import type { TestOrganization, TestService } from '../test-service.ts'
import type { State } from './explained-state.ts'

const ANA = 'ana@example.com'
const BEN = 'ben@example.com'
const NOBODY = 'nobody@example.com'

/**
 * `own`: the accounts of the user. `sharing`: with whom another user shares an account. `rule`: of the pack. `named`: by the call.
 * The credential that a state describes is the first one of the user, or the shared one.
 */
type Accounts = {
  own: string[]
  sharing?: 'user' | 'pack' | 'other_pack' | 'by_deactivated' | 'nobody'
  rule?: { required: true } | { fixed: string }
  named?: string
}

/** Stands for the ID of the account of the other user. */
const OF_OTHER = 'of the other user'

const ACCOUNTS: Record<State['accounts'], Accounts> = {
  one: { own: ['ana'] },
  one_named: { own: ['ana'], named: ANA },
  one_named_wrongly: { own: ['ana'], named: NOBODY },
  two: { own: ['ana', 'ben'] },
  two_named: { own: ['ana', 'ben'], named: ANA },
  two_named_wrongly: { own: ['ana', 'ben'], named: NOBODY },
  fixed: { own: ['ana', 'ben'], rule: { fixed: ANA } },
  fixed_and_other_named: { own: ['ana', 'ben'], rule: { fixed: ANA }, named: BEN },
  fixed_to_missing: { own: ['ana'], rule: { fixed: NOBODY } },
  fixed_to_unshared: { own: ['ana'], sharing: 'nobody', rule: { fixed: OF_OTHER } },
  required: { own: ['ana'], rule: { required: true } },
  required_and_named: { own: ['ana'], rule: { required: true }, named: ANA },
  shared: { own: [], sharing: 'user' },
  shared_and_own: { own: ['ana'], sharing: 'user' },
  shared_and_own_named: { own: ['ana'], sharing: 'user', named: BEN },
  shared_with_pack: { own: [], sharing: 'pack' },
  shared_with_other_pack: { own: [], sharing: 'other_pack' },
  shared_by_deactivated: { own: [], sharing: 'by_deactivated' },
  unshared: { own: [], sharing: 'nobody' },
}

export type LinkedAccount = { userId: string; credentialId: string }

/** `used`: the account whose state is set. `shared`: the account of another user. */
type LinkedAccounts = { used: LinkedAccount | null; shared: LinkedAccount | null }

export const nameAccount = ({ accounts }: State): Record<string, unknown> => {
  const { named } = ACCOUNTS[accounts]
  return named === undefined ? {} : { carabiner_account: named }
}

export const linkAccounts = async (
  t: TestService,
  key: string,
  userId: string,
  { accounts, credential }: State,
): Promise<LinkedAccounts> => {
  const { own, sharing } = ACCOUNTS[accounts]
  const linked: LinkedAccount[] = []
  if (credential !== 'missing')
    for (const account of own) linked.push(await linkAccount(t, key, userId, account))
  const shared = sharing ? await linkAccount(t, key, (await t.createUser({}, key)).id, 'ben') : null
  return { used: linked[0] ?? (own.length === 0 ? shared : null), shared }
}

const linkAccount = async (
  t: TestService,
  key: string,
  userId: string,
  account: string,
): Promise<LinkedAccount> => {
  const link = await t.mint(userId, { connector_slug: 'sandbox-notes', account: 'add' }, key)
  await linkNotes(createBrowserUser(), link.magic_link_url, { account })
  const [row] = await t.query<{ id: string }>(
    'select id from credentials where registered_user_id = $1 and label = $2',
    [userId, `${account}@example.com`],
  )
  return { userId, credentialId: row?.id as string }
}

/** Sets the rule in every pack, because the state may be that there is no pack. */
export const restrictAccounts = async (
  t: TestService,
  { id }: TestOrganization,
  { accounts }: State,
  linked: LinkedAccounts | null,
): Promise<void> => {
  const { rule } = ACCOUNTS[accounts]
  if (!rule) return
  const isOfOther = 'fixed' in rule && rule.fixed === OF_OTHER
  const set = isOfOther ? { fixed: linked?.shared?.credentialId ?? NOBODY } : rule
  await t.query('update tool_packs set accounts = $2 where organization_id = $1', [
    id,
    JSON.stringify({ 'sandbox-notes': set }),
  ])
}

type Caller = { organization: TestOrganization; key: string; userId: string }

export const shareAccount = async (
  t: TestService,
  { organization, key, userId }: Caller,
  { accounts }: State,
  { userId: ownerId, credentialId }: LinkedAccount,
): Promise<void> => {
  const expect = async (method: string, path: string, body: object) => {
    const answer = await t.call(method, `/api/v1${path}`, { key, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const share = (access: object) =>
    expect('PUT', `/registered-users/${ownerId}/credentials/${credentialId}/access`, access)
  switch (ACCOUNTS[accounts].sharing) {
    case 'user':
      return share({ registered_user_ids: [userId] })
    case 'pack': {
      const packs = await t.query<{ id: string }>('select id from tool_packs where organization_id = $1', [
        organization.id,
      ])
      return share({ tool_pack_ids: packs.map(({ id }) => id) })
    }
    case 'other_pack':
      return share({ tool_pack_ids: [(await expect('POST', '/tool-packs', { name: 'Other' })).id] })
    case 'by_deactivated':
      await share({ registered_user_ids: [userId] })
      return expect('PATCH', `/registered-users/${ownerId}`, { is_active: false })
    case 'nobody':
    case undefined:
  }
}
