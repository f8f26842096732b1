import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import { type AnyStatement, propertyName } from '../src/platform/database/statement.ts'
import { allStatements } from './support/all-statements.ts'
import { createTestDatabase, engines, type TestDatabase } from './support/databases.ts'
import { type Describer, type Description, openDescriber } from './support/describe-statement.ts'

/** Differences between the declaration of a statement and its description by the database. */
const problemsOf = (statement: AnyStatement, { parameters, columns }: Description): string[] => {
  const problems: string[] = []
  for (const [index, name] of statement.order.entries()) {
    const declared = statement.parameters[name]?.name
    if (declared !== parameters[index]) problems.push(`:${name} is ${parameters[index]}, not ${declared}`)
  }
  const found = new Map(columns.map(column => [propertyName(statement, column.name), column]))
  for (const [name, { name: type, isNullable, isEnsured }] of Object.entries(statement.columns ?? {})) {
    const column = found.get(name)
    if (!column) problems.push(`no column ${name}`)
    else if (column.type !== type) problems.push(`${name} is ${column.type}, not ${type}`)
    else if (column.mayBeNull && !isNullable && !isEnsured) problems.push(`${name} may be null`)
  }
  return problems
}

/** Lists and aggregates that decide nothing. Their rows may be a few seconds old (docs/operate/replicas.md). */
const MAY_LAG =
  /^(?:tool_calls\.(?:page_by|edge_by|summary)_|usage\.by_|audit\.list|rule_violations\.list|events\.list|webhooks\.list_deliveries|link_sessions\.summaries$|link_timelines\.of_sessions$)/

test('only lists may be read from a replica', async () => {
  const lagging = (await allStatements()).filter(statement => 'mayLag' in statement)
  assert.ok(lagging.length > 10, `only ${lagging.length} statements`)
  assert.deepEqual(
    lagging.filter(({ name }) => !MAY_LAG.test(name)).map(({ name }) => name),
    [],
  )
  assert.deepEqual(
    lagging.filter(({ text }) => !/^\s*select\b/.test(text) || /\bfor (?:update|share|no key)/.test(text)),
    [],
  )
})

for (const engine of engines)
  describe(`statements on ${engine}`, () => {
    let database: TestDatabase
    let describer: Describer
    let statements: AnyStatement[]
    before(async () => {
      database = await createTestDatabase(engine)
      describer = await openDescriber(database)
      statements = await allStatements()
    })
    after(async () => {
      await describer.close()
      await database.drop()
    })

    it('have the parameters and columns that they declare', async () => {
      assert.ok(statements.length > 200, `only ${statements.length} statements`)
      const problems: Record<string, string[]> = {}
      for (const statement of statements) {
        const found = problemsOf(statement, await describer.describe(statement.text))
        if (found.length > 0) problems[statement.name] = found
      }
      assert.deepEqual(problems, {})
    })
  })
