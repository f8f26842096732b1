import type pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'
import type { Asked, Statement } from './database.ts'

type Field = { name: string; dataTypeID: number }
type Read = { name: string; parse: (text: string) => unknown }

/** What the driver says of the wire while one of ours is under way. It calls these by name, so they are not ours to rename. */
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

/** Prepares a statement and learns its columns, which no later use of it asks for again. */
const preparation = ({ name, text }: Statement<unknown>) => {
  const { promise, resolve, reject } = Promise.withResolvers<Field[]>()
  let fields: Field[] = []
  return {
    promise,
    submittable: {
      // By these two the driver remembers that the connection knows the statement.
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
 * Every statement in one write, with one Sync behind the last: PostgreSQL runs them as one transaction and answers in one piece.
 */
const execution = (asked: Asked[], readers: Read[][]) => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown[][]>()
  const results: unknown[][] = [[]]
  // A value that cannot be sent fails here: in the middle of what is written it would leave the connection waiting for the rest.
  const bindings = asked.map(([{ name: statement }, values]) => ({
    statement,
    values: values.map(prepareValue),
  }))
  let at = 0
  // What is thrown while the driver reads would end the process.
  let unreadable: unknown
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
          unreadable ??= error
        }
      },
      handleCommandComplete: () => {
        results[++at] = []
      },
      handleError: reject,
      handleReadyForQuery: () => (unreadable ? reject(unreadable) : resolve(results.slice(0, at))),
    },
  }
}

const readRow = (reads: Read[], fields: (string | null)[]): Record<string, unknown> => {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < reads.length; index++) {
    const { name, parse } = reads[index] as Read
    const text = fields[index] ?? null
    row[name] = text === null ? null : parse(text)
  }
  return row
}

const readersOf = new WeakMap<pg.PoolClient, Map<string, Read[]>>()

export const runBatch = async (
  client: pg.PoolClient,
  types: pg.CustomTypesConfig,
  asked: Asked[],
): Promise<unknown[][]> => {
  const known = readersOf.get(client) ?? new Map<string, Read[]>()
  readersOf.set(client, known)
  for (const [statement] of asked) {
    if (known.has(statement.name)) continue
    const { submittable, promise } = preparation(statement)
    client.query(submittable as never)
    const fields = await promise
    known.set(
      statement.name,
      fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID, 'text') })),
    )
  }
  const { submittable, promise } = execution(
    asked,
    asked.map(([{ name }]) => known.get(name) ?? []),
  )
  client.query(submittable as never)
  return promise
}
