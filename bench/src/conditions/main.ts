import { parseArgs } from 'node:util'
import { compilePolicy } from '../../../server/src/features/policies/conditions/compile-policy.ts'
import type { CallFacts, PolicyRule } from '../../../server/src/features/policies/conditions/policy.ts'
import { hostileConditions } from '../../../server/test/support/hostile-conditions.ts'
import { table } from '../table.ts'

/** The conditions that the documentation and the starter policies show. */
const CONDITIONS = [
  'tool.destructive',
  '!args.to.endsWith("@acme.com")',
  'has(args.cc) && args.cc.exists(address, !address.endsWith("@acme.com"))',
  'args.amount > 500',
  '"pays" in tool.effects && mode == "production"',
  'account.shared && user.origin_user_id != "u1"',
  'client.type == "api_key" && tool.connector == "stripe"',
  'args.subject.matches("(?i)invoice|payment")',
  'user.metadata.team in ["sales", "support", "finance"]',
  'now.getHours() < 6',
]

const FACTS: CallFacts = {
  tool: {
    name: 'gmail__send_email',
    connector: 'gmail',
    read_only: false,
    destructive: true,
    effects: ['sends'],
  },
  args: {
    to: 'ann@acme.com',
    cc: ['bob@acme.com', 'eve@acme.com'],
    amount: 50.5,
    subject: 'The agenda of Monday, and a few notes',
  },
  account: { identity: 'me@acme.com', label: null, shared: false, organization: false },
  user: { id: 'user_1', origin_user_id: 'u2', metadata: { team: 'design' } },
  client: { id: 'client_1', type: 'client' },
  pack: { id: 'pack_1' },
  mode: 'production',
  now: Date.parse('2026-01-01T12:00:00Z'),
}

const { values } = parseArgs({ options: { rounds: { type: 'string' } } })
const rounds = Number(values.rounds ?? 9)
if (!Number.isInteger(rounds) || rounds < 1 || rounds > 1000)
  throw new Error('--rounds must be a whole number from 1 to 1000')

const ruleOf = (when: string, index: number): PolicyRule => ({
  id: `rule_${index}`,
  name: when,
  when,
  tools: ['*'],
  approvers: ['members'],
  effect: 'ask',
})

/** Milliseconds of each round, sorted: a preempted round does not change the median. */
const measure = (run: () => void, runsPerRound: number): number[] => {
  const times = Array.from({ length: rounds }, () => {
    const startedAt = performance.now()
    for (let count = 0; count < runsPerRound; count++) run()
    return (performance.now() - startedAt) / runsPerRound
  })
  return times.toSorted((a, b) => a - b)
}
const figures = (times: number[], perUnit: number): string[] =>
  [times[0], times[Math.floor(times.length / 2)]].map(time => ((time ?? 0) * perUnit).toFixed(2))

const RUNS = 10_000
const microseconds = [0, 1, 10].map(count => {
  const policy = compilePolicy(CONDITIONS.slice(0, count).map(ruleOf), 'allow')
  measure(() => policy.decide(FACTS), RUNS)
  return [
    `${count} rules`,
    ...figures(
      measure(() => policy.decide(FACTS), RUNS),
      1000,
    ),
  ]
})
const compile = () => compilePolicy(CONDITIONS.map(ruleOf), 'allow')
measure(compile, 100)
microseconds.push(['compiling 10 rules', ...figures(measure(compile, 100), 1000)])
process.stdout.write(`${table([['µs for one decision', 'fastest', 'median'], ...microseconds])}\n\n`)

const hostile = hostileConditions().map(({ name, source, args }) => {
  const policy = compilePolicy(
    Array.from({ length: 20 }, (_, index) => ruleOf(source, index)),
    'allow',
  )
  return [
    name,
    ...figures(
      measure(() => policy.decide({ ...FACTS, args }), 1),
      1,
    ),
  ]
})
process.stdout.write(`${table([['ms for 20 hostile rules', 'fastest', 'median'], ...hostile])}\n`)
