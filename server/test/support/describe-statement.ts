import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { TestDatabase } from './databases.ts'

/** The description of a prepared statement by the database. Types have their names from `pg_type`. */
export type Description = {
  parameters: string[]
  columns: { name: string; type: string; mayBeNull: boolean }[]
}
export type Describer = { describe(text: string): Promise<Description>; close(): Promise<void> }

type Catalog = { typeNames: Map<number, string>; nullableColumns: Set<string> }

const TYPES = 'select oid::integer as oid, typname as name from pg_type'
// The columns of a view are never marked as not null.
const NULLABLE_COLUMNS = `select attrelid || '.' || attnum as id from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relkind in ('r', 'p') and attnum > 0 and not attnotnull`

type Rows = (sql: string) => Promise<{ oid?: number; name?: string; id?: string }[]>

const readCatalog = async (rows: Rows): Promise<Catalog> => ({
  typeNames: new Map((await rows(TYPES)).map(({ oid, name }) => [Number(oid), String(name)])),
  nullableColumns: new Set((await rows(NULLABLE_COLUMNS)).map(({ id }) => String(id))),
})

type Field = { name: string; dataTypeID: number; tableID?: number; columnID?: number }

const toDescription = (catalog: Catalog, parameters: number[], fields: Field[]): Description => {
  const typeName = (oid: number) => catalog.typeNames.get(oid) ?? String(oid)
  return {
    parameters: parameters.map(typeName),
    columns: fields.map(({ name, dataTypeID, tableID, columnID }) => ({
      name,
      type: typeName(dataTypeID),
      mayBeNull: catalog.nullableColumns.has(`${tableID}.${columnID}`),
    })),
  }
}

export const openDescriber = (database: TestDatabase): Promise<Describer> =>
  database.url ? describerOfPostgres(database.url) : describerOfPglite(database.folder as string)

const describerOfPglite = async (folder: string): Promise<Describer> => {
  const lite = await PGlite.create({ dataDir: join(folder, 'pglite') })
  const catalog = await readCatalog(async sql => (await lite.query<{ oid: number }>(sql)).rows)
  return {
    describe: async text => {
      const { queryParams, resultFields } = await lite.describeQuery(text)
      return toDescription(
        catalog,
        queryParams.map(({ dataTypeID }) => dataTypeID),
        resultFields,
      )
    },
    close: () => lite.close(),
  }
}

const describerOfPostgres = async (url: string): Promise<Describer> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const catalog = await readCatalog(async sql => (await client.query(sql)).rows)
  return {
    describe: text =>
      new Promise((resolve, reject) => {
        let parameters: number[] = []
        let fields: Field[] = []
        const readParameters = (message: { dataTypeIDs: number[] }) => {
          parameters = message.dataTypeIDs
        }
        const connection = (client as unknown as { connection: pg.Connection }).connection
        connection.once('parameterDescription', readParameters)
        client.query({
          submit: (wire: Record<string, (message?: object) => void>) => {
            wire.parse?.({ name: '', text })
            wire.describe?.({ type: 'S', name: '' })
            wire.sync?.()
          },
          handleRowDescription: (message: { fields: Field[] }) => {
            fields = message.fields
          },
          handleError: (error: Error) => {
            connection.off('parameterDescription', readParameters)
            reject(error)
          },
          handleReadyForQuery: () => resolve(toDescription(catalog, parameters, fields)),
        } as never)
      }),
    close: () => client.end(),
  }
}
