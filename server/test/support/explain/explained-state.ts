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
} as const

export type State = { [dimension in keyof typeof DIMENSIONS]: (typeof DIMENSIONS)[dimension][number] }

const NAMES = Object.keys(DIMENSIONS) as (keyof State)[]
const RUNS = Object.fromEntries(NAMES.map(name => [name, DIMENSIONS[name][0]])) as State

/** Every other value once, with all other dimensions as in a call that runs. */
const singleChanges = (): State[] =>
  NAMES.flatMap(name => DIMENSIONS[name].slice(1).map(value => ({ ...RUNS, [name]: value })))

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

export const explainedStates = (seed: number, random: number): State[] => [
  RUNS,
  ...singleChanges(),
  ...PAIRS.map(pair => ({ ...RUNS, ...pair })),
  ...randomStates(seed, random),
]

/** The dimensions that differ from a call that runs, for messages. */
export const nameState = (state: State): string =>
  NAMES.filter(name => state[name] !== RUNS[name])
    .map(name => `${name}: ${state[name]}`)
    .join(', ') || 'a call that runs'
