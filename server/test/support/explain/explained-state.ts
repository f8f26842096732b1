import { seededRandom } from './seeded-random.ts'

/** The values of each dimension of a state. The first one lets the call run. */
export const DIMENSIONS = {
  user: ['active', 'deactivated', 'deleted', 'unknown', 'malformed', 'of_other_mode'],
  key: ['production', 'test'],
  organization: ['active', 'leaving', 'deleting'],
  pack: [
    'default',
    'with_connector',
    'without_connector',
    'without_tool',
    'misfit',
    'of_other_organization',
    'deleted',
    'malformed',
  ],
  tool: [
    'notes',
    'server',
    'unknown_tool',
    'unknown_connector',
    'no_name',
    'unusable',
    'pending',
    'changed',
    'removed_server',
    'secret_server',
    'authenticate',
    'authenticate_open',
    'catalog_server',
    'authenticate_catalog',
    'fetch_result',
    'explain_access',
  ],
  plan: ['unlimited', 'limited', 'used_up'],
  rate: ['none', 'left', 'used_up'],
  rules: ['none', 'block', 'redact', 'dry_run'],
  args: ['valid', 'invalid_type', 'unknown_name', 'email', 'email_as_number'],
  credential: [
    'active',
    'missing',
    'expired',
    'ended',
    'revoked',
    'without_scopes',
    'scopes_refused',
    'refresh_due',
    'no_refresh_token',
    'without_scopes_or_refresh_token',
    'tampered',
    'tampered_and_due',
    'paused',
    'paused_until_now',
  ],
  link: ['interstitial', 'code_only', 'code_only_unlisted', 'code_only_listed'],
  accounts: [
    'one',
    'one_named',
    'one_named_wrongly',
    'two',
    'two_named',
    'two_named_wrongly',
    'fixed',
    'fixed_and_other_named',
    'fixed_to_missing',
    'fixed_to_unshared',
    'required',
    'required_and_named',
    'shared',
    'shared_and_own',
    'shared_and_own_named',
    'shared_with_pack',
    'shared_with_other_pack',
    'shared_by_deactivated',
    'unshared',
  ],
} as const

export type State = { [dimension in keyof typeof DIMENSIONS]: (typeof DIMENSIONS)[dimension][number] }

const NAMES = Object.keys(DIMENSIONS) as (keyof State)[]
const RUNS = Object.fromEntries(NAMES.map(name => [name, DIMENSIONS[name][0]])) as State

/** Values of other dimensions once, with the rest as in a call that runs. */
const singleChanges = (names: (keyof State)[]): State[] =>
  names.flatMap(name => DIMENSIONS[name].slice(1).map(value => ({ ...RUNS, [name]: value })))

/** Combinations that only occur together. */
const PAIRS: Partial<State>[] = [
  { rules: 'block', args: 'email' },
  { rules: 'redact', args: 'email' },
  { rules: 'dry_run', args: 'email' },
  { rules: 'redact', args: 'email_as_number', tool: 'server' },
  { credential: 'missing', link: 'code_only' },
  { credential: 'missing', link: 'code_only_unlisted' },
  { credential: 'missing', link: 'code_only_listed' },
  { credential: 'without_scopes', link: 'code_only' },
  { credential: 'missing', tool: 'server' },
  { credential: 'missing', rate: 'used_up', plan: 'used_up' },
  { key: 'test', plan: 'used_up' },
  { tool: 'authenticate', plan: 'used_up', rate: 'used_up' },
  { user: 'deactivated', pack: 'malformed' },
  { user: 'deactivated', tool: 'unknown_tool' },
]

/** The state of the account that the call would use, or that keeps the call from using one. */
const ACCOUNT_PAIRS: Partial<State>[] = [
  { accounts: 'two', credential: 'revoked' },
  { accounts: 'two', credential: 'expired' },
  { accounts: 'two_named', credential: 'expired' },
  { accounts: 'two_named', credential: 'revoked' },
  { accounts: 'two_named', credential: 'no_refresh_token' },
  { accounts: 'fixed', credential: 'paused' },
  { accounts: 'fixed_to_missing', link: 'code_only' },
  { accounts: 'shared', credential: 'expired' },
  { accounts: 'shared', credential: 'paused' },
  { accounts: 'shared', credential: 'without_scopes' },
  { accounts: 'shared', credential: 'refresh_due' },
  { accounts: 'shared', credential: 'no_refresh_token' },
  { accounts: 'shared', credential: 'tampered' },
  { accounts: 'shared', key: 'test' },
  { accounts: 'shared_and_own', credential: 'missing' },
  { accounts: 'one_named_wrongly', args: 'unknown_name' },
  { accounts: 'one_named', tool: 'server' },
]

/** Random states. A few dimensions differ from a call that runs, so that not every state fails at the first step. */
const randomStates = (seed: number, count: number): State[] => {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => {
    const state: Record<string, string> = { ...RUNS }
    for (let changes = 1 + random.below(4); changes > 0; changes--) {
      const name = random.pick(NAMES)
      state[name] = random.pick<string>(DIMENSIONS[name])
    }
    return withReadableUrl(state as State)
  })
}

/** The MCP endpoint rejects a malformed URL before it looks up the key, and Explain authenticates the key first. */
const withReadableUrl = (state: State): State => {
  if (state.organization === 'active') return state
  const { user, pack } = state
  return {
    ...state,
    user: user === 'malformed' ? 'unknown' : user,
    pack: pack === 'malformed' ? 'deleted' : pack,
  }
}

/** `random`: the number of random states. `accounts`: how many states of several and shared accounts are chosen at random. Default: all. */
export const explainedStates = (
  seed: number,
  { random, accounts }: { random: number; accounts?: number },
): State[] => [
  RUNS,
  ...singleChanges(NAMES.filter(name => name !== 'accounts')),
  ...PAIRS.map(pair => ({ ...RUNS, ...pair })),
  ...sample(seed, accountStates(), accounts),
  ...randomStates(seed, random),
]

const accountStates = (): State[] => [
  ...singleChanges(['accounts']),
  ...ACCOUNT_PAIRS.map(pair => ({ ...RUNS, ...pair })),
]

const sample = (seed: number, states: State[], size = states.length): State[] => {
  const random = seededRandom(seed)
  const left = [...states]
  return Array.from({ length: size }, () => left.splice(random.below(left.length), 1)).flat()
}

/** The dimensions that differ from a call that runs, for messages. */
export const nameState = (state: State): string =>
  NAMES.filter(name => state[name] !== RUNS[name])
    .map(name => `${name}: ${state[name]}`)
    .join(', ') || 'a call that runs'
