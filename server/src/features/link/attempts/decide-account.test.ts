import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decideAccount, type LinkedAccount } from './decide-account.ts'

const work: LinkedAccount = { id: 'w', label: 'Work', account: 'ana@work', identity: '1', isShared: false }
const other: LinkedAccount = { id: 'o', label: 'Other', account: null, identity: null, isShared: false }
const asks = { accountChoice: 'ask', credentialId: null } as const
const STORE = { ask: false, replaces: null }
const ASK = { ask: true }
const replace = (replaces: string) => ({ ask: false, replaces })

describe('decideAccount', () => {
  const known = { account: 'ana', accountId: '2' }
  const same = { account: 'renamed', accountId: '1' }
  const unknown = { account: null, accountId: null }
  const rows = [
    ['the first account is not asked about', asks, known, [], STORE],
    ['the same account replaces its credential, also after a rename', asks, same, [work], STORE],
    ['another account is asked about', asks, known, [work], ASK],
    ['an account without an identity is asked about', asks, unknown, [work], ASK],
    ['two accounts without an identity are not taken for the same', asks, unknown, [other], ASK],
    ['add: nothing is asked', { accountChoice: 'add', credentialId: null }, known, [work], STORE],
    [
      'replace: nothing is asked',
      { accountChoice: 'replace', credentialId: 'w' },
      known,
      [work],
      replace('w'),
    ],
    [
      'replace: a deleted credential is asked about',
      { accountChoice: 'replace', credentialId: 'x' },
      known,
      [work],
      ASK,
    ],
    [
      'replace: an account linked already keeps its credential',
      { accountChoice: 'replace', credentialId: 'o' },
      same,
      [work, other],
      STORE,
    ],
    [
      'reconnect: an account without an identity replaces',
      { ...asks, credentialId: 'w' },
      unknown,
      [work, other],
      replace('w'),
    ],
    [
      'reconnect: a credential without an identity is replaced',
      { ...asks, credentialId: 'o' },
      known,
      [work, other],
      replace('o'),
    ],
    ['reconnect: another account is asked about', { ...asks, credentialId: 'w' }, known, [work], ASK],
  ] as const
  for (const [title, requested, account, linked, decision] of rows)
    it(title, () => assert.deepEqual(decideAccount(requested, account, linked), decision))
})
