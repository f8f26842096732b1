import { type AnySqlType, integer, json, type SqlTypes, type Values } from './sql-types.ts'

export type Parameter = string | number | boolean | Date | Uint8Array | null | Parameter[]

/** A named SQL statement. The driver prepares it once per connection under its name. */
export type Statement<Parameters, Row> = {
  readonly name: string
  /** The SQL text with numbered parameters. */
  readonly text: string
  readonly parameters: SqlTypes
  /** Undefined for a statement whose rows are not read; their properties are then named like the columns. */
  readonly columns: SqlTypes | undefined
  /** The names of the numbered parameters. */
  readonly order: readonly string[]
  /** The statement for several callers at once, and the column of its CTE `requests` for each parameter. */
  readonly forMany?: AnyStatement | undefined
  readonly requestColumns?: readonly RequestColumn[] | undefined
  readonly mayBeLost?: true
  /** Never set: carries the types. */
  readonly types?: { parameters: Parameters; row: Row }
}

export type AnyStatement = Statement<unknown, unknown>

type RequestColumn = { parameter: string; column: string }

type Declaration<Parameters extends SqlTypes, Columns extends SqlTypes> = {
  name: string
  /** Named in the text as `:name`. */
  parameters?: Parameters
  /** In camel case: `expiresAt` is the column `expires_at`. */
  columns?: Columns
  sql: string
  /** A crash of PostgreSQL may undo the statement shortly after its commit, if the operator allows that. */
  mayBeLost?: true
  /**
   * The same for several callers in one statement, which costs PostgreSQL much less than several statements: what follows a CTE named
   * `requests`. That has a row for each caller: its parameters, named like columns, and its `position`, which each resulting row must
   * have. A caller without a row gets none; a row with `separately` makes the caller run the statement for one.
   */
  forMany?: string
}

/** A name after a single colon, outside of literals and comments. A cast has two colons. */
const NAMED_PARAMETER = /'(?:[^']|'')*'|--[^\n]*|(?<!:):([a-z]\w*)/gi

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- a statement without parameters
type NoParameters = Record<never, AnySqlType>

/** Declares a statement together with the types of its parameters and columns. */
export const statement = <Parameters extends SqlTypes = NoParameters, Columns extends SqlTypes = never>({
  name,
  parameters,
  columns,
  sql,
  mayBeLost,
  forMany,
}: Declaration<Parameters, Columns>): Statement<Values<Parameters>, Values<Columns>> => {
  const declared: SqlTypes = parameters ?? {}
  const order: string[] = []
  const text = sql.replace(NAMED_PARAMETER, (matched: string, parameter: string | undefined) => {
    if (parameter === undefined) return matched
    if (!(parameter in declared)) throw new Error(`${name} does not declare its parameter :${parameter}`)
    if (!order.includes(parameter)) order.push(parameter)
    return `$${order.indexOf(parameter) + 1}`
  })
  for (const parameter of Object.keys(declared))
    if (!order.includes(parameter)) throw new Error(`${name} declares :${parameter} but does not use it`)
  return register({
    name,
    text,
    parameters: declared,
    columns,
    order,
    ...(mayBeLost && { mayBeLost }),
    ...(forMany !== undefined && {
      forMany: manyStatement({ name, parameters: declared, columns, sql: forMany, mayBeLost }),
      requestColumns: Object.keys(declared).map(parameter => ({ parameter, column: columnName(parameter) })),
    }),
  })
}

/**
 * A statement that may read from a replica, whose rows may be a few seconds old. For lists and aggregates that decide
 * nothing.
 */
export type ListStatement<Parameters, Row> = Statement<Parameters, Row> & { readonly mayLag: true }

export const listStatement = <Parameters extends SqlTypes = NoParameters, Columns extends SqlTypes = never>(
  declaration: Omit<Declaration<Parameters, Columns>, 'forMany'>,
): ListStatement<Values<Parameters>, Values<Columns>> =>
  Object.assign(statement(declaration), { mayLag: true as const })

type ManyDeclaration = Pick<Declaration<SqlTypes, SqlTypes>, 'name' | 'sql'> & {
  parameters: SqlTypes
  columns: SqlTypes | undefined
  mayBeLost: true | undefined
}

const manyStatement = ({ name, parameters, columns, sql, mayBeLost }: ManyDeclaration): AnyStatement => {
  const types = Object.entries(parameters).map(([parameter, type]) => `${columnName(parameter)} ${type.name}`)
  return statement({
    name: `${name}_many`,
    parameters: { requests: json },
    columns: { ...columns, position: integer },
    ...(mayBeLost && { mayBeLost }),
    sql: `with requests as materialized (
     select * from json_to_recordset(:requests::json) as r (position int4, ${types.join(', ')})
   )${sql}`,
  })
}

/** SQL for one caller as SQL for the rows of `requests r`: parameters become columns. */
export const perRequest = (sql: string): string =>
  sql.replace(NAMED_PARAMETER, (matched: string, parameter: string | undefined) =>
    parameter === undefined ? matched : `r.${columnName(parameter)}`,
  )

/** The parameter of a statement for many callers. */
export const toRequests = (
  { requestColumns = [] }: AnyStatement,
  callers: readonly object[],
): { requests: object } => ({
  requests: callers.map((values, position) => {
    const request: Record<string, unknown> = { position }
    for (const { parameter, column } of requestColumns)
      request[column] = toJsonValue((values as Record<string, unknown>)[parameter] ?? null)
    return request
  }),
})

const statements = new Map<string, AnyStatement>()

/** The statements of all modules loaded so far; for tests that check them against the database. */
export const declaredStatements = (): AnyStatement[] => [...statements.values()]

const register = <Declared extends AnyStatement>(declared: Declared): Declared => {
  const other = statements.get(declared.name)
  if (other && other.text !== declared.text) throw new Error(`Two statements are named ${declared.name}`)
  statements.set(declared.name, declared)
  return declared
}

/** The values of the numbered parameters. */
export const bind = ({ order, parameters }: AnyStatement, values: unknown = {}): Parameter[] =>
  order.map(name => {
    const value = (values as Record<string, Parameter>)[name] ?? null
    return parameters[name]?.isJson && value !== null ? JSON.stringify(value) : value
  })

/** PostgreSQL rejects unpaired surrogates in JSON, which the driver replaces in other parameters. */
const toJsonValue = (value: unknown): unknown => {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  return typeof value === 'string' ? value.toWellFormed() : value
}

/** `expiresAt` → `expires_at`. */
export const columnName = (property: string): string =>
  property.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** `expires_at` → `expiresAt`. */
export const propertyName = ({ columns }: AnyStatement, column: string): string =>
  columns ? column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) : column

const propertyNames = new WeakMap<AnyStatement, string[]>()

/** Builds rows from the arrays of column values that a driver returns. */
export const toRows = <Parameters, Row>(
  executed: Statement<Parameters, Row>,
  fields: readonly { name: string }[],
  rows: readonly unknown[][],
): Row[] => {
  const names = propertyNames.get(executed) ?? fields.map(({ name }) => propertyName(executed, name))
  propertyNames.set(executed, names)
  return rows.map(values => toRow(names, values) as Row)
}

const toRow = (names: string[], values: unknown[]): object => {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < names.length; index++) row[names[index] as string] = values[index]
  return row
}
