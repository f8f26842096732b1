import { globSync } from 'node:fs'
import { join } from 'node:path'
import { usageGroups } from '@carabiner/contract'
import { auditStore } from '../../src/features/events/audit-store.ts'
import { usageStore } from '../../src/features/metering/limits/usage-store.ts'
import type { ReadDatabase } from '../../src/platform/database/read-database.ts'
import { type AnyStatement, declaredStatements } from '../../src/platform/database/statement.ts'

const SOURCE = join(import.meta.dirname, '../../src')
const owner = { organizationId: '', mode: 'test' } as const

const subsetsOf = <T>(items: readonly T[]): T[][] =>
  items.reduce<T[][]>((subsets, item) => [...subsets, ...subsets.map(subset => [...subset, item])], [[]])

/** Loads every module that declares a statement. Some stores declare theirs inside functions. */
export const allStatements = async (): Promise<AnyStatement[]> => {
  for (const file of globSync('{platform,features}/**/{*-store,migrate,database}.ts', { cwd: SOURCE }))
    await import(join(SOURCE, file))
  const declaresOnly: ReadDatabase = {
    read: async () => [],
    readWith: (_settings, work) => work(declaresOnly),
  }
  for (const groups of subsetsOf(usageGroups).filter(({ length }) => length > 0))
    await usageStore.sum(declaresOnly, owner, { since: '', until: '' }, groups, 1)
  for (const names of subsetsOf(['action', 'actor', 'target', 'registeredUserId', 'since', 'until']))
    await auditStore.newest(declaresOnly, '', {
      before: 1,
      limit: 1,
      filter: Object.fromEntries(names.map(name => [name, ''])),
    })
  // Other test files of the same process declare statements too.
  return declaredStatements().filter(({ name }) => !/^(?:test|batched)\./.test(name))
}
