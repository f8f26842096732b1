import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePolicy } from './conditions/compile-policy.ts'
import type { ToolFacts } from './conditions/policy.ts'
import { countsToRead, type DecidingPolicy, decideCall, factsFor } from './decide-call.ts'

const tool = (name: string, effects: ToolFacts['effects'] = []): ToolFacts => ({
  name,
  connector: 'mail',
  read_only: false,
  destructive: effects.length > 0,
  effects,
})
const policy = (when: string, tools: string[]): DecidingPolicy => ({
  of: 'organization',
  policy: compilePolicy(
    [{ id: when, name: when, when, tools, effect: 'deny', approvers: ['members'] }],
    'allow',
  ),
})
const [send, read] = [tool('mail__send', ['sends']), tool('mail__read')]

test('counts are read for the tools of the rules that read them [policy.count]', () => {
  assert.equal(countsToRead([policy('tool.destructive', ['*'])], [send]), null)
  const ofTool = policy('count("1h") > 1', [send.name])
  const count = { tool: send.name, key: '1h', seconds: 3600, effect: null }
  assert.deepEqual(countsToRead([ofTool, ofTool], [send, read]), [count])
  assert.equal(countsToRead([ofTool], [read]), null)
  const invalid = policy('count("1y") > 1', [send.name])
  assert.equal(countsToRead([invalid], [send]), null)
})

test('a call is reserved if a rule for another tool counts its effect [policy.count]', () => {
  const byEffect = policy('count("2d", "sends") > 1', ['chat__post'])
  assert.deepEqual(countsToRead([byEffect], [send]), [])
  assert.equal(countsToRead([byEffect], [read]), null)
  assert.deepEqual(countsToRead([byEffect], [tool('chat__post')]), [
    { tool: 'chat__post', key: '2d sends', seconds: 172_800, effect: 'sends' },
  ])
})

test('each tool of a raw request has counts of its own [policy.count]', () => {
  const facts = {
    tools: [read, send],
    pack: { id: 'p' },
    mode: 'production' as const,
    counts: new Map([[send.name, new Map([['1h', 2]])]]),
  }
  assert.equal(factsFor(read, facts).counts, undefined)
  assert.equal(factsFor(send, facts).counts?.get('1h'), 2)
  assert.equal(decideCall([policy('count("1h") > 1', [send.name])], facts)?.effect, 'deny')
  assert.equal(decideCall([policy('count("1h") > 2', [send.name])], facts)?.effect, 'allow')
  // A count that is not known makes the rule fail, and a rule that denies then matches.
  assert.equal(decideCall([policy('count("1h") > 2', [read.name])], facts)?.effect, 'deny')
})
