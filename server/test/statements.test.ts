import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { usageGroups } from '@carabiner/contract'
import { auditStore } from '../src/features/events/audit-store.ts'
import { usageStore } from '../src/features/metering/limits/usage-store.ts'
import type { Queryable } from '../src/platform/database/database.ts'
import { type AnyStatement, declaredStatements, propertyName } from '../src/platform/database/statement.ts'
import { createTestDatabase, engines, type TestDatabase } from './support/databases.ts'
import { type Describer, type Description, openDescriber } from './support/describe-statement.ts'

const SOURCE = join(import.meta.dirname, '../src')
const owner = { organizationId: '', mode: 'test' } as const

const subsetsOf = <T>(items: readonly T[]): T[][] =>
  items.reduce<T[][]>((subsets, item) => [...subsets, ...subsets.map(subset => [...subset, item])], [[]])

/** Loads every module that declares a statement. Some stores declare theirs inside functions. */
const allStatements = async (): Promise<AnyStatement[]> => {
  for (const file of globSync('{platform,features}/**/{*-store,migrate,database}.ts', { cwd: SOURCE }))
    await import(join(SOURCE, file))
  const declaresOnly: Queryable = { query: async (..._values) => [] }
  for (const groups of subsetsOf(usageGroups).filter(({ length }) => length > 0))
    await usageStore.sum(declaresOnly, owner, { since: '', until: '' }, groups, 1)
  for (const names of subsetsOf(['action', 'actor', 'target', 'registeredUserId', 'since', 'until']))
    await auditStore.newest(declaresOnly, '', {
      before: 1,
      limit: 1,
      filter: Object.fromEntries(names.map(name => [name, ''])),
    })
  return declaredStatements()
}

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
