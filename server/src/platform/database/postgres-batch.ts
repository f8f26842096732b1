import type pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'
import type { BoundStatement } from './database.ts'
import { type AnyStatement, bind, propertyName } from './statement.ts'

type Field = { name: string; dataTypeID: number }
type ColumnReader = { property: string; parse: (text: string) => unknown }

/** The driver's wire protocol methods. The driver calls them by name, so they cannot be renamed. */
type Wire = pg.Connection & {
  parsedStatements: Record<string, string>
  stream: { cork(): void; uncork(): void }
  parse(config: { name: string; text: string }): void
  bind(config: { statement: string; values: (string | Buffer | null)[] }): void
  describe(config: { type: 'S'; name: string }): void
  execute(config: object): void
  sync(): void
}

const corked = (wire: Wire, write: () => void): void => {
  wire.stream.cork()
  try {
    write()
  } finally {
    wire.stream.uncork()
  }
}

/** Prepares a statement and reads its columns, once per connection. */
const preparation = ({ name, text }: AnyStatement) => {
  const { promise, resolve, reject } = Promise.withResolvers<Field[]>()
  let fields: Field[] = []
  return {
    promise,
    submittable: {
      // The driver uses both to record that the connection has prepared the statement.
      name,
      text,
      submit: (wire: Wire) =>
        corked(wire, () => {
          if (!(name in wire.parsedStatements)) wire.parse({ name, text })
          wire.describe({ type: 'S', name })
          wire.sync()
        }),
      handleRowDescription: (message: { fields: Field[] }) => {
        fields = message.fields
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(fields),
    },
  }
}

/**
 * Sends all statements in one write with a single Sync at the end, so PostgreSQL runs them as one transaction and
 * responds once.
 */
const execution = (statements: BoundStatement[], readers: ColumnReader[][]) => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown[][]>()
  const results: unknown[][] = [[]]
  // Values are serialized first: a failure in the middle of the write would leave the connection waiting for the
  // rest.
  const bindings = statements.map(([statement, values]) => ({
    statement: statement.name,
    values: bind(statement, values).map(prepareValue),
  }))
  let at = 0
  // An exception inside the driver's callbacks would end the process.
  let parseError: unknown
  return {
    promise,
    submittable: {
      submit: (wire: Wire) =>
        corked(wire, () => {
          for (const binding of bindings) {
            wire.bind(binding)
            wire.execute({})
          }
          wire.sync()
        }),
      handleDataRow: ({ fields }: { fields: (string | null)[] }) => {
        try {
          results[at]?.push(readRow(readers[at] ?? [], fields))
        } catch (error) {
          parseError ??= error
        }
      },
      handleCommandComplete: () => {
        results[++at] = []
      },
      handleError: reject,
      handleReadyForQuery: () => (parseError ? reject(parseError) : resolve(results.slice(0, at))),
    },
  }
}

const readRow = (reads: ColumnReader[], fields: (string | null)[]): Record<string, unknown> => {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < reads.length; index++) {
    const { property, parse } = reads[index] as ColumnReader
    const text = fields[index] ?? null
    row[property] = text === null ? null : parse(text)
  }
  return row
}

const readersOf = new WeakMap<pg.PoolClient, Map<string, ColumnReader[]>>()

export const runBatch = async (
  client: pg.PoolClient,
  types: pg.CustomTypesConfig,
  statements: BoundStatement[],
): Promise<unknown[][]> => {
  const known = readersOf.get(client) ?? new Map<string, ColumnReader[]>()
  readersOf.set(client, known)
  for (const [statement] of statements) {
    if (known.has(statement.name)) continue
    const { submittable, promise } = preparation(statement)
    client.query(submittable as never)
    const fields = await promise
    known.set(
      statement.name,
      fields.map(({ name, dataTypeID }) => ({
        property: propertyName(statement, name),
        parse: types.getTypeParser(dataTypeID, 'text'),
      })),
    )
  }
  const { submittable, promise } = execution(
    statements,
    statements.map(([{ name }]) => known.get(name) ?? []),
  )
  client.query(submittable as never)
  return promise
}
