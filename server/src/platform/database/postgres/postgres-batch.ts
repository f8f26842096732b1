import type pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'
import type { BoundStatement } from '../database.ts'
import { type AnyStatement, bind, propertyName } from '../statement.ts'

type Field = { name: string; dataTypeID: number }
type ColumnReader = { property: string; parse: (text: string) => unknown }

/** The driver's wire protocol methods. The driver calls them by name, so they cannot be renamed. */
type Wire = pg.Connection & {
  parsedStatements: Record<string, string>
  stream: { cork(): void; uncork(): void }
  parse(config: { name: string; text: string }): void
  bind(config: { statement: string; values: (string | Buffer | null)[] }): void
  describe(config: { type: 'S' | 'P'; name: string }): void
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
 * responds once. Without `prepared`, the write also contains the text of each statement, and the response its columns.
 */
const execution = (
  statements: BoundStatement[],
  types: pg.CustomTypesConfig,
  prepared?: ColumnReader[][],
) => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown[][]>()
  const results: unknown[][] = [[]]
  const readers = prepared ?? statements.map((): ColumnReader[] => [])
  // Values are serialized first: a failure in the middle of the write would leave the connection waiting for the
  // rest.
  const bindings = statements.map(([statement, values]) => ({
    text: statement.text,
    statement: prepared ? statement.name : '',
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
          for (const { text, ...binding } of bindings) {
            if (!prepared) wire.parse({ name: '', text })
            wire.bind(binding)
            if (!prepared) wire.describe({ type: 'P', name: '' })
            wire.execute({})
          }
          wire.sync()
        }),
      handleRowDescription: ({ fields }: { fields: Field[] }) => {
        const statement = statements[at]?.[0]
        if (statement) readers[at] = readersFor(statement, fields, types)
      },
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

const readersFor = (statement: AnyStatement, fields: Field[], types: pg.CustomTypesConfig): ColumnReader[] =>
  fields.map(({ name, dataTypeID }) => ({
    property: propertyName(statement, name),
    parse: types.getTypeParser(dataTypeID, 'text'),
  }))

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

/** Prepares the statements that this connection has not prepared yet. */
const prepare = async (
  client: pg.PoolClient,
  types: pg.CustomTypesConfig,
  statements: BoundStatement[],
): Promise<ColumnReader[][]> => {
  const known = readersOf.get(client) ?? new Map<string, ColumnReader[]>()
  readersOf.set(client, known)
  for (const [statement] of statements)
    if (!known.has(statement.name)) {
      const fields = await submit(client, preparation(statement))
      known.set(statement.name, readersFor(statement, fields, types))
    }
  return statements.map(([{ name }]) => known.get(name) ?? [])
}

/** `named`: each statement is prepared once per connection, under its name. */
export const runBatch = async (
  client: pg.PoolClient,
  types: pg.CustomTypesConfig,
  statements: BoundStatement[],
  { named }: { named: boolean },
): Promise<unknown[][]> => {
  const prepared = named ? await prepare(client, types, statements) : undefined
  return submit(client, execution(statements, types, prepared))
}

type Submitted<T> = { promise: Promise<T>; submittable: { submit(wire: Wire): void; callback?: () => void } }

/** On a connection with a timeout for queries, the driver sets `callback` and expects it to be called at the end. */
const submit = <T>(client: pg.PoolClient, { promise, submittable }: Submitted<T>): Promise<T> => {
  client.query(submittable as never)
  return promise.finally(() => submittable.callback?.())
}
